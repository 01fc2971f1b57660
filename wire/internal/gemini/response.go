package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// ReadResponse reads a complete answer; of several candidates, the first. A list
// is what streamGenerateContent answers to those who do not ask for events: its
// elements are put together.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	if !json.Valid(body) {
		return wire.Response{}, fmt.Errorf("gemini response: %w: no JSON", plimsoll.ErrInvalid)
	}
	var s assembler
	if !s.read(body) {
		return wire.Response{}, fmt.Errorf("gemini response: %w: expected an object or a list of them", plimsoll.ErrInvalid)
	}
	return s.Response(), nil
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{} }

// assembler joins the chunks of candidate 0.
type assembler struct {
	response wire.Response
	parts    []plimsoll.Part
	// growing is the text of the last part while chunks add to it.
	growing []byte
	finish  string
	blocked bool
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one chunk. Errors may come as a list of one.
func (s *assembler) Event(_ string, data []byte) { s.read(data) }

// read takes a chunk or a list of chunks. It reports false for anything else.
func (s *assembler) read(data []byte) bool {
	chunks := [][]byte{data}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte{'['}) {
		chunks = rawjson.Items(data)
	}
	for _, raw := range chunks {
		c := readChunk(raw, nil)
		if !c.isAnswer {
			return false
		}
		s.take(c)
	}
	return true
}

func (s *assembler) take(c chunk) {
	build.Take(&s.response, rawjson.MemberText(c.data, "modelVersion"), c.usage, c.failure)
	s.blocked = s.blocked || c.blocked
	for _, candidate := range c.candidates {
		if candidate.first {
			s.add(contentParts(bytes.Clone(candidate.content)))
			s.finish = cmp.Or(candidate.finish, s.finish)
		}
	}
}

// contentParts reads the parts as they are read in the next request.
func contentParts(content []byte) []plimsoll.Part {
	d := newDecoder(content)
	if d.scanner.Peek() != '{' {
		return nil
	}
	m, _, err := d.content(0)
	if err != nil {
		return nil
	}
	return m.Parts.Slice()
}

// add takes the parts of a chunk. The first may go on with the last of the chunk
// before.
func (s *assembler) add(parts []plimsoll.Part) {
	for i, p := range parts {
		if t, ok := p.(plimsoll.Text); ok && t.Text == "" {
			continue
		}
		if i == 0 && s.join(p) {
			continue
		}
		s.settle()
		s.parts = append(s.parts, p)
	}
}

// join adds to the last part if p goes on with it: text with text, thinking with
// thinking that is not signed yet.
func (s *assembler) join(p plimsoll.Part) bool {
	if len(s.parts) == 0 {
		return false
	}
	last := &s.parts[len(s.parts)-1]
	switch next := p.(type) {
	case plimsoll.Text:
		before, ok := (*last).(plimsoll.Text)
		if ok {
			s.grow(before.Text, next.Text)
		}
		return ok
	case plimsoll.Reasoning:
		before, ok := (*last).(plimsoll.Reasoning)
		if !ok || before.Signature != "" || next.Redacted {
			return false
		}
		s.grow(before.Text, next.Text)
		before.Signature = next.Signature
		*last = before
		return true
	}
	return false
}

func (s *assembler) grow(before, more string) {
	if s.growing == nil {
		s.growing = []byte(before)
	}
	s.growing = append(s.growing, more...)
}

// settle puts the text that has grown into its part.
func (s *assembler) settle() {
	if s.growing == nil {
		return
	}
	switch last := s.parts[len(s.parts)-1].(type) {
	case plimsoll.Text:
		last.Text = string(s.growing)
		s.parts[len(s.parts)-1] = last
	case plimsoll.Reasoning:
		last.Text = string(s.growing)
		s.parts[len(s.parts)-1] = last
	}
	s.growing = nil
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	s.settle()
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, s.parts...)
	r.Stop = stopReason(s.finish)
	switch {
	case r.Stop == wire.StopEnd && plimsoll.Has[plimsoll.ToolCall](r.Message):
		r.Stop = wire.StopTools
	case s.finish == "" && s.blocked:
		r.Stop = wire.StopFiltered
	}
	return r
}

// Done reports whether the answer was finished, or the prompt blocked. Nothing
// else marks the end of a stream.
func (s *assembler) Done() bool { return s.finish != "" || s.blocked }

func stopReason(s string) wire.Stop {
	switch s {
	case "STOP":
		return wire.StopEnd
	case "MAX_TOKENS":
		return wire.StopLength
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return wire.StopFiltered
	}
	return wire.StopUnknown
}
