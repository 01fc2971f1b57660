// Package anthropic speaks Anthropic's Messages API.
//
// Instructions stand in "system", beside the messages; newer models also take
// them as messages right behind a user's. A message is a string or a list of
// blocks, and all results of a round are blocks of the one user message behind
// the calls. Blocks that this package does not know, and the tools that run on
// the provider's side, are carried as they are. It knows the API's rules and no
// policy.
package anthropic

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes the Messages API. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Anthropic].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Anthropic }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Anthropic, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{
		scanner: build.NewScanner(plimsoll.Anthropic, body),
		layout:  l,
		writer:  &writer{body: body, layout: l},
	}
}
