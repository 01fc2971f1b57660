package openai

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// answer is a complete answer, or one chunk of a streamed one.
type answer struct {
	Model   string          `json:"model"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Choices []choice        `json:"choices"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      *said   `json:"message"`
	Delta        *said   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

// said is what the assistant said, whole or in part.
type said struct {
	Content          prose      `json:"content"`
	Refusal          prose      `json:"refusal"`
	ReasoningContent prose      `json:"reasoning_content"`
	Reasoning        prose      `json:"reasoning"`
	ToolCalls        []saidCall `json:"tool_calls"`
	FunctionCall     *function  `json:"function_call"`
}

// read fills in an answer, which is good for as long as body is.
func read(body []byte) (answer, error) {
	if a, ok := quick(body); ok {
		return a, nil
	}
	return readAny(body)
}

// readAny reads an answer of any form. A member of a kind that it should not have is
// left out, so that the usage beside it is not lost.
func readAny(body []byte) (answer, error) {
	var a answer
	err := json.Unmarshal(body, &a)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		err = nil
	}
	return a, err
}

// ReadResponse reads a complete answer; of several choices, the first.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	a, err := read(body)
	if err != nil {
		return wire.Response{}, fmt.Errorf("openai response: %w: %w", plimsoll.ErrInvalid, err)
	}
	s := assembler{calls: calls{whole: true}}
	s.take(a)
	for i := range a.Choices {
		if a.Choices[i].Index == 0 && a.Choices[i].Message != nil {
			s.add(a.Choices[i].Message)
		}
	}
	return s.Response(), nil
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{} }

// assembler joins the deltas of choice 0.
type assembler struct {
	response  wire.Response
	text      []byte
	reasoning []byte
	calls     calls
	done      bool
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one chunk. "[DONE]" ends the stream.
func (s *assembler) Event(_ string, data []byte) {
	if string(data) == "[DONE]" {
		s.done = true
		return
	}
	a, err := read(data)
	if err != nil {
		return
	}
	s.take(a)
	for i := range a.Choices {
		if a.Choices[i].Index == 0 && a.Choices[i].Delta != nil {
			s.add(a.Choices[i].Delta)
		}
	}
}

func (s *assembler) take(a answer) {
	s.response.Take(a.Model, a.Usage, a.Error)
	for _, c := range a.Choices {
		if c.Index == 0 && c.FinishReason != nil {
			s.response.Stop = stopReason(*c.FinishReason)
		}
	}
}

// add joins what a chunk says. Servers that are changing the name of their
// reasoning send it under both.
func (s *assembler) add(m *said) {
	thought := m.ReasoningContent.text
	if thought == "" {
		thought = m.Reasoning.text
	}
	s.reasoning = append(s.reasoning, thought...)
	s.reasoning = append(s.reasoning, m.Content.thought...)
	s.text = append(s.text, m.Content.text...)
	s.text = append(s.text, m.Refusal.text...)
	for i := range m.ToolCalls {
		s.calls.add(&m.ToolCalls[i])
	}
	if m.FunctionCall != nil {
		s.calls.add(&saidCall{Function: *m.FunctionCall})
	}
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	var parts []plimsoll.Part
	if len(s.reasoning) > 0 {
		parts = append(parts, plimsoll.Reasoning{Text: string(s.reasoning)})
	}
	if len(s.text) > 0 {
		parts = append(parts, plimsoll.Text{Text: string(s.text)})
	}
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, append(parts, s.calls.parts()...)...)
	return r
}

// Done reports whether "[DONE]" came.
func (s *assembler) Done() bool { return s.done }

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
