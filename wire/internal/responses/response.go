package responses

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// ReadResponse reads a complete answer, or the error in its place.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	a, err := readAnswer(body)
	if err != nil {
		return wire.Response{}, err
	}
	r := a.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, slices.Concat(partsOf(a.items)...)...)
	r.Stop = stopReason(a.status, a.reason, r.Message)
	return r, nil
}

// answer is a response object: the answer itself, or what an event of a stream
// tells of it.
type answer struct {
	response       wire.Response
	status, reason string
	items          *decoder
}

func readAnswer(body []byte) (*answer, error) {
	a := &answer{items: newDecoder(body)}
	s := a.items.scanner
	if s.Peek() != '{' {
		return nil, fmt.Errorf("responses answer: no object: %w", errors.Join(plimsoll.ErrInvalid, s.Err()))
	}
	var failed error
	for key := range s.Members() {
		if err := a.member(rawjson.View(key)); err != nil && failed == nil {
			failed = err
		}
	}
	if err := s.End(); err != nil {
		return nil, fmt.Errorf("responses answer: %w: %w", plimsoll.ErrInvalid, err)
	}
	if failed != nil {
		return nil, fmt.Errorf("responses answer: %w", failed)
	}
	return a, nil
}

func (a *answer) member(key string) error {
	d := a.items
	s, body := d.scanner, d.layout.Body
	switch key {
	case "model":
		a.response.Model = s.Text()
	case "status":
		a.status = s.Text()
	case "incomplete_details":
		for inner := range s.Members() {
			if string(inner) == "reason" {
				a.reason = s.Text()
			}
		}
	case "error":
		a.response.Error = wire.ParseAPIError(s.Value().Of(body))
	case "usage":
		if u, err := wire.ParseUsage(s.Value().Of(body)); err == nil {
			a.response.Usage, a.response.HasUsage = u, true
		}
	case "output":
		d.reset()
		if s.Peek() == '[' {
			return d.items(key)
		}
		s.Value()
	default:
		s.Value()
	}
	return nil
}

// partsOf returns the parts of each item of an answer. A call that the same answer
// brings the output of was run by the server; both are carried whole.
func partsOf(d *decoder) [][]plimsoll.Part {
	messages := wire.NewRequest(plimsoll.Responses, d.layout, d.writer).Conversation().Messages
	all := make([][]plimsoll.Part, messages.Len())
	served := map[string]bool{}
	for i := range all {
		all[i] = messages.At(i).Parts.Slice()
		for _, p := range all[i] {
			if r, ok := p.(plimsoll.ToolResult); ok {
				served[r.CallID] = true
			}
		}
	}
	for i, parts := range all {
		for j, p := range parts {
			call, isCall := p.(plimsoll.ToolCall)
			if _, isResult := p.(plimsoll.ToolResult); isResult || isCall && served[call.ID] {
				f := again(d.layout.Body, d.layout.Messages.Items[i])
				all[i][j] = plimsoll.Opaque{Kind: f.kind, Raw: f.raw.View(d.layout.Body)}
			}
		}
	}
	return all
}

func stopReason(status, reason string, m plimsoll.Message) wire.Stop {
	switch {
	case status == "completed" && plimsoll.Has[plimsoll.ToolCall](m):
		return wire.StopTools
	case status == "completed":
		return wire.StopEnd
	case status == "incomplete" && reason == "max_output_tokens":
		return wire.StopLength
	case status == "incomplete" && reason == "content_filter":
		return wire.StopFiltered
	}
	return wire.StopUnknown
}

// readable reports whether a text is one item that can be read.
func readable(raw []byte) bool {
	d := newDecoder(raw)
	if d.scanner.Peek() != '{' {
		return false
	}
	_, err := d.fields()
	return err == nil
}
