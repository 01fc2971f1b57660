package weave

import (
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/gemini"
)

// geminiLoom weaves answers of Google's generateContent, whose pieces have the shape of
// whole answers.
type geminiLoom struct{}

var (
	_ loom      = geminiLoom{}
	_ forgetter = geminiLoom{}
)

func (l geminiLoom) reply(streamed bool, ours func(string) bool) Reply {
	if streamed {
		return newGeminiStream(l, ours)
	}
	return newGeminiList(l, ours)
}

// results makes one content of the user's, with a function response for each.
func (geminiLoom) results(results []Result) ([]json.RawMessage, error) {
	if len(results) == 0 {
		return nil, nil
	}
	parts := resultParts(results)
	for i, r := range results {
		part := parts[i].(plimsoll.ToolResult)
		part.Name = r.Call.Name
		parts[i] = part
	}
	return rendered(gemini.Codec{}, "contents", plimsoll.NewMessage(plimsoll.User, parts...))
}

// beside makes parts of a content.
func (l geminiLoom) beside(results []Result) ([]json.RawMessage, error) {
	contents, err := l.results(results)
	var parts []json.RawMessage
	for _, c := range contents {
		parts = append(parts, rawMessages(itemsOf(memberOf(c, "parts")))...)
	}
	return parts, err
}

// put puts parts behind the function responses of the client's next content.
func (geminiLoom) put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool) {
	l := r.Layout()
	if next >= l.Len() {
		return nil, false
	}
	last := -1
	for i := range l.Message(next).Parts.Len() {
		if _, ok := plimsoll.Peek(l.Message(next), i).(plimsoll.ToolResult); ok {
			last = i
		}
	}
	if last < 0 {
		return nil, false
	}
	list := r.Locate(next).Lists[0]
	if l.Body[list.Start] != '[' { // a lone part stands for a list
		all := slices.Concat([]json.RawMessage{list.Of(l.Body)}, results)
		return []rawjson.Edit{{Span: list.Span, Text: slices.Concat([]byte{'['}, joined(all), []byte{']'})}}, true
	}
	at := list.Items[last].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append([]byte{','}, joined(results)...)}}, true
}

// forget takes thoughts out of contents that say something else as well. Signatures of
// calls stay: newer models refuse calls without.
func (geminiLoom) forget(elements []json.RawMessage) []json.RawMessage {
	elements = slices.Clone(elements)
	for i, content := range elements {
		parts := itemsOf(memberOf(content, "parts"))
		left := slices.DeleteFunc(slices.Clone(parts), func(part []byte) bool { return string(memberOf(part, "thought")) == "true" })
		if len(left) > 0 && len(left) < len(parts) {
			elements[i] = withMember(content, "parts", listed(left))
		}
	}
	return elements
}

// geminiJoiner joins answers by their parts.
type geminiJoiner struct{ ours func(string) bool }

var _ joiner = geminiJoiner{}

func (j geminiJoiner) read(body []byte, seen *shown) (answered, bool) {
	if !json.Valid(body) {
		return answered{}, false
	}
	var a geminiAnswer
	a.add(readGeminiChunk(body, j.ours))
	a.show(seen)
	r := a.round()
	return r, a.ended() && r.sendable(gemini.Codec{}, "contents")
}

// join puts the parts of all answers into the last one.
func (j geminiJoiner) join(bodies [][]byte, _ []answered) []byte {
	var parts [][]byte
	w := newGeminiWeaver(j.ours, func([]byte) {})
	for i, body := range bodies {
		if i > 0 {
			w.again()
		}
		w.take(body)
		for _, c := range readGeminiChunk(body, j.ours).candidates {
			if c.first {
				parts = append(parts, c.shown(&geminiSigner{})...)
			}
		}
	}
	last := readGeminiChunk(bodies[len(bodies)-1], j.ours).withoutOurs(&geminiSigner{})
	for i := range last.candidates {
		if c := &last.candidates[i]; c.first {
			c.put(parts)
		}
	}
	return w.rewritten(last)
}
