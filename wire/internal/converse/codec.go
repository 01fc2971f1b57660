// Package converse speaks Amazon Bedrock's Converse API.
//
// The path names the model and says whether the answer is streamed. A message is a list of
// blocks, and the one member of a block says what it is. All results of a round are blocks
// of the user's message behind the calls; user and assistant must alternate. A cache point
// is a block of its own that says nothing. Answers are streamed in Amazon's frames. Blocks
// that this package does not know are carried as they are. It knows the API's rules and no
// policy.
package converse

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Converse. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Converse].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Converse }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	err := build.ReadRoot(d.Scanner, d.layout, d.member)
	if err == nil && !d.seen {
		err = d.Wrong("messages", "a list of messages")
	}
	if err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Converse, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{Scanner: build.NewScanner(plimsoll.Converse, body), layout: l, writer: &writer{body: body, layout: l}}
}
