package weave

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// NewReply returns a reader for answers of a dialect: streamed, as events, or whole,
// as JSON. Ours tells the tools that the caller answers itself. It is nil for a
// dialect that cannot be woven.
func NewReply(d plimsoll.Dialect, streamed bool, ours func(name string) bool) Reply {
	l := loomOf(d)
	if l == nil {
		return nil
	}
	return l.reply(streamed, ours)
}

// Continue returns a request as it was sent, with what the model said and the answers
// to its calls at the end of the messages. Everything else keeps its bytes.
func Continue(r *wire.Request, said [][]byte, results []Result) ([]byte, error) {
	l := loomOf(r.Dialect())
	if l == nil {
		return nil, fmt.Errorf("continue a conversation of %q: %w", r.Dialect(), plimsoll.ErrUnsupported)
	}
	answers, err := l.results(results)
	if err != nil {
		return nil, fmt.Errorf("continue: %w", err)
	}
	elements := said[:len(said):len(said)]
	for _, a := range answers {
		elements = append(elements, a)
	}
	if len(elements) == 0 {
		return r.Body(), nil
	}
	return rawjson.Splice(r.Body(), behind(r, elements))
}

// behind returns the edits that put elements to the end of the messages.
func behind(r *wire.Request, elements [][]byte) []rawjson.Edit {
	list := r.Layout().Messages
	if len(list.Items) > 0 || r.Layout().Len() == 0 {
		return wire.AppendElements(list, elements)
	}
	all := append([][]byte{bare(r)}, elements...)
	text := append([]byte{'['}, bytes.Join(all, []byte{','})...)
	return []rawjson.Edit{{Span: list.Span, Text: append(text, ']')}}
}

// bare returns the element that the only value stands for which a request has in the
// place of a list.
func bare(r *wire.Request) []byte {
	if r.Dialect() == plimsoll.Responses {
		return fmt.Appendf(nil, `{"type":"message","role":"user","content":%s}`, r.Raw(0))
	}
	return r.Raw(0)
}

// rendered returns a message as its codec writes it into a list of messages that has
// the given name in requests.
func rendered(c wire.Codec, list string, m plimsoll.Message) ([]json.RawMessage, error) {
	r, err := c.Decode(fmt.Appendf(nil, `{"model":"",%q:[]}`, list))
	if err != nil {
		return nil, err
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if _, err := d.Insert(0, m, plimsoll.Why{}); err != nil {
		return nil, err
	}
	body, err := r.Encode(d)
	if err != nil {
		return nil, err
	}
	if r, err = c.Decode(body); err != nil {
		return nil, err
	}
	all := make([]json.RawMessage, r.Layout().Len())
	for i := range all {
		all[i] = r.Raw(i)
	}
	return all, nil
}

// loomOf returns what there is for a dialect; nil if there is nothing.
func loomOf(d plimsoll.Dialect) loom {
	switch d {
	case plimsoll.Anthropic:
		return anthropicLoom{}
	case plimsoll.OpenAI:
		return openaiLoom{}
	case plimsoll.Responses:
		return responsesLoom{}
	case plimsoll.Gemini:
		return geminiLoom{}
	}
	return nil
}
