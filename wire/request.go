package wire

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// MaxItems is how many messages, how many parts and how many tools a body may have.
// The longest conversations of agents have a few thousand. The cap bounds the memory
// of a body that consists of tiny elements to some 60 MB.
const MaxItems = 200_000

// Request is an indexed request body. It is immutable and safe for concurrent
// use.
type Request struct {
	dialect      plimsoll.Dialect
	layout       *layout.Layout
	writer       Writer
	conversation plimsoll.Conversation
	chain        []plimsoll.Digest
}

// NewRequest is called by codecs.
func NewRequest(d plimsoll.Dialect, l *layout.Layout, w Writer) *Request {
	c := plimsoll.Conversation{
		Dialect:   d,
		Model:     l.Model,
		MaxOutput: l.MaxOutput,
		Window:    l.Window,
		System:    plimsoll.ListOf(l.System...),
		Tools:     l.Tools,
		Choice:    l.Choice,
		Output:    l.Output,
		Thinking:  l.Thinking,
		Messages:  plimsoll.ListOf(l.Parsed...),
	}
	return &Request{dialect: d, layout: l, writer: w, conversation: c, chain: l.Chain(d)}
}

// Dialect of the request.
func (r *Request) Dialect() plimsoll.Dialect { return r.dialect }

// Body returns the decoded bytes. They must not be changed.
func (r *Request) Body() []byte { return r.layout.Body }

// Layout returns where everything stands. It must not be changed.
func (r *Request) Layout() *layout.Layout { return r.layout }

// Stream reports whether a streamed answer was asked for.
func (r *Request) Stream() bool { return r.layout.Stream }

// MaxOutput returns the limit of the answer that the request sets, or 0.
func (r *Request) MaxOutput() int { return r.layout.MaxOutput }

// Conversation returns what the request says.
func (r *Request) Conversation() plimsoll.Conversation { return r.conversation }

// Outline returns the structure of the conversation.
func (r *Request) Outline() plimsoll.Outline { return r.conversation.Outline() }

// Chain returns the identity of every prefix of the conversation: entry 0 stands
// for system and tools alone, entry i+1 for everything up to message i. Two
// requests that share a history share the beginning of their chains, whatever
// the client did to fields that do not matter. It must not be changed.
func (r *Request) Chain() []plimsoll.Digest { return r.chain }

// NewestTurn returns the last turn of the conversation, or an empty span if it has none.
func (r *Request) NewestTurn() plimsoll.Span {
	turns := r.Outline().Turns
	if len(turns) == 0 {
		return plimsoll.Span{}
	}
	return turns[len(turns)-1].Span
}

// Raw returns the bytes of message i.
func (r *Request) Raw(i int) []byte {
	if r.layout.Bare() {
		return r.layout.Messages.Of(r.layout.Body)
	}
	return r.layout.Messages.Items[i].Of(r.layout.Body)
}

// Members goes through the members of a request, which were found when it was decoded.
func (r *Request) Members() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		body := r.Body()
		for _, at := range r.layout.Root.Items {
			s := rawjson.NewScannerAt(body, at)
			key, _ := s.String()
			_, value, _ := bytes.Cut(body[s.Offset():at.End], []byte{':'})
			if !yield(key.Decode(body), bytes.TrimSpace(value)) {
				return
			}
		}
	}
}

// Locate says where the parts of message i stand. It may read the message again.
func (r *Request) Locate(i int) layout.Located { return r.writer.Locate(i) }

// Encode returns the body with the edits of a draft of this request's
// conversation. Without edits it is the very slice that was decoded. The
// original body is never changed.
func (r *Request) Encode(d *plimsoll.Draft) ([]byte, error) {
	if n := d.Original().Messages.Len(); n != r.layout.Len() {
		return nil, fmt.Errorf("encode: the draft is of %d messages, the request has %d: %w",
			n, r.layout.Len(), plimsoll.ErrInvalid)
	}
	edits, err := r.edits(d)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	body, err := rawjson.Splice(r.layout.Body, edits)
	if err != nil || len(edits) == 0 {
		return body, err
	}
	return r.writer.Finish(body)
}

func (r *Request) edits(d *plimsoll.Draft) ([]rawjson.Edit, error) {
	if len(d.Edits()) == 0 {
		return nil, nil
	}
	kept, inserts, err := r.arrangement(d)
	if err != nil {
		return nil, err
	}
	edits, err := r.systemEdits(d, inserts)
	if err != nil {
		return nil, err
	}
	for _, more := range []func() ([]rawjson.Edit, error){
		func() ([]rawjson.Edit, error) { return r.writer.Adjust(d, kept, inserts) },
		func() ([]rawjson.Edit, error) { return r.messageEdits(d, kept, inserts) },
		func() ([]rawjson.Edit, error) { return r.toolEdits(d) },
	} {
		added, err := more()
		if err != nil {
			return nil, err
		}
		edits = append(edits, added...)
	}
	return edits, nil
}

// arrangement reads from the draft which messages stay and what stands before
// each.
func (r *Request) arrangement(d *plimsoll.Draft) (kept []bool, inserts map[int][][]byte, err error) {
	kept = make([]bool, r.layout.Len())
	inserts = map[int][][]byte{}
	var waiting []plimsoll.Message
	for p := range d.Placed() {
		if p.Original < 0 {
			waiting = append(waiting, p.Message)
			continue
		}
		if err := r.insert(inserts, p.Original, waiting, kept); err != nil {
			return nil, nil, err
		}
		kept[p.Original], waiting = true, nil
	}
	return kept, inserts, r.insert(inserts, len(kept), waiting, kept)
}

