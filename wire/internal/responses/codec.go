// Package responses speaks OpenAI's Responses API.
//
// The elements of "input" are items, and each item is a message of the
// conversation: what a user or the assistant says, a call, its output, a piece of
// reasoning. A request may also be a continuation: with previous_response_id the
// beginning of the conversation is on the server, and [Rebuild] puts it back when
// an edit needs it. Items and fields that this package does not know are carried
// as they are. It knows the format and nothing else: no transport, no policy.
package responses

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Responses. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Responses].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Responses }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Responses, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{
		scanner:  build.NewScanner(plimsoll.Responses, body),
		layout:   l,
		writer:   &writer{layout: l},
		thoughts: &thoughts{body},
		late:     map[string]lateCall{},
		shells:   map[string]string{},
	}
}
