package transport

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/wire"
)

// wishes are what a client asks its provider to do about a long conversation. The
// provider does it itself; for any other upstream it is done here.
type wishes struct {
	// mark is the load from which on something is to be done; 0 if nothing is.
	mark int
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

// wishesIn reads what a request asks for.
func wishesIn(r *wire.Request) wishes {
	var w wishes
	raw := managementIn(r)
	if raw == nil {
		return w
	}
	var object struct {
		Edits []edit `json:"edits"`
	}
	var list []edit
	if json.Unmarshal(raw, &object) == nil {
		list = object.Edits
	} else if json.Unmarshal(raw, &list) != nil {
		return w
	}
	for _, e := range list {
		w.add(e)
	}
	return w
}

func (w *wishes) add(e edit) {
	mark := 0
	switch e.Type {
	case "clear_tool_uses_20250919":
		if e.Trigger.Type == "tool_uses" {
			return // a number of calls, whatever they weigh
		}
		mark, w.exclude, w.keep = orDefault(e.Trigger.Value, clearTrigger), e.ExcludeTools, clearKeep
		var keep struct {
			Value *int `json:"value"`
		}
		if json.Unmarshal(e.Keep, &keep) == nil && keep.Value != nil {
			w.keep = max(0, *keep.Value)
		}
	case "compact_20260112":
		mark = orDefault(e.Trigger.Value, compactTrigger)
	case "compaction":
		mark = e.Threshold
	}
	if mark > 0 && (w.mark == 0 || mark < w.mark) {
		w.mark = mark
	}
}

func orDefault(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

func managementIn(r *wire.Request) []byte {
	for key, value := range r.Members() {
		if key == managementKey {
			return value
		}
	}
	return nil
}

// pins choose what is to stay.
func (w wishes) pins(c plimsoll.Conversation) []fit.Pin {
	var pins []fit.Pin
	for _, tool := range w.exclude {
		pins = append(pins, fit.Pin{Tool: tool})
	}
	left := w.keep
	for i := c.Messages.Len() - 1; i >= 0 && left > 0; i-- {
		n := plimsoll.CountOf[plimsoll.ToolResult](c.Messages.At(i))
		if n > 0 {
			pins = append(pins, fit.Pin{Index: &i})
			left -= n
		}
	}
	return pins
}

// fitWishes makes the request fit under the client's own mark, if that is lower than
// the line and the upstream would not see to it. It reports false where the line holds.
func (f *flow) fitWishes() bool {
	if f.t.options.Official(f.x.Upstream) {
		return false
	}
	w := wishesIn(f.shown)
	if w.mark == 0 {
		return false
	}
	if line, err := f.line(f.conversationOf()); err != nil || w.mark >= line.Limit() {
		return false
	}
	f.wanted = w.pins(f.request.Conversation())
	defer func() { f.wanted = nil }()
	return f.tryFit(&plimsoll.Line{Window: w.mark}, true) == nil
}

// unknownManagement reports whether an upstream refuses a request because it does not
// know what the client asks for.
func (f *flow) unknownManagement(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnprocessableEntity || f.t.options.Official(f.x.Upstream) {
		return false
	}
	body, _ := peeked(resp)
	return bytes.Contains(body, []byte(managementKey)) && managementIn(f.shown) != nil
}
