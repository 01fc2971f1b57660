// Package wiretest is the suite that every codec must pass: what is not edited
// keeps its bytes, what is edited says what the draft says, and a valid request
// stays valid through any edit that a draft allows.
package wiretest

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// Subject is a codec under test.
type Subject struct {
	Codec wire.Codec
	// Render writes a request body for a conversation of the kind that
	// [Conversation] draws, independently of the codec. The source of randomness
	// may vary what does not matter: white space, key order, string or list
	// contents, unknown fields.
	Render func(c plimsoll.Conversation, r *rand.Rand) []byte
	// Same brings a decoded part to the form that Render was given, where the
	// dialect cannot carry all of it; nil means that nothing is lost.
	Same func(plimsoll.Part) plimsoll.Part
	// Normalize brings a conversation that Render was given, or that a draft
	// results in, to the form that it is decoded in, where the dialect draws its
	// messages otherwise (several results in one message); nil means that nothing
	// is drawn otherwise.
	Normalize func(plimsoll.Conversation) plimsoll.Conversation
	// Adjusts says that the codec touches what stands beside an edit: a cache mark
	// moves, an id goes with the reasoning it belongs to.
	Adjusts bool
	// Joins says that the codec joins neighbouring messages of one role, so that a request
	// may weigh less than its plan says.
	Joins bool
}

var histories = flag.Int("mutations", 20_000, "histories that are generated for each dialect")

// Run runs the suite.
func Run(t *testing.T, s Subject) {
	t.Run("what is not edited keeps its bytes", func(t *testing.T) { t.Parallel(); s.roundTrip(t) })
	t.Run("a decoded conversation says what was rendered", func(t *testing.T) { t.Parallel(); s.decode(t) })
	t.Run("no edit of a valid request makes it invalid", func(t *testing.T) { t.Parallel(); s.mutate(t) })
	t.Run("the chain of a longer history begins with that of its beginning", func(t *testing.T) { t.Parallel(); s.chain(t) })
	t.Run("broken bodies are errors, not panics", func(t *testing.T) { t.Parallel(); s.damage(t) })
}

func random(i int) *rand.Rand { return rand.New(rand.NewPCG(uint64(i), 0x9e3779b97f4a7c15)) }

func (s Subject) roundTrip(t *testing.T) {
	for i := range *histories / 20 {
		r := random(i)
		body := s.Render(Conversation(r), r)
		req := s.mustDecode(t, body)
		out, err := req.Encode(plimsoll.NewDraft(req.Conversation(), nil))
		if err != nil || !bytes.Equal(out, body) {
			t.Fatalf("history %d: %v\n in %s\nout %s", i, err, body, out)
		}
	}
}

func (s Subject) decode(t *testing.T) {
	for i := range *histories / 20 {
		r := random(i)
		want := Conversation(r)
		body := s.Render(want, r)
		req := s.mustDecode(t, body)
		if diff := s.diff(want, req.Conversation()); diff != "" {
			t.Fatalf("history %d (-rendered +decoded):\n%s\n%s", i, diff, body)
		}
		if v := wire.Check(req); len(v) > 0 {
			t.Fatalf("history %d: a valid request is refused: %v\n%s", i, v, body)
		}
	}
}

// mutate edits at random and asks that the result is valid, says what the draft
// says, and begins with the bytes before the first edit.
func (s Subject) mutate(t *testing.T) {
	for i := range *histories {
		r := random(i)
		body := s.Render(Conversation(r), r)
		before := bytes.Clone(body)
		req := s.mustDecode(t, body)
		d := plimsoll.NewDraft(req.Conversation(), nil)
		Edit(d, r)
		out, err := req.Encode(d)
		if err != nil {
			t.Fatalf("history %d: %v\n%s", i, err, body)
		}
		if !bytes.Equal(body, before) {
			t.Fatalf("history %d: the body was changed in place", i)
		}
		edited := s.mustDecode(t, out)
		if diff := s.diff(d.Result(), edited.Conversation()); diff != "" {
			t.Fatalf("history %d (-draft +encoded):\n%s\n in %s\nout %s\n%+v", i, diff, body, out, d.Edits())
		}
		if v := wire.CheckEdited(req, edited); len(v) > 0 {
			t.Fatalf("history %d: %v\n in %s\nout %s\n%+v", i, v, body, out, d.Edits())
		}
		checkPrefix(t, i, req, d, out)
	}
}

