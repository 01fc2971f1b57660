package wire

import (
	"bytes"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Reply is the answer that a client gets, joined from one or more answers of the model.
// It belongs to one goroutine.
//
// A proxy may offer the model tools that it answers itself. The client does not know
// these hidden tools and must not see their calls. So the proxy writes each answer to a
// Reply, which returns what the client may have and holds back the hidden calls. The
// proxy then answers the calls, asks the model again with [Continue], and writes the next
// answer to the same Reply. The client sees one message. Until a hidden call appears,
// every byte of a stream passes unchanged. The history that the client keeps lacks what
// it was not shown: [Record] says what that was, and [Restore] puts it back.
//
// A model may call hidden tools without end. A proxy that stops asking calls Finish: the
// reply then ends as if the model had stopped there (end_turn, stop), without the calls.
// Their results belong into the record, so that the model finds them in its next turn. If
// the model had said nothing by then, the reply is empty in the way in which the API
// answers when a model says nothing. No words are made up, since the client would send
// them back as the model's.
//
// A Reply cannot go on where a model gives several answers to one request (OpenAI's n):
// see [Codec.Offerable].
type Reply interface {
	// Write takes the next bytes of the model's answer, in identity coding, and
	// returns what the client may have now, which may share memory with p. Of an
	// answer that is not streamed nothing is returned before Finish; one that is a list
	// of pieces, as Gemini has them, is streamed.
	Write(p []byte) []byte
	// End says that the model's answer is complete, and returns what it was.
	End() Round
	// Again says that another answer of the model follows, to the request that
	// Continue made.
	Again()
	// Finish returns the rest of what the client gets: the end of the stream, or the
	// whole answer. If one answer alone was written and it has no hidden call, the
	// client has got the very bytes. An answer that broke off is not completed: Finish
	// returns what was held back without need, and adds nothing.
	Finish() []byte
	// Record returns what the client was not shown, once everything is over. It reports
	// false if that is nothing; the record then says only what was shown. Results are
	// those of all rounds, in order: results[i] answers the Calls of round i.
	Record(results [][]Result) (Record, bool)
}

// Round is one answer of the model.
type Round struct {
	// Calls of hidden tools, in the order in which they were made.
	Calls []plimsoll.ToolCall
	// Foreign says that the client's own tools were called, too, so that the client
	// must answer before the model can go on.
	Foreign bool
	// Broken says that the answer ended before it was complete, or reported an error.
	Broken bool
	// Said is the answer as elements of the next request's list of messages, with all
	// of its calls and reasoning.
	Said [][]byte
}

// Result answers a hidden call.
type Result struct {
	Call plimsoll.ToolCall
	Text string
	// Parts are pictures and documents that belong to the text, for dialects that take
	// them in results.
	Parts   []plimsoll.Part
	IsError bool
}

// Part returns the result as a part of a message, with its pictures and documents.
func (r Result) Part() plimsoll.ToolResult {
	content := r.Parts
	if r.Text != "" || len(content) == 0 {
		content = append([]plimsoll.Part{plimsoll.Text{Text: r.Text}}, content...)
	}
	return plimsoll.ToolResult{CallID: r.Call.ID, Content: plimsoll.ListOf(content...), IsError: r.IsError}
}

// Continue returns a request as it was sent, with what the model said and the answers
// to its calls at the end of the messages. Everything else keeps its bytes.
func Continue(c Codec, r *Request, said [][]byte, results []Result) ([]byte, error) {
	answers, err := c.Results(results)
	if err != nil {
		return nil, fmt.Errorf("continue: %w", err)
	}
	elements := append(said[:len(said):len(said)], answers...)
	if len(elements) == 0 {
		return r.Body(), nil
	}
	list := r.layout.Messages
	if len(list.Items) > 0 || r.layout.Len() == 0 {
		return rawjson.Splice(r.Body(), rawjson.Append(list, elements...))
	}
	all := append([][]byte{r.writer.Bare(r.Raw(0))}, elements...)
	return rawjson.Splice(r.Body(), []rawjson.Edit{{Span: list.Span, Text: rawjson.Array(all)}})
}

// joined writes elements behind each other, with commas between them.
func joined(elements [][]byte) []byte { return bytes.Join(elements, []byte{','}) }
