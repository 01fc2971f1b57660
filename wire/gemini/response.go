package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// answer is a complete answer, or one chunk of a streamed one.
type answer struct {
	Candidates []candidate     `json:"candidates"`
	Feedback   feedback        `json:"promptFeedback"`
	Usage      json.RawMessage `json:"usageMetadata"`
	Model      string          `json:"modelVersion"`
	Error      json.RawMessage `json:"error"`
}

type candidate struct {
	Index        int             `json:"index"`
	Content      json.RawMessage `json:"content"`
	FinishReason string          `json:"finishReason"`
}

type feedback struct {
	BlockReason string `json:"blockReason"`
}

// ReadResponse reads a complete answer; of several candidates, the first. A list
// is what streamGenerateContent answers to those who do not ask for events: its
// elements are put together.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	answers, err := readAnswers(body)
	if err != nil {
		return wire.Response{}, fmt.Errorf("gemini response: %w: %w", plimsoll.ErrInvalid, err)
	}
	var s assembler
	for _, a := range answers {
		s.take(a)
	}
	return s.Response(), nil
}

func readAnswers(body []byte) ([]answer, error) {
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		var list []answer
		err := json.Unmarshal(body, &list)
		return list, err
	}
	var one answer
	err := json.Unmarshal(body, &one)
	return []answer{one}, err
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
func (s *assembler) Event(_ string, data []byte) {
	answers, err := readAnswers(data)
	if err != nil {
		return
	}
	for _, a := range answers {
		s.take(a)
	}
}

func (s *assembler) take(a answer) {
	s.response.Take(a.Model, a.Usage, a.Error)
	if a.Feedback.BlockReason != "" {
		s.blocked = true
	}
	for _, c := range a.Candidates {
		if c.Index != 0 {
			continue
		}
		s.add(contentParts(c.Content))
		if c.FinishReason != "" {
			s.finish = c.FinishReason
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
