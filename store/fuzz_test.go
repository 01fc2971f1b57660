package store

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// FuzzParts reads damaged parts: an error or parts that can be written again.
func FuzzParts(f *testing.F) {
	for _, content := range []plimsoll.List[plimsoll.Part]{
		{},
		plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "a\n"}, plimsoll.Media{Kind: plimsoll.Image, Data: "aGk=", Width: 3, Seconds: 1}),
		plimsoll.ListOf[plimsoll.Part](plimsoll.ToolCall{ID: "1", Name: "ls", Arguments: "{}"}, plimsoll.Opaque{Kind: "x", Raw: "{}"}),
		plimsoll.ListOf[plimsoll.Part](plimsoll.ToolResult{
			CallID: "1", IsError: true, Ref: &plimsoll.Ref{ID: "r", Bytes: 1, Lines: 1},
			Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Reasoning{Text: "t", Signature: "s", Redacted: true}),
		}),
	} {
		s, err := sourceOf(content)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.Join(s.text, "")+strings.Join(s.rest, ""), s.bytes)
	}
	f.Fuzz(func(t *testing.T, stored string, textLen int64) {
		content, err := decodeParts(stored, textLen)
		if textLen >= 0 && textLen < int64(len(stored)) {
			skimmed := partsDecoder{textLen: textLen, rest: stored[textLen:]}
			if skimmed.whole(); (skimmed.err == nil) != (err == nil) {
				t.Errorf("with the text %v, without it %v", err, skimmed.err)
			}
		}
		if err != nil || length(content) > 1<<20 {
			return
		}
		s, err := sourceOf(content)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if s.kind != KindParts {
			return
		}
		again, err := decodeParts(strings.Join(s.text, "")+strings.Join(s.rest, ""), s.bytes)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		items := cmp.Transformer("items", func(l plimsoll.List[plimsoll.Part]) []plimsoll.Part { return l.Slice() })
		if diff := cmp.Diff(content, again, items, cmp.Comparer(sameBits)); diff != "" {
			t.Errorf("-read +read again\n%s", diff)
		}
	})
}

// sameBits compares as stored; what is no number equals itself.
func sameBits(a, b float64) bool { return a == b || a != a && b != b }

// length adds up the texts; many parts may stand for the same one.
func length(content plimsoll.List[plimsoll.Part]) int {
	n := content.Len()
	for _, p := range content.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			n += len(p.Text)
		case plimsoll.ToolCall:
			n += len(p.ID) + len(p.Name) + len(p.Arguments)
		case plimsoll.ToolResult:
			n += len(p.CallID) + len(p.Name) + length(p.Content)
		case plimsoll.Reasoning:
			n += len(p.Text) + len(p.Signature)
		case plimsoll.Media:
			n += len(p.Kind) + len(p.MIME) + len(p.Data) + len(p.URL) + len(p.Detail)
		case plimsoll.Opaque:
			n += len(p.Kind) + len(p.Raw)
		}
	}
	return n
}

// FuzzCut cuts any content, and content that begins like it.
func FuzzCut(f *testing.F) {
	f.Add([]byte("short"), []byte("tail"))
	f.Add(make([]byte, 1000), []byte{})
	random := make([]byte, 2000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	f.Add(random, []byte("x"))
	f.Fuzz(func(t *testing.T, data, tail []byte) {
		c := newCutter(64)
		longer := append(data[:len(data):len(data)], tail...)
		for rest := data; len(rest) > 0; {
			n := c.cut(rest)
			if n <= 0 || n > len(rest) || n > c.max || n < c.min && n < len(rest) {
				t.Fatalf("a chunk of %d bytes of %d", n, len(rest))
			}
			if whole := c.cut(longer); len(rest) >= c.max && whole != n {
				t.Fatalf("a chunk of %d bytes, but %d with more behind it", n, whole)
			}
			rest, longer = rest[n:], longer[n:]
		}
	})
}

func TestChunksDependOnWhatIsNearTheirEnds(t *testing.T) {
	t.Parallel()
	c := newCutter(256 << 10)
	data := make([]byte, 8<<20)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(data)
	ends := func(data []byte, shift int) map[int]bool {
		found := map[int]bool{}
		for at := 0; at < len(data); {
			at += c.cut(data[at:])
			found[at-shift] = true
		}
		return found
	}
	before := ends(data, 0)
	after := ends(append([]byte("an insertion at the beginning"), data...), 29)
	same := 0
	for at := range before {
		if after[at] {
			same++
		}
	}
	if n := len(before); same < n*9/10 || n < 16 || n > 64 {
		t.Errorf("%d chunks of 8 MiB, %d of them the same after an insertion", n, same)
	}
}

func TestGearsNeverChange(t *testing.T) {
	t.Parallel()
	var sum uint64
	for _, g := range gear {
		sum = sum*31 + g
	}
	c := newCutter(64)
	data := []byte(strings.Repeat("the same content must be cut the same way for ever. ", 20))
	if n := c.cut(data); sum != 0x54d2d61b45ee65b || n != 33 {
		t.Errorf("got sum %#x and a chunk of %d bytes", sum, n)
	}
}
