package gemini

import (
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their parts. Chunks of a stream have the shape of whole
// answers.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, ok := sse.FramingOf(contentType); ok {
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner { return newEventJoiner(out, hidden) })
	}
	return newListReply(hidden)
}

// Results makes one content of the user, with a function response for each.
func (Codec) Results(results []wire.Result) ([][]byte, error) {
	if len(results) == 0 {
		return nil, nil
	}
	parts := make([]plimsoll.Part, len(results))
	for i, r := range results {
		part := r.Part()
		part.Name = r.Call.Name
		parts[i] = part
	}
	return (&writer{}).Message(plimsoll.NewMessage(plimsoll.User, parts...))
}

// ResultsBeside makes parts of a content.
func (c Codec) ResultsBeside(results []wire.Result) ([][]byte, error) {
	contents, err := c.Results(results)
	var parts [][]byte
	for _, content := range contents {
		parts = append(parts, rawjson.Items(rawjson.Member(content, "parts"))...)
	}
	return parts, err
}

// InsertResults puts parts behind the function responses of the client's next content.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	l := r.Layout()
	if next >= l.Len() {
		return nil, false
	}
	last := -1
	for i := range l.Parsed[next].Parts.Len() {
		if _, ok := plimsoll.Peek(l.Parsed[next], i).(plimsoll.ToolResult); ok {
			last = i
		}
	}
	if last < 0 {
		return nil, false
	}
	list := r.Locate(next).Lists[0]
	if l.Body[list.Start] != '[' { // a lone part stands for a list
		all := append([][]byte{list.Of(l.Body)}, results...)
		return []rawjson.Edit{{Span: list.Span, Text: rawjson.Array(all)}}, true
	}
	at := list.Items[last].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: joined(",", results, "")}}, true
}

// Restored takes thoughts that the client has dropped out of contents that say something
// else as well. Signatures of calls stay: newer models refuse calls without.
func (Codec) Restored(elements [][]byte, _ []byte, withoutReasoning bool) [][]byte {
	if !withoutReasoning {
		return elements
	}
	elements = slices.Clone(elements)
	for i, content := range elements {
		parts := rawjson.Items(rawjson.Member(content, "parts"))
		left := slices.DeleteFunc(slices.Clone(parts), func(part []byte) bool { return string(rawjson.Member(part, "thought")) == "true" })
		if len(left) > 0 && len(left) < len(parts) {
			elements[i] = rawjson.SetMember(content, "parts", rawjson.Array(left))
		}
	}
	return elements
}

// ReadRound reads an answer.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	if !json.Valid(body) {
		return build.Answer{}, false
	}
	var a answerParts
	a.add(readChunk(body, hidden))
	r := a.round()
	return r, a.ended() && r.Sendable(Codec{})
}

// JoinRounds puts the parts of all answers into the last one.
func (Codec) JoinRounds(bodies [][]byte, _ []build.Answer, hidden func(string) bool) []byte {
	var parts [][]byte
	w := &chunkJoiner{hidden: hidden, emit: func([]byte) {}}
	for i, body := range bodies {
		if i > 0 {
			w.again()
		}
		w.take(body)
		for _, c := range readChunk(body, hidden).candidates {
			if c.first {
				parts = append(parts, c.shown(&signer{})...)
			}
		}
	}
	last := readChunk(bodies[len(bodies)-1], hidden).withoutHidden(&signer{})
	for i := range last.candidates {
		if c := &last.candidates[i]; c.first {
			c.put(parts)
		}
	}
	return w.rewritten(last)
}
