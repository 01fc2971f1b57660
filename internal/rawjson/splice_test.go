package rawjson_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func edit(start, end int, text string) rawjson.Edit {
	return rawjson.Edit{Span: rawjson.Span{Start: start, End: end}, Text: []byte(text)}
}

func TestSplice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		edits []rawjson.Edit
		want  string
	}{
		{"replaces", []rawjson.Edit{edit(2, 4, "XYZ")}, "01XYZ456789"},
		{"removes", []rawjson.Edit{edit(0, 3, ""), edit(8, 10, "")}, "34567"},
		{"inserts at both ends", []rawjson.Edit{edit(10, 10, ">"), edit(0, 0, "<")}, "<0123456789>"},
		{"takes edits in any order", []rawjson.Edit{edit(7, 8, "c"), edit(1, 2, "a"), edit(4, 5, "b")}, "0a23b56c89"},
		{"takes edits that touch", []rawjson.Edit{edit(2, 4, "a"), edit(4, 6, "b")}, "01ab6789"},
		{"keeps the order of insertions at one place", []rawjson.Edit{edit(5, 5, "b"), edit(3, 4, "x"), edit(5, 5, "a")}, "012x4ba56789"},
		{"inserts before what begins there", []rawjson.Edit{edit(5, 7, "x"), edit(5, 5, "i")}, "01234ix789"},
		{"inserts behind what ends there", []rawjson.Edit{edit(5, 5, "i"), edit(3, 5, "x")}, "012xi56789"},
		{"replaces everything", []rawjson.Edit{edit(0, 10, "all")}, "all"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := rawjson.Splice([]byte("0123456789"), test.edits)
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestSpliceKeepsTheOrderOfManyInsertions(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrstuvwxyz"
	edits := []rawjson.Edit{edit(2, 2, "!")}
	for _, c := range letters {
		edits = append(edits, edit(1, 1, string(c)))
	}
	if got, err := rawjson.Splice([]byte("<>"), edits); err != nil || string(got) != "<"+letters+">!" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSpliceWithoutEditsReturnsTheSameBytes(t *testing.T) {
	t.Parallel()
	data := []byte("data")
	got, err := rawjson.Splice(data, nil)
	if err != nil || len(got) != len(data) || &got[0] != &data[0] {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSpliceRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		edits []rawjson.Edit
		want  string
	}{
		{"an overlap", []rawjson.Edit{edit(4, 6, ""), edit(2, 5, "")}, "splice: edits of 2 to 5 and of 4 to 6 overlap"},
		{"the same edit twice", []rawjson.Edit{edit(2, 5, ""), edit(2, 5, "")}, "splice: edits of 2 to 5 and of 2 to 5 overlap"},
		{"an insertion inside an edit", []rawjson.Edit{edit(3, 3, "i"), edit(2, 5, "")}, "splice: edits of 2 to 5 and of 3 to 3 overlap"},
		{"an edit past the end", []rawjson.Edit{edit(9, 11, "")}, "splice: edit of 9 to 11 is outside of 10 bytes"},
		{"an edit before the start", []rawjson.Edit{edit(-1, 2, "")}, "splice: edit of -1 to 2 is outside of 10 bytes"},
		{"a span turned round", []rawjson.Edit{edit(5, 2, "")}, "splice: edit of 5 to 2 is outside of 10 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := rawjson.Splice([]byte("0123456789"), test.edits)
			if err == nil || err.Error() != test.want || got != nil {
				t.Errorf("got %q, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestSpliceMakesEachEditAndNoOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// The text is drawn as pieces that stay and pieces that go, so that the
		// result can be put together without knowing how Splice does it.
		var data, want []byte
		var edits []rawjson.Edit
		for i := range rapid.IntRange(0, 12).Draw(t, "pieces") {
			// Two edits at one place would make their order matter.
			stays := rapid.StringN(min(i, 1), 8, -1).Draw(t, "stays")
			goes := rapid.StringN(0, 8, -1).Draw(t, "goes")
			comes := rapid.StringN(0, 8, -1).Draw(t, "comes")
			data = append(data, stays...)
			edits = append(edits, edit(len(data), len(data)+len(goes), comes))
			data = append(data, goes...)
			want = append(append(want, stays...), comes...)
		}
		before := bytes.Clone(data)
		shuffled := rapid.Permutation(edits).Draw(t, "shuffled")
		got, err := rawjson.Splice(data, shuffled)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Splice(%q, %v) is %q, %v, want %q", data, shuffled, got, err, want)
		}
		if !bytes.Equal(data, before) {
			t.Fatalf("Splice has changed %q to %q", before, data)
		}
	})
}

func TestSharedPrefix(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("0123456789abcdef", 1024))
	for _, n := range []int{0, 1, 7, 8, 9, 63, 4095, 4096, 4097, 8192, 10_000, len(text) - 1} {
		other := bytes.Clone(text)
		other[n] ^= 0x80
		if got := rawjson.SharedPrefix(text, other); got != n {
			t.Errorf("texts that differ at %d share %d", n, got)
		}
		if got := rawjson.SharedPrefix(text[:n], text); got != n {
			t.Errorf("a prefix of %d shares %d", n, got)
		}
		if got := rawjson.SharedPrefix(text, text[:n]); got != n {
			t.Errorf("with a prefix of %d it shares %d", n, got)
		}
	}
}
