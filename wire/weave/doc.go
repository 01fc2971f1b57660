// Package weave makes one answer of several, for a proxy that answers some of a
// model's tool calls itself.
//
// A model that was offered tools of the proxy's own may call them, alone or beside
// those of the client. The client knows nothing of these tools and must not see the
// calls. So the proxy reads each answer through a [Reply], which hands on whatever is
// the client's as it comes and holds back what is not; answers the calls; asks the
// model again with [Continue]; and the next answer goes on in the same reply, so that
// the client sees one message. Until a call of ours appears, every byte of a stream
// passes as it came. Only reasoning of Responses waits until the item behind it begins,
// and with it what comes meanwhile: if it led to calls of ours alone, it is hidden with
// them, because that API refuses reasoning without the item that it led to, and the
// client may have nobody later who puts that back.
//
// The client's history then lacks what it was not shown. [Record] says what that was,
// and [Restore] puts it back into the client's later requests, so that the model sees
// what it said, the provider's prompt cache still matches, and signed thinking stays
// where it was signed. A reply that the client has edited, in its words or in the
// arguments of its calls, is another one: nothing is put back into it.
//
// A model may call our tools without end. Whoever has enough of it does not ask again
// and finishes the reply: then it ends as if the model had stopped there (end_turn,
// stop), without the calls. Their results belong into the record all the same, so that
// the model finds them in its next turn; without them the calls are forgotten. If the
// model had said nothing by then, the reply is empty in the way in which the API itself
// answers when a model says nothing: no blocks, an empty text, no items, a part without
// words. No words are made up, since they would be taken for the model's, then and in
// every later request. A client that keeps such a reply gets back what was hidden; one
// that drops it, or has got no items to keep, goes on as if it had never asked.
//
// Nothing can go on where a model gives several answers to one request (OpenAI's n): no
// tools should be offered to it.
//
// The package knows four dialects and no transport, and it decides nothing: which
// tools are ours, and what they answer, is its caller's to say.
package weave

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// Reply is the answer that a client gets, made of one or more answers of the model.
// It belongs to one goroutine.
type Reply interface {
	// Write takes the next bytes of the model's answer, in identity coding, and
	// returns what the client may have now, which may share memory with p. Of an
	// answer that is not streamed nothing is returned before Finish; one that is a list
	// of pieces, as Gemini has them, is streamed.
	Write(p []byte) []byte
	// End says that the model's answer is complete, and returns what it was.
	End() Round
	// Again says that another answer of the model's follows, to the request that
	// Continue made.
	Again()
	// Finish returns the rest of what the client gets: the end of the stream, or the
	// whole answer. If one answer alone was written and no call of ours is in it, the
	// client has got the very bytes. An answer that broke off is not completed: what
	// was held back of it without need is returned, and nothing is made up.
	Finish() []byte
	// Record returns what the client was not shown, once everything is over; false if
	// that is nothing, and then it says only what was shown. Results are those of all rounds, in order: the answers to the
	// Calls of round i are results[i].
	Record(results [][]Result) (Record, bool)
}

// Round is one answer of the model.
type Round struct {
	// Calls of ours, in the order in which they were made.
	Calls []plimsoll.ToolCall
	// Foreign says that the client's own tools were called, too, so that the client
	// must be asked before the model can go on.
	Foreign bool
	// Broken says that the answer ended before it was complete, or reported an error.
	Broken bool
	// Said is the answer as elements of the next request's list of messages, with all
	// of its calls and reasoning.
	Said [][]byte
}

// Result answers a call of ours.
type Result struct {
	Call plimsoll.ToolCall
	Text string
	// Parts are pictures and documents that belong to the text, for dialects that take
	// them in results.
	Parts   []plimsoll.Part
	IsError bool
}

// Record is what a client has not seen of one reply. It is stored as JSON, in which the
// elements are texts and keep their bytes.
type Record struct {
	// Shown identifies what the client was shown: the text, without white space, and
	// the client's own calls with their arguments. A message that says something else is
	// another reply.
	Shown plimsoll.Digest
	// Thought says that some of what the client was shown is reasoning. A client that
	// sends none of it back has dropped it, as some must who go on with another model,
	// and then none is put back, where a dialect tells it from what was said.
	Thought bool
	// Elements stand in the place of the client's own: everything that was said, and
	// the answers to our calls but for those that are Results. There may be none.
	Elements []json.RawMessage
	// Results answer our calls of the last round, if the client's own tools were called
	// in it as well: they stand beside the client's results.
	Results []json.RawMessage
}

// loom is what a dialect must know to be woven.
type loom interface {
	// reply returns a reader for answers; see [NewReply].
	reply(streamed bool, ours func(name string) bool) Reply
	// results renders answers to calls of ours as elements of the list of messages that
	// stand behind the calls.
	results(results []Result) ([]json.RawMessage, error)
	// beside renders answers to calls of ours that stand beside the client's own
	// results, in the form that put takes.
	beside(results []Result) ([]json.RawMessage, error)
	// put returns the edits that put such answers into a request, whose elements from
	// next on follow the calls. It reports false if no results of the client's follow.
	put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool)
}
