package trim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// message is what trimming looks at.
type message struct {
	role string
	// text of the content, as it is counted and embedded.
	text string
}

// weigh returns the tokens of the content plus those around it.
func (m message) weigh(c plimsoll.Counter) int { return c.Count(m.text) + framing }

func readMessages(raw []json.RawMessage) ([]message, error) {
	all := make([]message, len(raw))
	for i, r := range raw {
		var err error
		if all[i], err = readMessage(r); err != nil {
			return nil, fmt.Errorf("message %d: %w: %w", i, plimsoll.ErrInvalid, err)
		}
	}
	return all, nil
}

var errNoMessage = errors.New("a message is a JSON object")

// readMessage reads one message. Of members with equal names the last one
// counts. A missing content is an empty text.
func readMessage(raw []byte) (message, error) {
	var m message
	var content rawjson.Span
	s := rawjson.NewScanner(raw)
	object := s.Peek() == '{'
	for key := range s.Members() {
		switch string(key) {
		case "role":
			t, _ := s.String()
			m.role = ""
			if !t.IsZero() {
				m.role = strings.Clone(t.Decode(raw))
			}
		case "content":
			content = s.Value()
		}
	}
	if err := s.End(); err != nil {
		return message{}, err
	}
	if !object {
		return message{}, errNoMessage
	}
	if content.IsZero() {
		return m, nil
	}
	var err error
	m.text, err = pythonText(content.Of(raw))
	return m, err
}

// joined returns the texts of the messages, a line break between them.
func joined(messages []message) string {
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = m.text
	}
	return strings.Join(texts, "\n")
}

// pairsOf returns the messages of each tool call and its result.
func pairsOf(messages []json.RawMessage) ([][]int, error) {
	list := make([][]byte, len(messages))
	for i, m := range messages {
		list[i] = m
	}
	body := append(append([]byte(`{"messages":[`), bytes.Join(list, []byte(","))...), "]}"...)
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		return nil, fmt.Errorf("find tool calls and their results: %w", err)
	}
	c := request.Conversation()
	for i, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if o, ok := p.(plimsoll.Opaque); ok && (o.Kind == "tool_use" || o.Kind == "tool_result") {
				return nil, fmt.Errorf("find tool calls and their results: message %d: %w: %s is a block of Anthropic's API", i, plimsoll.ErrUnsupported, o.Kind)
			}
		}
	}
	var groups [][]int
	for _, p := range c.Outline().Pairs {
		groups = append(groups, []int{p.Call.Message, p.Result.Message})
	}
	return groups, nil
}