// checkPrefix asks that all before the first edited message keeps its bytes.
func checkPrefix(t *testing.T, i int, req *wire.Request, d *plimsoll.Draft, out []byte) {
	t.Helper()
	first := len(req.Layout().Messages.Items)
	for _, e := range d.Edits() {
		if e.Message < 0 {
			return // system and tools stand before or behind the messages
		}
		first = min(first, e.Message)
	}
	if first == 0 {
		return
	}
	same := rawjson.SharedPrefix(req.Body(), out)
	if want := req.Layout().Messages.Items[first-1].End; same < want {
		t.Fatalf("history %d: the first edit is at message %d, but byte %d of %d before it differs\n in %s\nout %s",
			i, first, same, want, req.Body(), out)
	}
}

func (s Subject) chain(t *testing.T) {
	for i := range *histories / 50 {
		r := random(i)
		c := Conversation(r)
		whole := s.mustDecode(t, s.Render(c, random(1))).Chain()
		turns := c.Outline().Turns
		keep := turns[r.IntN(len(turns))].End
		short := c
		short.Messages = plimsoll.ListOf(c.Messages.Slice()[:keep]...)
		part := s.mustDecode(t, s.Render(short, random(1))).Chain()
		shared := 0
		for shared < len(part) && shared < len(whole) && part[shared] == whole[shared] {
			shared++
		}
		if shared != len(part) {
			t.Fatalf("history %d: %d of %d links are shared", i, shared, len(part))
		}
	}
}

// damage cuts and flips bytes.
func (s Subject) damage(t *testing.T) {
	for i := range *histories / 20 {
		r := random(i)
		body := s.Render(Conversation(r), r)
		switch r.IntN(3) {
		case 0:
			body = body[:r.IntN(len(body))]
		case 1:
			body[r.IntN(len(body))] ^= byte(1 << r.IntN(8))
		case 2:
			at := r.IntN(len(body))
			body = append(body[:at:at], body[min(len(body), at+1+r.IntN(4)):]...)
		}
		req, err := s.Codec.Decode(body)
		if err != nil {
			continue
		}
		wire.Check(req)
		req.Chain()
		d := plimsoll.NewDraft(req.Conversation(), nil)
		Edit(d, r)
		if out, err := req.Encode(d); err == nil {
			if _, err := s.Codec.Decode(out); err != nil {
				t.Fatalf("history %d: what was written cannot be read: %v\n in %s\nout %s\n%+v", i, err, body, out, d.Edits())
			}
		}
	}
}

func (s Subject) mustDecode(t *testing.T, body []byte) *wire.Request {
	t.Helper()
	req, err := s.Codec.Decode(body)
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, body)
	}
	return req
}

// diff compares what two conversations say, leaving out digests and what the
// dialect cannot carry.
func (s Subject) diff(want, got plimsoll.Conversation) string {
	if s.Normalize != nil {
		want = s.Normalize(want)
	}
	a, b := s.plain(want), s.plain(got)
	if reflect.DeepEqual(a, b) {
		return "" // cmp.Diff takes a hundred times as long
	}
	return cmp.Diff(a, b)
}

type plainMessage struct {
	Role  plimsoll.Role
	Name  string
	Parts []any
}

type plainConversation struct {
	System   []any
	Tools    []plimsoll.Tool
	Messages []plainMessage
}

// plain brings instructions together, wherever the dialect keeps them.
func (s Subject) plain(c plimsoll.Conversation) plainConversation {
	var p plainConversation
	for _, t := range c.Tools.All() {
		t.Schema = compact(t.Schema)
		p.Tools = append(p.Tools, t)
	}
	head := c.Outline().Head
	for i, m := range c.Messages.All() {
		if i < head {
			p.System = append(p.System, s.plainParts(m.Parts)...)
			continue
		}
		p.Messages = append(p.Messages, plainMessage{m.Role, m.Name, s.plainParts(m.Parts)})
	}
	p.System = append(p.System, s.plainParts(c.System)...)
	return p
}

func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

func (s Subject) plainParts(parts plimsoll.List[plimsoll.Part]) []any {
	var all []any
	for _, p := range parts.All() {
		if s.Same != nil {
			p = s.Same(p)
		}
		switch p := p.(type) {
		case plimsoll.ToolResult:
			all = append(all, plainResult{p.CallID, p.Name, p.IsError, s.plainParts(p.Content)})
		case plimsoll.ToolCall:
			// Not every dialect has the others.
			all = append(all, plimsoll.ToolCall{ID: p.ID, Name: p.Name, Arguments: compact(p.Arguments)})
		default:
			all = append(all, p)
		}
	}
	return all
}

type plainResult struct {
	CallID, Name string
	IsError      bool
	Content      []any
}
