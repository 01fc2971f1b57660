package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

//go:embed session.json.gz
var recording []byte

// session is a recorded conversation with the places where the model spoke.
type session struct {
	system   []string
	tools    []plimsoll.Tool
	messages []plimsoll.Message
	steps    []step
	// calls and results by the id of the call.
	calls   map[string]plimsoll.ToolCall
	results map[string]string
	// said is every text that is no tool's.
	said map[string]bool
}

// step is one answer of the model.
type step struct {
	// upTo is how many messages stand in front of it.
	upTo int
	says plimsoll.Message
}

// load reads the recording.
func load() (*session, error) {
	z, err := gzip.NewReader(bytes.NewReader(recording))
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	return newSession(request.Conversation()), nil
}

func newSession(c plimsoll.Conversation) *session {
	s := &session{calls: map[string]plimsoll.ToolCall{}, results: map[string]string{}, said: map[string]bool{}}
	for _, t := range c.Tools.All() {
		s.tools = append(s.tools, t)
	}
	for _, m := range c.Messages.All() {
		if m.Role.Instructs() {
			s.system = append(s.system, m.Text())
			continue
		}
		s.add(m)
	}
	return s
}

// add appends a message. Results of calls that were made together stand in one.
func (s *session) add(m plimsoll.Message) {
	var parts []plimsoll.Part
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolCall:
			s.calls[p.ID] = p
			parts = append(parts, p)
		case plimsoll.ToolResult:
			s.results[p.CallID] = plimsoll.TextOf(p.Content)
			p.Name = s.calls[p.CallID].Name
			parts = append(parts, p)
		case plimsoll.Text:
			s.said[p.Text] = true
			parts = append(parts, p)
		}
	}
	if m.Role == plimsoll.Assistant {
		s.steps = append(s.steps, step{upTo: len(s.messages), says: m})
	}
	if last := len(s.messages) - 1; m.Role == plimsoll.ToolRole && s.messages[last].Role == plimsoll.ToolRole {
		together := make([]plimsoll.Part, 0, s.messages[last].Parts.Len()+len(parts))
		for _, p := range s.messages[last].Parts.All() {
			together = append(together, p)
		}
		s.messages[last] = plimsoll.NewMessage(m.Role, append(together, parts...)...)
		return
	}
	s.messages = append(s.messages, plimsoll.NewMessage(m.Role, parts...))
}

// callsOf returns the calls of a message.
func callsOf(m plimsoll.Message) []plimsoll.ToolCall {
	var calls []plimsoll.ToolCall
	for _, p := range m.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// describe says in a few words what a message does.
func describe(m plimsoll.Message) string {
	var words []string
	for _, c := range callsOf(m) {
		words = append(words, describeCall(c))
	}
	if len(words) == 0 {
		return "answers"
	}
	return strings.Join(words, ", ")
}

// describeCall names a tool and what it is asked about.
func describeCall(c plimsoll.ToolCall) string {
	var a struct{ Path, Pattern, Command string }
	_ = json.Unmarshal([]byte(c.Arguments), &a) // one that says nothing is named alone
	about := a.Path
	switch {
	case a.Pattern != "":
		about = a.Pattern
	case a.Command != "":
		about = a.Command
	}
	return strings.TrimSpace(c.Name + " " + about)
}
