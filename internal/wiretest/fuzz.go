package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// RoundTrip fuzzes the law of the codecs: without edits the bytes are the same,
// with edits only the edited messages differ, and nothing makes them panic. It
// begins with the given bodies, with generated ones, and with sessions as agents
// have them (see [Sessions]). The second argument of the target chooses the edits.
func (s Subject) RoundTrip(f *testing.F, bodies ...string) {
	for i, body := range bodies {
		f.Add([]byte(body), uint64(i))
	}
	for i := range 20 {
		r := random(i)
		f.Add(s.Render(Conversation(r), r), uint64(i))
	}
	for i, c := range Sessions(f) {
		body, err := Rewrite(s.Codec, c)
		if errors.Is(err, plimsoll.ErrUnsupported) {
			continue // a picture at an address, where the API takes none
		}
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, uint64(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, edits uint64) {
		before := bytes.Clone(body)
		req, err := s.Codec.Decode(body)
		if err != nil {
			return
		}
		out, err := req.Encode(plimsoll.NewDraft(req.Conversation(), nil))
		if err != nil || !bytes.Equal(out, before) {
			t.Fatalf("unedited it changes: %v\n in %q\nout %q", err, before, out)
		}
		// What the server knows of calls that are not here, an edit may take away.
		valid := len(wire.Check(req)) == 0 && len(req.Conversation().Outline().Orphans) == 0
		req.Chain()
		s.editAtRandom(t, req, edits, valid)
		if !bytes.Equal(body, before) {
			t.Fatalf("the body was changed in place\n in %q\nnow %q", before, body)
		}
	})
}

// editAtRandom makes the edits of a rung, which keep a valid request valid, or any
// at all.
func (s Subject) editAtRandom(t *testing.T, req *wire.Request, edits uint64, valid bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(edits, 1))
	d := plimsoll.NewDraft(req.Conversation(), nil)
	if edits%2 == 0 {
		Edit(d, r)
	} else {
		EditAnything(d, r)
		valid = false
	}
	out, err := req.Encode(d)
	if errors.Is(err, plimsoll.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatalf("%v\n in %q\n%+v", err, req.Body(), d.Edits())
	}
	edited, err := s.Codec.Decode(out)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n in %q\nout %q\n%+v", err, req.Body(), out, d.Edits())
	}
	s.checkUntouched(t, req, d, edited)
	if v := wire.CheckEdited(req, edited); valid && len(v) > 0 {
		t.Fatalf("%v\n in %q\nout %q\n%+v", v, req.Body(), out, d.Edits())
	}
}

// checkUntouched asks that every message that stays and was not edited is written
// as it was, in the same order. A bare string instead of the list of
// messages is written again when others join it.
func (s Subject) checkUntouched(t *testing.T, req *wire.Request, d *plimsoll.Draft, edited *wire.Request) {
	t.Helper()
	if l := req.Layout(); len(l.Messages.Items) != l.Len() {
		return
	}
	touched := map[int]bool{}
	for _, e := range d.Edits() {
		if e.Kind == plimsoll.EditReplace || e.Kind == plimsoll.EditRemove {
			touched[e.Message] = true
		}
	}
	next := 0
	for p := range d.Placed() {
		if p.Original < 0 || touched[p.Original] {
			continue
		}
		for next < edited.Layout().Len() && !s.same(req, p.Original, edited, next) {
			next++
		}
		if next == edited.Layout().Len() {
			t.Fatalf("message %d was not edited, and changed\n in %q\nout %q\n%+v", p.Original, req.Body(), edited.Body(), d.Edits())
		}
		if !s.Joins {
			next++
		}
	}
}

// same reports whether a message has the same bytes, or says at least the same
// where the dialect adjusts what stands beside an edit.
func (s Subject) same(a *wire.Request, i int, b *wire.Request, j int) bool {
	if bytes.Equal(a.Raw(i), b.Raw(j)) {
		return true
	}
	if s.Joins {
		return a.Conversation().Messages.At(i).Role == b.Conversation().Messages.At(j).Role && contains(b.Raw(j), a, i)
	}
	return s.Adjusts && s.identity(a, i) == s.identity(b, j)
}

// contains reports whether a message has all parts of message i.
func contains(message []byte, r *wire.Request, i int) bool {
	for _, list := range r.Locate(i).Lists {
		for _, part := range list.Items {
			if !bytes.Contains(message, part.Of(r.Body())) {
				return false
			}
		}
	}
	return true
}

// identity returns what identifies a message: the end of the chain of a request
// that has nothing else.
func (s Subject) identity(r *wire.Request, i int) plimsoll.Digest {
	l := r.Layout()
	for _, member := range l.Root.Items {
		if member.Start < l.Messages.Start && l.Messages.End <= member.End {
			body := fmt.Appendf(nil, "{%s[%s]}", r.Body()[member.Start:l.Messages.Start], r.Raw(i))
			if alone, err := s.Codec.Decode(body); err == nil {
				return alone.Chain()[1]
			}
		}
	}
	return plimsoll.Digest{}
}

// Answers fuzzes what reads answers, line by line as a stream and as a whole. It
// begins with the golden streams in testdata and the given answers.
func Answers(f *testing.F, codec wire.Codec, answers ...string) {
	data, err := os.ReadFile("testdata/streams.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, a := range answers {
		f.Add([]byte(a))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Assemble(codec, strings.Split(string(data), "\n"))
		r := s.Response()
		if r.Usage.Total() < 0 || r.Usage.Reasoning > r.Usage.Output {
			t.Errorf("usage %+v", r.Usage)
		}
		for _, p := range r.Message.Parts.All() {
			if o, ok := p.(plimsoll.Opaque); ok && !json.Valid([]byte(o.Raw)) {
				t.Errorf("a part that is no JSON: %q", o.Raw)
			}
		}
		if first, second := Describe(s), Describe(s); first != second {
			t.Errorf("asked twice it says\n%s\nand\n%s", first, second)
		}
		_, _ = codec.ReadResponse(data)
	})
}
