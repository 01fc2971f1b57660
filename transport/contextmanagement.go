package transport

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/transport/internal/answer"
	"github.com/plimsoll/plimsoll/wire"
)

// contextManagement is what the member context_management of a request asks for. The
// provider does it itself; for any other upstream it is done here.
type contextManagement struct {
	// trigger is the load from which on something is to be done; 0 if nothing is.
	trigger int
	// keep is how many of the newest tool results are to stay, exclude the tools whose
	// results are.
	keep    int
	exclude []string
}

// managementKey is the member that both providers have chosen for it.
const managementKey = "context_management"

// edit is one entry of it: of Anthropic's list of edits, or of OpenAI's list.
type edit struct {
	Type    string `json:"type"`
	Trigger struct {
		Type  string `json:"type"`
		Value int    `json:"value"`
	} `json:"trigger"`
	Keep         json.RawMessage `json:"keep"`
	ExcludeTools []string        `json:"exclude_tools"`
	Threshold    int             `json:"compact_threshold"`
}

// The triggers that Anthropic documents for those who name none.
const (
	clearTrigger   = 100_000
	compactTrigger = 150_000
	clearKeep      = 3
)

// parseManagement reads the member of a request.
func parseManagement(raw []byte) contextManagement {
	var m contextManagement
	var object struct {
		Edits []edit `json:"edits"`
	}
	var list []edit
	if json.Unmarshal(raw, &object) == nil {
		list = object.Edits
	} else if json.Unmarshal(raw, &list) != nil {
		return m
	}
	for _, e := range list {
		m.add(e)
	}
	return m
}

func (m *contextManagement) add(e edit) {
	trigger := 0
	switch e.Type {
	case "clear_tool_uses_20250919":
		if e.Trigger.Type == "tool_uses" {
			return // a number of calls, whatever they weigh
		}
		trigger, m.exclude, m.keep = orDefault(e.Trigger.Value, clearTrigger), e.ExcludeTools, clearKeep
		var keep struct {
			Value *int `json:"value"`
		}
		if json.Unmarshal(e.Keep, &keep) == nil && keep.Value != nil {
			m.keep = max(0, *keep.Value)
		}
	case "compact_20260112":
		trigger = orDefault(e.Trigger.Value, compactTrigger)
	case "compaction":
		trigger = e.Threshold
	}
	if trigger > 0 && (m.trigger == 0 || trigger < m.trigger) {
		m.trigger = trigger
	}
}

func orDefault(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

// managementIn returns the member of a request; nil if it has none.
func managementIn(r *wire.Request) []byte {
	for key, value := range r.Members() {
		if key == managementKey {
			return value
		}
	}
	return nil
}

// pins choose what is to stay.
func (m contextManagement) pins(c plimsoll.Conversation) []fit.Pin {
	var pins []fit.Pin
	for _, tool := range m.exclude {
		pins = append(pins, fit.Pin{Tool: tool})
	}
	left := m.keep
	for i := c.Messages.Len() - 1; i >= 0 && left > 0; i-- {
		n := plimsoll.CountOf[plimsoll.ToolResult](c.Messages.At(i))
		if n > 0 {
			pins = append(pins, fit.Pin{Index: &i})
			left -= n
		}
	}
	return pins
}

// fitManagement makes an attempt fit under the client's own trigger, if that is lower
// than the line and the upstream would not see to it. It reports false if the line holds.
func (r *trip) fitManagement(s attempt) (attempt, bool) {
	if r.t.options.Official(r.x.Upstream) {
		return s, false
	}
	m := parseManagement(r.management)
	if m.trigger == 0 {
		return s, false
	}
	if line, err := r.line(r.conversationOf(s.request)); err != nil || m.trigger >= line.Limit() {
		return s, false
	}
	s.line, s.pins = &plimsoll.Line{Window: m.trigger}, m.pins(s.request.Conversation())
	fitted, err := r.fit(s, withStore)
	return fitted, err == nil
}

// refusesManagement reports whether an upstream refuses a request because it does not
// know what the client asks for.
func (r *trip) refusesManagement(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnprocessableEntity || r.t.options.Official(r.x.Upstream) {
		return false
	}
	body, _ := answer.Peek(resp)
	return bytes.Contains(body, []byte(managementKey))
}

// withoutManagement takes the member out of the body of an attempt.
func (r *trip) withoutManagement(s attempt) []byte {
	return rawjson.RemoveMember(r.bodyOf(s), managementKey)
}
