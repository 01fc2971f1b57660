package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
)

// rollout is a session of Codex: items of the Responses API among other events. The
// file is one session.
type rollout struct {
	id, model string
	items     []json.RawMessage
	notes     []Entry
}

// rolloutLine is a line.
type rolloutLine struct {
	Type    string          `json:"type"`
	Time    stamp           `json:"timestamp"`
	Payload json.RawMessage `json:"payload"`
}

// rolloutPayload is what the lines that matter hold.
type rolloutPayload struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Role    string `json:"role"`
	Model   string `json:"model"`
	Message string `json:"message"`
	Info    struct {
		Last json.RawMessage `json:"last_token_usage"`
	} `json:"info"`
}

func (r *rollout) add(line []byte) ([]*Session, error) {
	var l rolloutLine
	var p rolloutPayload
	if err := json.Unmarshal(line, &l); err != nil || l.Type == "" {
		return nil, fmt.Errorf("%w: no entry of a session (type)", plimsoll.ErrInvalid)
	}
	if len(l.Payload) > 0 && json.Unmarshal(l.Payload, &p) != nil {
		return nil, nil // an event of another form
	}
	switch l.Type {
	case "session_meta":
		r.id = p.ID
	case "turn_context":
		r.model = p.Model
	case "event_msg":
		if p.Type == "token_count" {
			r.bill(p.Info.Last)
		}
	case "compacted":
		text, err := json.Marshal(map[string]any{"type": "message", "role": "user", "content": []any{map[string]string{"type": "input_text", "text": "compacted: " + p.Message}}})
		if err != nil {
			return nil, err
		}
		r.take(text, Entry{Time: time.Time(l.Time), Summary: true})
	case "response_item":
		if slices.Contains([]string{"ghost_snapshot", "compaction", "compaction_trigger"}, p.Type) {
			return nil, nil // nothing that was said
		}
		r.take(slices.Clone(l.Payload), Entry{Time: time.Time(l.Time)})
	}
	return nil, nil
}

func (r *rollout) take(item json.RawMessage, note Entry) {
	r.items = append(r.items, item)
	r.notes = append(r.notes, note)
}

// bill comes after the items of an answer; it belongs to the first of them.
func (r *rollout) bill(usage json.RawMessage) {
	var u struct {
		Input  int `json:"input_tokens"`
		Cached int `json:"cached_input_tokens"`
		Output int `json:"output_tokens"`
	}
	if len(usage) == 0 || json.Unmarshal(usage, &u) != nil {
		return
	}
	first := -1
	for i := len(r.items) - 1; i >= 0 && answers(r.items[i]) != given; i-- {
		if answers(r.items[i]) == written {
			first = i
		} else if first >= 0 {
			break
		}
	}
	if first >= 0 && r.notes[first].Bill == (plimsoll.Usage{}) {
		r.notes[first].Bill = plimsoll.Usage{Input: max(0, u.Input-u.Cached), CacheRead: u.Cached, Output: u.Output}
	}
}

// side says who an item is from.
type side int

const (
	// given by the user or the instructions.
	given side = iota
	// returned by a tool.
	returned
	// written by the model.
	written
)

func answers(item json.RawMessage) side {
	var p rolloutPayload
	_ = json.Unmarshal(item, &p) // it was read before
	switch p.Type {
	case "message":
		if p.Role == string(plimsoll.Assistant) {
			return written
		}
		return given
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return returned
	}
	return written
}

func (r *rollout) end() ([]*Session, error) {
	if len(r.items) == 0 {
		return nil, nil
	}
	return sessionOf(r.id, r.model, "input", r.items, r.notes)
}
