package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// entries are the lines of a session that an agent keeps, Claude Code or pi: messages
// among other events. Lines that are bare messages are read alike. The file is one
// session.
type entries struct {
	id, model string
	said      []partialMessage
}

// logLine is a line.
type logLine struct {
	Type      string          `json:"type"`
	SessionID string          `json:"sessionId"`
	ID        string          `json:"id"`
	Time      stamp           `json:"timestamp"`
	Message   json.RawMessage `json:"message"`
	SideChain bool            `json:"isSidechain"`
	Summary   bool            `json:"isCompactSummary"`
}

// entryMessage is the message of a line.
type entryMessage struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Model      string          `json:"model"`
	Content    json.RawMessage `json:"content"`
	Usage      json.RawMessage `json:"usage"`
	Time       stamp           `json:"ts"`
	ToolCalls  json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id"`
	// pi's words for a result.
	CallID  string `json:"toolCallId"`
	IsError bool   `json:"isError"`
}

// partialMessage is a message in Anthropic's form, in the making.
type partialMessage struct {
	id      string
	role    string
	blocks  []json.RawMessage
	results bool
	note    Entry
	// raw is a message in OpenAI's form, taken as it is.
	raw json.RawMessage
}

func (e *entries) add(line []byte) ([]*Session, error) {
	var in logLine
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, err)
	}
	var m entryMessage
	switch {
	case in.SideChain:
		return nil, nil
	case len(in.Message) > 0:
		if json.Unmarshal(in.Message, &m) != nil || m.Role == "" {
			return nil, nil // an event
		}
	case in.Type != "":
		e.event(in)
		return nil, nil
	default:
		if err := json.Unmarshal(line, &m); err != nil || m.Role == "" {
			return nil, fmt.Errorf("%w: neither a message (role) nor an entry (type)", plimsoll.ErrInvalid)
		}
		if m.ToolCalls != nil || m.Role == string(plimsoll.ToolRole) || m.Role == string(plimsoll.System) || m.Role == string(plimsoll.Developer) {
			e.said = append(e.said, partialMessage{role: m.Role, raw: slices.Clone(line), note: Entry{Time: time.Time(m.Time), Bill: billOf(m.Usage)}})
			return nil, nil
		}
		in.Time = m.Time
	}
	if e.id == "" {
		e.id = in.SessionID
	}
	if m.Model != "" && m.Model[0] != '<' {
		e.model = m.Model
	}
	return nil, e.take(in, m)
}

// event takes what a line without a message says.
func (e *entries) event(in logLine) {
	switch in.Type {
	case "session":
		e.id = in.ID
	case "compaction":
		e.said = append(e.said, partialMessage{role: "user", note: Entry{Summary: true, Time: time.Time(in.Time)}, blocks: []json.RawMessage{json.RawMessage(`{"type":"text","text":"compacted"}`)}})
	}
}

// take adds a message. An answer that was written down block by block becomes one
// again, and so do the results of its calls.
func (e *entries) take(in logLine, m entryMessage) error {
	blocks, results, err := m.blocks()
	if err != nil || len(blocks) == 0 {
		return err
	}
	note := Entry{Time: time.Time(in.Time), Bill: billOf(m.Usage), Summary: in.Summary}
	if note.Bill == (plimsoll.Usage{}) {
		note.Bill = piBill(m.Usage)
	}
	role := m.Role
	if role != string(plimsoll.Assistant) {
		role = string(plimsoll.User)
	}
	if role == string(plimsoll.Assistant) && m.ID != "" {
		for i := len(e.said) - 1; i >= 0 && i >= len(e.said)-2; i-- {
			if e.said[i].id == m.ID {
				e.said[i].blocks = append(e.said[i].blocks, blocks...)
				e.said[i].note.Bill = note.Bill
				return nil
			}
		}
	}
	if n := len(e.said); results && n > 0 && e.said[n-1].results {
		e.said[n-1].blocks = append(e.said[n-1].blocks, blocks...)
		return nil
	}
	e.said = append(e.said, partialMessage{id: m.ID, role: role, blocks: blocks, results: results, note: note})
	return nil
}

// blocks returns the content as Anthropic's blocks, and whether these are results.
func (m entryMessage) blocks() ([]json.RawMessage, bool, error) {
	if m.Role == "toolResult" {
		block, err := json.Marshal(map[string]any{"type": "tool_result", "tool_use_id": m.CallID, "content": m.Content, "is_error": m.IsError})
		return []json.RawMessage{block}, true, err
	}
	if m.Role != string(plimsoll.User) && m.Role != string(plimsoll.Assistant) {
		return nil, false, nil
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		if text == "" {
			return nil, false, nil
		}
		block, err := json.Marshal(map[string]string{"type": "text", "text": text})
		return []json.RawMessage{block}, false, err
	}
	var blocks []json.RawMessage
	if err := json.Unmarshal(m.Content, &blocks); err != nil {
		return nil, false, fmt.Errorf("%w: content is neither a text nor a list", plimsoll.ErrInvalid)
	}
	results := false
	for i, b := range blocks {
		var call struct {
			Type      string          `json:"type"`
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(b, &call); err != nil {
			return nil, false, fmt.Errorf("%w: content block %d: %w", plimsoll.ErrInvalid, i, err)
		}
		results = results || call.Type == "tool_result"
		if call.Type == "toolCall" {
			var err error
			if blocks[i], err = json.Marshal(map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": call.Arguments}); err != nil {
				return nil, false, err
			}
		}
	}
	return blocks, results, nil
}

// piBill reads the usage as pi writes it.
func piBill(usage json.RawMessage) plimsoll.Usage {
	var u struct{ Input, Output, CacheRead, CacheWrite int }
	if len(usage) == 0 || json.Unmarshal(usage, &u) != nil {
		return plimsoll.Usage{}
	}
	return plimsoll.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheCreation: u.CacheWrite}
}

func (e *entries) end() ([]*Session, error) {
	if len(e.said) == 0 {
		return nil, nil
	}
	messages, notes := make([]json.RawMessage, len(e.said)), make([]Entry, len(e.said))
	for i, s := range e.said {
		messages[i], notes[i] = s.raw, s.note
		if s.raw == nil {
			raw, err := json.Marshal(map[string]any{"role": s.role, "content": s.blocks})
			if err != nil {
				return nil, err
			}
			messages[i] = raw
		}
	}
	return sessionOf(e.id, e.model, "messages", messages, notes)
}

// sessionOf makes a session of the elements of a request, which are in the named list. A note
// says of each what the request does not.
func sessionOf(id, model, list string, elements []json.RawMessage, notes []Entry) ([]*Session, error) {
	body, err := json.Marshal(map[string]any{"model": model, list: elements})
	if err != nil {
		return nil, err
	}
	parsed, err := transcript.Parse(body, transcript.JSON)
	if err != nil {
		return nil, err
	}
	c := parsed.Conversations[0]
	if c.Messages.Len() != len(elements) {
		return nil, fmt.Errorf("%w: of %d elements of %s %d were understood", plimsoll.ErrInvalid, len(elements), list, c.Messages.Len())
	}
	s := &Session{ID: id, Model: model, Dialect: c.Dialect}
	for i, m := range c.Messages.All() {
		e := entryOf(m)
		e.Time, e.Bill, e.Summary = notes[i].Time, notes[i].Bill, notes[i].Summary
		s.Entries = append(s.Entries, e)
	}
	return []*Session{s}, nil
}
