// Package openai speaks OpenAI's Chat Completions and the many APIs that are
// compatible with it.
//
// Messages are elements of "messages"; system and developer messages stand among
// them. A tool result is a message of its own. Fields that this package does not
// know are carried as they are.
package openai

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Chat Completions. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.OpenAI].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.OpenAI }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := decoder{
		scanner: build.NewScanner(plimsoll.OpenAI, body),
		layout:  &layout.Layout{Body: body},
		writer:  &writer{},
	}
	if err := d.request(); err != nil {
		return nil, err
	}
	d.writer.layout = d.layout
	return wire.NewRequest(plimsoll.OpenAI, d.layout, d.writer), nil
}
