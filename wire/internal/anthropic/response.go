package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// ReadResponse reads a complete answer, or the error in its place. The body may
// be used for something else afterwards.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	d := newDecoder(bytes.Clone(body))
	s := d.scanner
	var r wire.Response
	var parts []plimsoll.Part
	if s.Peek() != '{' {
		return r, fmt.Errorf("anthropic response: %w: expected an object", plimsoll.ErrInvalid)
	}
	var bill usage
	for key := range s.Members() {
		switch string(key) {
		case "model":
			r.Model = d.scanner.Text()
		case "content":
			parts = d.answer()
		case "stop_reason":
			r.Stop = stopReason(d.scanner.Text())
		case "usage":
			bill.merge(s.Value().Of(d.layout.Body))
		case "error":
			r.Error = apiError(s.Value().Of(d.layout.Body))
		}
	}
	if err := s.End(); err != nil {
		return wire.Response{}, fmt.Errorf("anthropic response: %w: %w", plimsoll.ErrInvalid, err)
	}
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, parts...)
	r.Usage, r.HasUsage = bill.total()
	return r, nil
}

// answer reads the blocks of an answer, which are those of a request.
func (d *decoder) answer() []plimsoll.Part {
	if d.scanner.Peek() != '[' {
		d.scanner.Value()
		return nil
	}
	var parts []plimsoll.Part
	id := layout.NewIdentity()
	for range d.scanner.Elements() {
		parts = append(parts, d.block(id).part)
	}
	id.Sum()
	return parts
}

// usage is a usage object. In a stream the figures come twice, and each that is
// there stands for the whole answer: they replace each other and are not summed.
type usage struct {
	Input         *int `json:"input_tokens"`
	Output        *int `json:"output_tokens"`
	CacheCreation *int `json:"cache_creation_input_tokens"`
	CacheRead     *int `json:"cache_read_input_tokens"`
	Details       *struct {
		Thinking *int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// merge takes over the figures that a later usage object names.
func (u *usage) merge(raw []byte) {
	var later usage
	if json.Unmarshal(raw, &later) != nil {
		return
	}
	for _, figure := range []struct{ now, later **int }{
		{&u.Input, &later.Input},
		{&u.Output, &later.Output},
		{&u.CacheCreation, &later.CacheCreation},
		{&u.CacheRead, &later.CacheRead},
	} {
		if *figure.later != nil {
			*figure.now = *figure.later
		}
	}
	if later.Details != nil {
		u.Details = later.Details
	}
}

// total returns the figures, which this API counts beside each other.
func (u *usage) total() (plimsoll.Usage, bool) {
	t := plimsoll.Usage{
		Input:         natural(u.Input),
		Output:        natural(u.Output),
		CacheCreation: natural(u.CacheCreation),
		CacheRead:     natural(u.CacheRead),
	}
	if u.Details != nil {
		t.Reasoning = min(t.Output, natural(u.Details.Thinking))
	}
	return t, u.Input != nil || u.Output != nil
}

func natural(n *int) int {
	if n == nil {
		return 0
	}
	return max(0, *n)
}

func stopReason(s string) wire.Stop {
	switch s {
	case "end_turn":
		return wire.StopEnd
	case "tool_use":
		return wire.StopTools
	case "max_tokens":
		return wire.StopLength
	case "model_context_window_exceeded":
		return wire.StopContext
	case "refusal":
		return wire.StopFiltered
	case "stop_sequence":
		return wire.StopSequence
	case "pause_turn", "compaction":
		return wire.StopPaused
	}
	return wire.StopUnknown
}

// apiError reads an error. Newer ones name their cause in their details.
func apiError(raw []byte) *wire.APIError {
	e := wire.ParseAPIError(raw)
	if e == nil || e.Code != "" {
		return e
	}
	var object struct {
		Details struct {
			Code string `json:"error_code"`
		} `json:"details"`
	}
	if json.Unmarshal(raw, &object) == nil {
		e.Code = object.Details.Code
	}
	return e
}
