package trim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Input is what [Parse] found.
type Input struct {
	// Messages share the bytes that were parsed.
	Messages []json.RawMessage
	// Model that a request names; empty for a list.
	Model string
}

// ErrNoMessages reports a text that has no messages in it.
var ErrNoMessages = errors.New("no messages found")

// Parse finds the messages in a list of messages, in the body of a chat
// completions request, or in JSON Lines of messages. The messages themselves are
// left to [Messages].
func Parse(data []byte) (Input, error) {
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	bom := len(data) - len(text)
	if begin := bytes.TrimLeft(text, " \t\r\n"); len(begin) == 0 || begin[0] != '[' && begin[0] != '{' {
		return Input{}, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, ErrNoMessages)
	}
	s := rawjson.NewScanner(text)
	value := s.Value().Of(text)
	if err := s.Err(); err != nil {
		return Input{}, located(err, data, bom)
	}
	err := s.End()
	switch {
	case err == nil:
		in, _, err := parseValue(value)
		return in, err
	case value[0] == '[' || bytes.Contains(value, []byte("\n")):
		return Input{}, located(err, data, bom)
	}
	return parseLines(text, data)
}

// parseValue reads a list, a request, or a message that stands alone.
func parseValue(value []byte) (in Input, alone bool, err error) {
	s := rawjson.NewScanner(value)
	if s.Peek() == '[' {
		return Input{Messages: elements(s, value)}, false, nil
	}
	found := false
	for key := range s.Members() {
		switch string(key) {
		case "messages":
			if s.Peek() != '[' {
				return Input{}, false, fmt.Errorf("%w: messages must be a list", plimsoll.ErrInvalid)
			}
			in.Messages, found = elements(s, value), true
		case "model":
			if t, ok := s.String(); ok {
				in.Model = strings.Clone(t.Decode(value))
			}
		case "role", "content":
			alone = true
		}
	}
	switch {
	case found:
		return in, false, nil
	case alone:
		return Input{Messages: []json.RawMessage{value}}, true, nil
	}
	return Input{}, false, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, ErrNoMessages)
}

func elements(s *rawjson.Scanner, data []byte) []json.RawMessage {
	messages := []json.RawMessage{}
	for range s.Elements() {
		messages = append(messages, s.Value().Of(data))
	}
	return messages
}

// parseLines reads a message a line. The data is the text with what stood before
// it.
func parseLines(text, data []byte) (Input, error) {
	var in Input
	offset := len(data) - len(text)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if value := bytes.TrimRight(line, " \t\r\n"); len(value) > 0 {
			s := rawjson.NewScanner(value)
			found := s.Value()
			if err := s.End(); err != nil {
				return Input{}, located(err, data, offset)
			}
			one, alone, err := parseValue(found.Of(value))
			if err == nil && !alone {
				err = fmt.Errorf("%w: want one message a line", plimsoll.ErrInvalid)
			}
			if err != nil {
				return Input{}, fmt.Errorf("line %d: %w", number, err)
			}
			in.Messages = append(in.Messages, one.Messages...)
		}
		offset += len(line)
	}
	return in, nil
}

// located adds the line and the byte to a mistake in a part of the data that
// begins at an offset.
func located(err error, data []byte, offset int) error {
	var syntax *rawjson.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(offset+syntax.Offset, len(data))
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	return fmt.Errorf("line %d, byte %d: %w: found %s, want %s", line, at, plimsoll.ErrInvalid, syntax.Found, syntax.Expected)
}
