package openai

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their texts.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, ok := sse.FramingOf(contentType); ok {
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner {
			return &eventJoiner{out: out, now: streamedAnswer{answerMessage: answerMessage{hidden: hidden}}}
		})
	}
	return build.NewWholeReply(c, hidden)
}

// Results makes a tool message of each. The API takes nothing but text in it.
func (Codec) Results(results []wire.Result) ([][]byte, error) {
	var all [][]byte
	for _, r := range results {
		message, err := renderResult(wire.Result{Call: r.Call, Text: r.Text}.Part())
		if err != nil {
			return nil, err
		}
		all = append(all, message)
	}
	return all, nil
}

// ResultsBeside makes tool messages, too.
func (c Codec) ResultsBeside(results []wire.Result) ([][]byte, error) { return c.Results(results) }

// InsertResults puts the tool messages right behind the calls, before those of the client.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.ToolRole {
		return nil, false
	}
	at := r.Layout().Messages.Items[next].Start
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append(bytes.Join(results, []byte{','}), ',')}}, true
}

// Restored returns the elements: clients of this API change nothing in them.
func (Codec) Restored(elements [][]byte, _ []byte, _ bool) [][]byte { return elements }
