// Package ollama speaks the chat of Ollama's own API, /api/chat.
//
// Messages are elements of "messages"; system messages stand among them. Content is one
// text, and pictures stand beside it. A tool result is a message of its own. It may name
// its call by an id or by the tool, or not at all: then results answer the calls in their
// order. Arguments of calls are objects. "options" names the context window and the
// longest answer. An answer is streamed unless the request says otherwise, an object in
// each line. The server cuts a conversation that is longer than the window, and says
// nothing. Fields that this package does not know are carried as they are.
package ollama

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes /api/chat. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Ollama].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Ollama }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	l := &layout.Layout{Body: body, Stream: true}
	d := decoder{scanner: build.NewScanner(plimsoll.Ollama, body), layout: l, writer: &writer{layout: l}}
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Ollama, l, d.writer), nil
}
