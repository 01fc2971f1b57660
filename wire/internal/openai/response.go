package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// answer is a complete answer, or one chunk of a streamed one. It shares the bytes of
// the body. A member of a kind that it should not have is left out.
type answer struct {
	// head are the members that all chunks of an answer share.
	head           []rawMember
	usage, failure []byte
	// groq is the usage that Groq puts into the last chunk of a stream, whether it was asked
	// for usage or not.
	groq    []byte
	choices []choice
}

// choice is one of the model's answers, whole or in part.
type choice struct {
	at    rawjson.Span
	index int
	// said is the message or the delta.
	said []byte
	// finish is the reason why it ended, still quoted; nil if it has not ended.
	finish []byte
}

// readAnswer reads an answer. Said is "message", or "delta" in a stream. An error is one
// of the JSON.
func readAnswer(body []byte, said string) (answer, error) {
	var a answer
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return a, fmt.Errorf("openai response: %w: expected an object", plimsoll.ErrInvalid)
	}
	for key := range s.Members() {
		switch string(key) {
		case "id", "created", "model", "system_fingerprint":
			a.head = append(a.head, rawMember{string(key), s.Value().Of(body)})
		case "usage":
			if value := s.Value().Of(body); opensObject(value) {
				a.usage = value
			}
		case "x_groq":
			if value := rawjson.Member(s.Value().Of(body), "usage"); opensObject(value) {
				a.groq = value
			}
		case "error":
			if value := s.Value().Of(body); string(value) != "null" {
				a.failure = value
			}
		case "object": // older servers of open models stream an error without a name
			if string(s.Value().Of(body)) == `"error"` {
				a.failure = body
			}
		case "choices":
			if s.Peek() != '[' {
				continue
			}
			a.choices = nil
			for range s.Elements() {
				a.choices = append(a.choices, readChoice(s, body, said))
			}
		}
	}
	if err := s.End(); err != nil {
		return answer{}, fmt.Errorf("openai response: %w: %w", plimsoll.ErrInvalid, err)
	}
	return a, nil
}

func readChoice(s *rawjson.Scanner, body []byte, said string) (c choice) {
	kind := s.Peek()
	c.at = rawjson.Span{Start: s.Offset()}
	if kind != '{' {
		c.at = s.Value()
		return c
	}
	for key := range s.Members() {
		switch string(key) {
		case "index":
			c.index, _ = s.Int()
		case said:
			if value := s.Value().Of(body); opensObject(value) {
				c.said = value
			}
		case "finish_reason":
			if value := s.Value().Of(body); rawjson.IsString(value) {
				c.finish = value
			}
		}
	}
	c.at.End = s.Offset()
	return c
}

func (a *answer) member(key string) []byte {
	for _, m := range a.head {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// billed returns the usage, wherever it stands.
func (a *answer) billed() []byte {
	if a.usage == nil {
		return a.groq
	}
	return a.usage
}

// opensObject tells an object from other values that a scanner has found.
func opensObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// isDone reports whether the data of an event ends the stream.
func isDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// ReadResponse reads a complete answer; of several choices, the first.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	a, err := readAnswer(body, "message")
	if err != nil {
		return wire.Response{}, err
	}
	s := assembler{message: answerMessage{whole: true}}
	s.take(a)
	return s.Response(), nil
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{} }

// assembler joins the deltas of choice 0.
type assembler struct {
	response wire.Response
	message  answerMessage
	done     bool
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one chunk. "[DONE]" ends the stream.
func (s *assembler) Event(_ string, data []byte) {
	if isDone(data) {
		s.done = true
		return
	}
	if a, err := readAnswer(data, "delta"); err == nil {
		s.take(a)
	}
}

func (s *assembler) take(a answer) {
	build.Take(&s.response, rawjson.Unquoted(bytes.Clone(a.member("model"))), a.billed(), a.failure)
	for _, c := range a.choices {
		if c.index != 0 {
			continue
		}
		if c.finish != nil {
			s.response.Stop = stopReason(rawjson.Unquoted(c.finish))
		}
		s.message.add(c.said)
	}
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, s.message.plimsollParts()...)
	return r
}

// Done reports whether "[DONE]" came.
func (s *assembler) Done() bool { return s.done }

// plimsollParts returns the message as it would be read from the next request: the calls
// in the order of their numbers. A call that has neither a name nor arguments is none.
func (a *answerMessage) plimsollParts() (parts []plimsoll.Part) {
	text, thought := a.said()
	if thought != "" {
		parts = append(parts, plimsoll.Reasoning{Text: thought})
	}
	if text != "" {
		parts = append(parts, plimsoll.Text{Text: text})
	}
	all := slices.Concat(a.calls.all, a.functions.all)
	slices.SortStableFunc(all, func(a, b *answerCall) int { return cmp.Compare(a.index, b.index) })
	for _, c := range all {
		if !c.isEmpty() {
			parts = append(parts, c.toolCall())
		}
	}
	return parts
}

// said returns the text of the message, with a refusal, and its reasoning.
func (a *answerMessage) said() (text, thought string) {
	thought = rawjson.Unquoted(rawjson.InQuotes(a.thought))
	for _, p := range a.parts {
		text += rawjson.MemberText(p, "text") + rawjson.MemberText(p, "refusal")
		thinking := rawjson.Member(p, "thinking")
		thought += rawjson.Unquoted(thinking)
		for _, inner := range rawjson.Items(thinking) {
			thought += rawjson.MemberText(inner, "text")
		}
	}
	text += rawjson.Unquoted(rawjson.InQuotes(a.content))
	for _, m := range a.prose {
		if m.key == "refusal" {
			text += rawjson.Unquoted(rawjson.InQuotes(m.value))
		}
	}
	return text, thought
}

func stopReason(s string) wire.Stop {
	switch s {
	case "stop":
		return wire.StopEnd
	case "tool_calls", "function_call":
		return wire.StopTools
	case "length":
		return wire.StopLength
	case "content_filter":
		return wire.StopFiltered
	case "model_context_window_exceeded":
		return wire.StopContext
	}
	return wire.StopUnknown
}
