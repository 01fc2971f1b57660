package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// lines collects what the lines of a file hold.
type lines struct {
	// messages are those that have a line each; they form one conversation, of
	// which an agent's session may name the model and the dialect.
	messages []plimsoll.Message
	model    string
	dialect  plimsoll.Dialect
	// raw are the lines of messages that are written as in a request.
	raw [][]byte
	// all are the conversations that have a line each.
	all []plimsoll.Conversation
}

// parseLines reads JSON Lines. Lines that are messages form one conversation;
// lines that hold conversations are one each. Mixing them is an error.
func parseLines(data []byte) ([]plimsoll.Conversation, error) {
	var found lines
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if err := found.add(line); err != nil {
			if number == 1 && !json.Valid(line) {
				err = errNoConversation
			}
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return found.conversations()
}

// add reads one more line. What is no conversation makes the file another kind of
// file at its beginning, and is a mistake further on.
func (l *lines) add(line []byte) error {
	began := len(l.messages)+len(l.all) > 0
	kind, err := l.parse(line)
	switch {
	case began && errors.Is(err, errNoConversation):
		return fmt.Errorf("%w: neither a message (role) nor a conversation (messages)", plimsoll.ErrInvalid)
	case err != nil:
		return err
	case len(l.messages) > 0 && len(l.all) > 0:
		return fmt.Errorf("%w: a %s among lines of the other kind", plimsoll.ErrInvalid, kind)
	}
	return nil
}

func (l *lines) parse(line []byte) (kind string, err error) {
	if line[0] != '{' && json.Valid(line) {
		return "", fmt.Errorf("%w: a line must be an object", errNoConversation)
	}
	head, err := parseHead(line)
	if err != nil {
		return "", err
	}
	if head.Messages != nil {
		c, err := head.conversation()
		l.all = append(l.all, c)
		return "conversation", err
	}
	if c, ok, err := requestBody(line); ok {
		l.all = append(l.all, c)
		return "conversation", err
	}
	var entry sessionEntry
	if !hasRole(line) && json.Unmarshal(line, &entry) == nil && entry.Type != "" {
		return entry.read(l)
	}
	var m wireMessage
	if !hasRole(line) {
		return "", fmt.Errorf("%w: neither a message (role) nor a conversation (messages)", errNoConversation)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return "", jsonError(err)
	}
	parsed, err := m.message()
	l.messages = append(l.messages, parsed)
	l.raw = append(l.raw, line)
	return "message", err
}

func (l *lines) conversations() ([]plimsoll.Conversation, error) {
	if len(l.messages) > 0 {
		c := conversationOf(l.messages)
		c.Model = l.model
		if l.dialect != "" {
			c.Dialect = l.dialect
		}
		if len(l.raw) == len(l.messages) {
			c = asSent(c, wrapped(append(append([]byte{'['}, bytes.Join(l.raw, []byte(","))...), ']')))
		}
		l.all = append(l.all, c)
	}
	if len(l.all) == 0 {
		return nil, errNoConversation
	}
	return l.all, nil
}

// validLines says whether every line is JSON.
func validLines(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}