// insert renders messages to stand before message i, or where the API takes them.
func (r *Request) insert(inserts map[int][][]byte, i int, messages []plimsoll.Message, kept []bool) error {
	if len(messages) == 0 {
		return nil
	}
	at, n := r.writer.Place(i, messages, kept)
	for k, m := range messages {
		rendered, err := r.writer.Message(m)
		if err != nil {
			return fmt.Errorf("inserted message: %w", err)
		}
		if k >= n {
			at = i
		}
		inserts[at] = append(inserts[at], rendered...)
	}
	return nil
}

func (r *Request) messageEdits(d *plimsoll.Draft, kept []bool, inserts map[int][][]byte) ([]rawjson.Edit, error) {
	if r.layout.Bare() {
		return r.bareEdits(kept, inserts), nil
	}
	if r.layout.Messages.IsZero() && len(inserts) > 0 {
		return nil, fmt.Errorf("the request has no list of messages to add to: %w", plimsoll.ErrUnsupported)
	}
	edits := rawjson.Rearrange(r.layout.Messages, kept, inserts)
	where := locations{writer: r.writer}
	removed := map[int]map[int]bool{}
	replaced := map[plimsoll.PartRef]bool{}
	for _, e := range d.Edits() {
		if e.Message < 0 || e.Message >= len(kept) || !kept[e.Message] {
			continue
		}
		switch e.Kind {
		case plimsoll.EditRemove:
			if removed[e.Message] == nil {
				removed[e.Message] = map[int]bool{}
			}
			removed[e.Message][e.Part] = true
		case plimsoll.EditReplace:
			at := plimsoll.PartRef{Message: e.Message, Part: e.Part}
			if replaced[at] {
				continue // the first time the draft gave what it has in the end
			}
			replaced[at] = true
			added, err := r.replacement(d, at, where.of(at.Message))
			if err != nil {
				return nil, err
			}
			edits = append(edits, added)
		}
	}
	for message, parts := range removed {
		added, err := r.removals(message, parts, where.of(message))
		if err != nil {
			return nil, err
		}
		edits = append(edits, added...)
	}
	return edits, nil
}

// bareEdits turns a single string into a list when something is to stand beside
// it or in its place.
func (r *Request) bareEdits(kept []bool, inserts map[int][][]byte) []rawjson.Edit {
	if kept[0] && len(inserts) == 0 {
		return nil
	}
	elements := inserts[0]
	if kept[0] {
		elements = append(elements, r.writer.Bare(r.Raw(0)))
	}
	elements = append(elements, inserts[1]...)
	text := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, e...)
	}
	return []rawjson.Edit{{Span: r.layout.Messages.Span, Text: append(text, ']')}}
}

// locations remembers where the parts of messages stand: a message may have many
// edits.
type locations struct {
	writer Writer
	known  map[int]layout.Located
}

func (l *locations) of(message int) layout.Located {
	if where, ok := l.known[message]; ok {
		return where
	}
	if l.known == nil {
		l.known = map[int]layout.Located{}
	}
	l.known[message] = l.writer.Locate(message)
	return l.known[message]
}

func (r *Request) replacement(d *plimsoll.Draft, at plimsoll.PartRef, where layout.Located) (rawjson.Edit, error) {
	place := where.Places[at.Part]
	part, ok := d.Part(at)
	result, isResult := part.(plimsoll.ToolResult)
	if !ok || !isResult || place.Content.IsZero() {
		return rawjson.Edit{}, fmt.Errorf("part %d of message %d has no content to replace: %w", at.Part, at.Message, plimsoll.ErrUnsupported)
	}
	text, err := r.writer.Content(result.Content, place.Content.Of(r.layout.Body))
	if err != nil {
		return rawjson.Edit{}, fmt.Errorf("result %d of message %d: %w", at.Part, at.Message, err)
	}
	return rawjson.Edit{Span: place.Content, Text: text}, nil
}

// removals takes parts out of the lists that they are elements of.
func (r *Request) removals(message int, parts map[int]bool, where layout.Located) ([]rawjson.Edit, error) {
	gone := make([]map[int]bool, len(where.Lists))
	for part := range parts {
		place := where.Places[part]
		if place.List < 0 {
			return nil, fmt.Errorf("part %d of message %d cannot be removed alone: %w", part, message, plimsoll.ErrUnsupported)
		}
		if gone[place.List] == nil {
			gone[place.List] = map[int]bool{}
		}
		gone[place.List][place.Index] = true
		for _, k := range place.With {
			gone[place.List][k] = true
		}
	}
	var edits []rawjson.Edit
	for i, list := range where.Lists {
		if len(gone[i]) == 0 {
			continue
		}
		if len(gone[i]) == len(list.Items) && list.Empty != "" {
			edits = append(edits, rawjson.Edit{Span: list.Span, Text: []byte(list.Empty)})
			continue
		}
		kept := make([]bool, len(list.Items))
		for k := range kept {
			kept[k] = !gone[i][k]
		}
		edits = append(edits, rawjson.Rearrange(list.List, kept, nil)...)
	}
	return edits, nil
}

// systemEdits adds instructions. Where they are messages, they join the inserts
// in front of the first message behind the head.
func (r *Request) systemEdits(d *plimsoll.Draft, inserts map[int][][]byte) ([]rawjson.Edit, error) {
	if d.AddedSystem().Len() == 0 {
		return nil, nil
	}
	edits, elements, err := r.writer.System(d.AddedSystem())
	if len(elements) > 0 {
		at := d.Outline().Head
		inserts[at] = append(elements, inserts[at]...)
	}
	return edits, err
}

func (r *Request) toolEdits(d *plimsoll.Draft) ([]rawjson.Edit, error) {
	if d.AddedTools().Len() == 0 {
		return nil, nil
	}
	return r.writer.Tools(d.AddedTools())
}
