package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
)

// conversations are lines that hold a list of messages each. A line with an id is a
// whole conversation. One without is a request: the next one that begins with the
// same messages goes on with it.
type conversations struct {
	open []*Session
}

// maxOpen is how many conversations may be under way at a time in recorded requests.
const maxOpen = 16

// record is a line.
type record struct {
	ID        string          `json:"id"`
	SessionID string          `json:"session_id"`
	Format    string          `json:"format"`
	Request   json.RawMessage `json:"request"`
	Usage     json.RawMessage `json:"usage"`
	Time      stamp           `json:"ts"`
	Messages  []annotation    `json:"messages"`
}

// annotation is what stands beside a message.
type annotation struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Time      stamp           `json:"ts"`
	Usage     json.RawMessage `json:"usage"`
	Requestor string          `json:"requestor"`
	Summary   bool            `json:"compact_summary"`
}

func (c *conversations) add(line []byte) ([]*Session, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, err)
	}
	body := line
	if r.Request != nil {
		body = r.Request
	}
	s, err := r.session(body)
	if err != nil {
		return nil, err
	}
	if r.whole() {
		return []*Session{s}, nil
	}
	return c.follow(s, r), nil
}

// whole reports whether the record is a conversation and no request.
func (r record) whole() bool {
	return r.Request == nil && (r.ID != "" || r.SessionID != "" || r.Format != "")
}

func (r record) session(body []byte) (*Session, error) {
	parsed, err := transcript.Parse(bytes.Clone(body), transcript.JSON)
	if err != nil {
		return nil, err
	}
	conversation := parsed.Conversations[0]
	s := &Session{
		ID: r.ID, Model: conversation.Model, Dialect: conversation.Dialect,
		System: solidParts(conversation.System), Tools: conversation.Tools, Complete: !r.whole(),
	}
	if s.Model == "" && !r.whole() {
		s.Model = preset.DefaultModel(s.Dialect) // as every way in counts such a request
	}
	if s.ID == "" {
		s.ID = r.SessionID
	}
	for i, m := range conversation.Messages.All() {
		e := entryOf(m)
		if i < len(r.Messages) && len(r.Messages) == conversation.Messages.Len() {
			n := r.Messages[i]
			e.Time, e.Bill, e.Summary = time.Time(n.Time), billOf(n.Usage), n.Summary
			if n.Requestor == "user" && (m.Role == plimsoll.ToolRole || plimsoll.Has[plimsoll.ToolCall](m)) {
				continue // a simulated user's own tools, which no model knew
			}
		}
		if spoken(e.Message) {
			s.Entries = append(s.Entries, e)
		}
	}
	return s, nil
}

// spoken reports whether a message is one that a model reads.
func spoken(m plimsoll.Message) bool {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole:
		return m.Parts.Len() > 0
	}
	return false
}

func billOf(usage json.RawMessage) plimsoll.Usage {
	if len(usage) == 0 {
		return plimsoll.Usage{}
	}
	u, err := wire.ParseUsage(usage)
	if err != nil {
		return plimsoll.Usage{}
	}
	return u
}

// follow adds a request to the conversation that it goes on with, or begins one.
func (c *conversations) follow(s *Session, r record) []*Session {
	s.Unanswered = len(s.Entries) > 0 && s.Entries[len(s.Entries)-1].Message.Role != plimsoll.Assistant
	at := slices.IndexFunc(c.open, func(earlier *Session) bool { return extends(s.Entries, earlier.Entries) })
	var earlier *Session
	if at >= 0 {
		earlier = c.open[at]
		c.open = slices.Delete(c.open, at, at+1)
		for i := range earlier.Entries {
			s.Entries[i].Time, s.Entries[i].Bill = earlier.Entries[i].Time, earlier.Entries[i].Bill
		}
		s.ID = earlier.ID
	}
	if n := len(s.Entries); n > 0 && !time.Time(r.Time).IsZero() {
		s.Entries[n-1].Time = time.Time(r.Time)
	}
	c.open = append(c.open, s)
	if len(c.open) <= maxOpen {
		return nil
	}
	done := c.open[0]
	c.open = slices.Delete(c.open, 0, 1)
	return []*Session{done}
}

// extends reports whether a history begins with another.
func extends(longer, shorter []Entry) bool {
	if len(longer) <= len(shorter) || len(shorter) == 0 {
		return false
	}
	for i := range shorter {
		if longer[i].Message.Digest != shorter[i].Message.Digest {
			return false
		}
	}
	return true
}

func (c *conversations) end() ([]*Session, error) {
	open := c.open
	c.open = nil
	return open, nil
}

// stamp is a time in any of the forms that records have: RFC 3339 with or without a
// zone, seconds or milliseconds. What cannot be read is no time.
type stamp time.Time

// UnmarshalJSON reads the time.
func (s *stamp) UnmarshalJSON(data []byte) error {
	var number float64
	if json.Unmarshal(data, &number) == nil {
		if number > 1e11 {
			number /= 1000
		}
		*s = stamp(time.UnixMicro(int64(number * 1e6)).UTC())
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) != nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			*s = stamp(t.UTC())
			return nil
		}
	}
	return nil
}
