package sse_test

import (
	"bytes"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// message is an event that a browser would dispatch.
type message struct{ Name, Data string }

var lineEnd = regexp.MustCompile("\r\n|\r|\n")

// reference reads a whole stream in the words of the specification, with nothing
// in common with the parser: it cuts the text into lines, then goes through them.
func reference(in string) []message {
	in = strings.TrimPrefix(in, "\ufeff")
	lines := lineEnd.Split(in, -1)
	lines = lines[:len(lines)-1]
	var all []message
	var name, data string
	for _, line := range lines {
		if line == "" {
			if data != "" {
				all = append(all, message{name, strings.TrimSuffix(data, "\n")})
			}
			name, data = "", ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data += value + "\n"
		}
	}
	return all
}

func messages(all []outcome) []message {
	var found []message
	for _, o := range all {
		if e := o.Event; o.TooLarge == nil && e.HasData() && !e.Cut {
			found = append(found, message{e.Name, string(e.Data)})
		}
	}
	return found
}

// pieces cuts the stream into lengths that repeat.
func pieces(in []byte, lengths []byte) [][]byte {
	var all [][]byte
	for i := 0; len(in) > 0; i++ {
		n := len(in)
		if len(lengths) > 0 {
			n = min(n, int(lengths[i%len(lengths)])+1)
		}
		all = append(all, in[:n])
		in = in[n:]
	}
	return all
}

// drip gives one piece with each Read.
type drip struct{ pieces [][]byte }

func (d *drip) Read(b []byte) (int, error) {
	if len(d.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, d.pieces[0])
	if d.pieces[0] = d.pieces[0][n:]; len(d.pieces[0]) == 0 {
		d.pieces = d.pieces[1:]
	}
	return n, nil
}

// checkLaws holds for every stream in every chunking: nothing is lost, the
// chunking does not show, no event is beyond the limit, and what is dispatched is
// what the specification dispatches.
func checkLaws(t testing.TB, in, lengths []byte, limit int) {
	t.Helper()
	o := &sse.Options{MaxEvent: limit}
	want := push(t, [][]byte{in}, o)
	if got := push(t, pieces(in, lengths), o); !reflect.DeepEqual(want, got) {
		t.Fatalf("written in pieces (-at once +in pieces):\n%s", cmp.Diff(want, got))
	}
	if got := pull(t, &drip{pieces(in, lengths)}, o); !reflect.DeepEqual(want, got) {
		t.Fatalf("read in pieces (-written at once +read in pieces):\n%s", cmp.Diff(want, got))
	}
	at := 0
	for i, o := range want {
		at = checkPlace(t, in, at, o, limit)
		if o.Event.Cut && i != len(want)-1 {
			t.Fatalf("event %d of %d is cut", i, len(want))
		}
	}
	if at != len(in) {
		t.Fatalf("%d of %d bytes came out", at, len(in))
	}
	if limit >= len(in) {
		if spec, got := reference(string(in)), messages(want); !slices.Equal(spec, got) {
			t.Fatalf("messages (-specification +got):\n%s", cmp.Diff(spec, got))
		}
	}
}

// checkPlace checks that the event is the stream's bytes from at on and gives
// where it ends.
func checkPlace(t testing.TB, in []byte, at int, o outcome, limit int) int {
	t.Helper()
	if o.TooLarge != nil {
		if o.TooLarge.Offset != int64(at) || o.TooLarge.Size <= int64(limit) {
			t.Fatalf("at byte %d with a limit of %d: %v", at, limit, o.TooLarge)
		}
		return at + int(o.TooLarge.Size)
	}
	end := at + len(o.Event.Raw)
	if end == at || end > len(in) || end-at > limit || !bytes.Equal(in[at:end], o.Event.Raw) {
		t.Fatalf("at byte %d with a limit of %d: %q", at, limit, o.Event.Raw)
	}
	return end
}

func TestNothingIsLostInAnyChunking(t *testing.T) {
	t.Parallel()
	fragment := rapid.SampledFrom([]string{
		"\n", "\n", "\r", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", ":", ": ", " ", "data", "data: ", "data: {}\n\n", "event: ", "event: ping\n",
		"id: ", "id:1\r", "\x00", "retry: 12\n", "\ufeff", "\xef", "\xbb", "\xbf", "é", "😀", "x", ": keep-alive\n\n", "[DONE]",
	})
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(fragment, 0, 40).Draw(rt, "fragments"), "")
		lengths := rapid.SliceOfN(rapid.ByteMax(12), 1, 8).Draw(rt, "lengths")
		limit := rapid.OneOf(rapid.IntRange(1, 40), rapid.Just(1<<20)).Draw(rt, "limit")
		checkLaws(adapter{t, rt}, []byte(in), lengths, limit)
	})
}

// adapter reports a failure to rapid, so that it shrinks the stream.
type adapter struct {
	testing.TB
	rt *rapid.T
}

func (a adapter) Helper()                           {}
func (a adapter) Fatal(args ...any)                 { a.rt.Fatal(args...) }
func (a adapter) Fatalf(format string, args ...any) { a.rt.Fatalf(format, args...) }

func FuzzNothingIsLost(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: 1\r\n\r\n: ping\n\ndata: 2\rdata: 3\r\rdata: 4"), []byte{0, 2}, uint16(0))
	f.Add([]byte("\ufeffid: 1\x00\ndata\n\nretry: 5\n\n\r\r\n"), []byte{0}, uint16(9))
	f.Fuzz(func(t *testing.T, in, lengths []byte, limit uint16) {
		most := int(limit)
		if most == 0 {
			most = sse.DefaultMaxEvent
		}
		checkLaws(t, in, lengths, most)
	})
}

func FuzzAppendIsReadBack(f *testing.F) {
	f.Add("delta", []byte("{\"text\":\"a\"}"))
	f.Add("a\r\nb", []byte("1\r2\n3\r\n4\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		got := messages(pull(t, bytes.NewReader(sse.Append(nil, name, data)), nil))
		want := []message{{lineEnd.ReplaceAllString(name, ""), lineEnd.ReplaceAllString(string(data), "\n")}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	})
}
