package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// outcome is what one call of Next or of a callback gave, kept beyond the call.
type outcome struct {
	Event    sse.Event
	TooLarge *sse.TooLargeError
}

func keep(t testing.TB, e sse.Event, err error) outcome {
	t.Helper()
	o := outcome{Event: e}
	if err != nil && !errors.As(err, &o.TooLarge) {
		t.Fatalf("unexpected error %v", err)
	}
	o.Event.Data, o.Event.Raw = bytes.Clone(e.Data), bytes.Clone(e.Raw)
	return o
}

func pull(t testing.TB, r io.Reader, o *sse.Options) []outcome {
	t.Helper()
	var all []outcome
	for reader := sse.NewReader(r, o); ; {
		e, err := reader.Next()
		if err == io.EOF {
			return all
		}
		all = append(all, keep(t, e, err))
	}
}

// push writes the pieces through one buffer that it wipes in between, so that an
// event that holds on to a piece is found out.
func push(t testing.TB, pieces [][]byte, o *sse.Options) []outcome {
	t.Helper()
	return pushTo(t, sse.Events, pieces, o)
}

func pushTo(t testing.TB, form sse.Framing, pieces [][]byte, o *sse.Options) []outcome {
	t.Helper()
	var all []outcome
	s := form.Splitter(func(e sse.Event, err error) { all = append(all, keep(t, e, err)) }, o)
	var buffer []byte
	for _, piece := range pieces {
		buffer = append(buffer[:0], piece...)
		if n, err := s.Write(buffer); n != len(piece) || err != nil {
			t.Fatalf("Write took %d of %d bytes: %v", n, len(piece), err)
		}
		for i := range buffer {
			buffer[i] = '\n'
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

func singles(in string) [][]byte {
	pieces := make([][]byte, len(in))
	for i := range len(in) {
		pieces[i] = []byte(in[i : i+1])
	}
	return pieces
}

func data(s string) []byte { return []byte(s) }

func TestStreamsAreReadAsTheSpecificationSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []sse.Event
	}{
		{"nothing is no event", "", nil},
		{
			"an event has a name and data", "event: delta\ndata: {}\n\n",
			[]sse.Event{{Name: "delta", Data: data("{}"), Raw: data("event: delta\ndata: {}\n\n")}},
		},
		{
			"lines may end in CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
			[]sse.Event{
				{Name: "a", Data: data("1"), Raw: data("event: a\r\ndata: 1\r\n\r\n")},
				{Data: data("2"), Raw: data("data: 2\r\n\r\n")},
			},
		},
		{
			"lines may end in CR", "event: a\rdata: 1\r\rdata: 2\r\r",
			[]sse.Event{
				{Name: "a", Data: data("1"), Raw: data("event: a\rdata: 1\r\r")},
				{Data: data("2"), Raw: data("data: 2\r\r")},
			},
		},
		{
			"line ends may be mixed", "data: 1\r\ndata: 2\rdata: 3\n\r\ndata: 4\n\rdata: 5\r\n\n",
			[]sse.Event{
				{Data: data("1\n2\n3"), Raw: data("data: 1\r\ndata: 2\rdata: 3\n\r\n")},
				{Data: data("4"), Raw: data("data: 4\n\r")},
				{Data: data("5"), Raw: data("data: 5\r\n\n")},
			},
		},
		{
			"an LF behind two CRs belongs to the second and stands in the next event", "data: 1\r\r\ndata: 2\r\r\n",
			[]sse.Event{
				{Data: data("1"), Raw: data("data: 1\r\r")},
				{Data: data("2"), Raw: data("\ndata: 2\r\r")},
				{Raw: data("\n")},
			},
		},
		{
			"several data lines are joined by LF", "data: a\ndata:\ndata:  b\n\n",
			[]sse.Event{{Data: data("a\n\n b"), Raw: data("data: a\ndata:\ndata:  b\n\n")}},
		},
		{
			"one space behind the colon is dropped, and only one", "data:a\n\ndata:  b\n\ndata:\tc\n\n",
			[]sse.Event{
				{Data: data("a"), Raw: data("data:a\n\n")},
				{Data: data(" b"), Raw: data("data:  b\n\n")},
				{Data: data("\tc"), Raw: data("data:\tc\n\n")},
			},
		},
		{
			"an empty data line is data that is empty", "data\n\ndata:\n\ndata: \n\n",
			[]sse.Event{
				{Data: data(""), Raw: data("data\n\n")},
				{Data: data(""), Raw: data("data:\n\n")},
				{Data: data(""), Raw: data("data: \n\n")},
			},
		},
		{
			"two empty data lines are an LF", "data\ndata\n\n",
			[]sse.Event{{Data: data("\n"), Raw: data("data\ndata\n\n")}},
		},
		{
			"a comment is an event without data", ": ping\n\n:\n\ndata: 1\n:x\n\n",
			[]sse.Event{
				{Raw: data(": ping\n\n")},
				{Raw: data(":\n\n")},
				{Data: data("1"), Raw: data("data: 1\n:x\n\n")},
			},
		},
		{
			"blank lines are events without data", "\n\r\ndata: 1\n\n\n",
			[]sse.Event{
				{Raw: data("\n")},
				{Raw: data("\r\n")},
				{Data: data("1"), Raw: data("data: 1\n\n")},
				{Raw: data("\n")},
			},
		},
		{
			"a name without data does not pass to the next event", "event: ping\n\ndata: 1\n\n",
			[]sse.Event{
				{Name: "ping", Raw: data("event: ping\n\n")},
				{Data: data("1"), Raw: data("data: 1\n\n")},
			},
		},
		{
			"the last event line counts", "event: a\nevent: b\ndata: 1\n\nevent: a\nevent\ndata: 2\n\n",
			[]sse.Event{
				{Name: "b", Data: data("1"), Raw: data("event: a\nevent: b\ndata: 1\n\n")},
				{Data: data("2"), Raw: data("event: a\nevent\ndata: 2\n\n")},
			},
		},
		{
			"lines of id and retry are in Raw only", "id: 7\nretry: 1500\ndata: 1\n\n",
			[]sse.Event{{Data: data("1"), Raw: data("id: 7\nretry: 1500\ndata: 1\n\n")}},
		},
		{
			"unknown fields are ignored and names are exact", "foo: 1\nDATA: 2\n data: 3\ndata : 4\nfoo\n\n",
			[]sse.Event{{Raw: data("foo: 1\nDATA: 2\n data: 3\ndata : 4\nfoo\n\n")}},
		},
		{
			"a byte order mark counts at the start only", "\ufeffdata: 1\n\n\ufeffdata: 2\n\n",
			[]sse.Event{
				{Data: data("1"), Raw: data("\ufeffdata: 1\n\n")},
				{Raw: data("\ufeffdata: 2\n\n")},
			},
		},
		{
			"a second byte order mark is part of a field", "\ufeff\ufeffdata: 1\n\n",
			[]sse.Event{{Raw: data("\ufeff\ufeffdata: 1\n\n")}},
		},
		{
			"a byte order mark before a blank line", "\ufeff\ndata: 1\n\n",
			[]sse.Event{{Raw: data("\ufeff\n")}, {Data: data("1"), Raw: data("data: 1\n\n")}},
		},
		{
			"a byte order mark that breaks off", "\xef\xbb",
			[]sse.Event{{Raw: data("\xef\xbb"), Cut: true}},
		},
		{
			"a stream that ends in the middle of a line", "data: 1\n\ndata: {\"a",
			[]sse.Event{
				{Data: data("1"), Raw: data("data: 1\n\n")},
				{Data: data("{\"a"), Raw: data("data: {\"a"), Cut: true},
			},
		},
		{
			"a stream that ends without the blank line", "event: a\ndata: [DONE]\n",
			[]sse.Event{{Name: "a", Data: data("[DONE]"), Raw: data("event: a\ndata: [DONE]\n"), Cut: true}},
		},
		{
			"a stream that ends between CR and LF has its blank line", "data: 1\r\n\r",
			[]sse.Event{{Data: data("1"), Raw: data("data: 1\r\n\r")}},
		},
		{
			"a stream that ends in one CR lacks the blank line", "data: 1\r",
			[]sse.Event{{Data: data("1"), Raw: data("data: 1\r"), Cut: true}},
		},
		{
			"bytes that are no UTF-8 stay", "event: \xff\ndata: \xc3\x28\x00\n\n",
			[]sse.Event{{Name: "\xff", Data: data("\xc3\x28\x00"), Raw: data("event: \xff\ndata: \xc3\x28\x00\n\n")}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var want []outcome
			for _, e := range tt.want {
				want = append(want, outcome{Event: e})
			}
			for way, got := range map[string][]outcome{
				"read at once":         pull(t, strings.NewReader(tt.in), nil),
				"read byte by byte":    pull(t, iotest.OneByteReader(strings.NewReader(tt.in)), nil),
				"read with early EOF":  pull(t, iotest.DataErrReader(strings.NewReader(tt.in)), nil),
				"written at once":      push(t, [][]byte{[]byte(tt.in)}, nil),
				"written byte by byte": push(t, singles(tt.in), nil),
			} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

func TestAnEventComesWithItsLastByte(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, end string }{
		{"LF", "\n"}, {"CR", "\r"}, {"CRLF", "\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events := 0
			s := sse.NewSplitter(func(sse.Event, error) { events++ }, nil)
			for i := range 3 {
				for _, b := range singles("event: a" + tt.end + "data: 1" + tt.end + tt.end) {
					if events != i {
						t.Fatalf("%d events before the last byte of event %d", events, i)
					}
					if _, err := s.Write(b); err != nil {
						t.Fatal(err)
					}
				}
				if events != i+1 {
					t.Fatalf("%d events with the last byte of event %d", events, i)
				}
			}
		})
	}
}

func TestDataTellsEventsFromKeepAlives(t *testing.T) {
	t.Parallel()
	var got []bool
	for _, o := range pull(t, strings.NewReader(": ping\n\ndata\n\nevent: ping\n\ndata: 1\n\n"), nil) {
		got = append(got, o.Event.HasData())
	}
	if diff := cmp.Diff([]bool{false, true, false, true}, got); diff != "" {
		t.Errorf("HasData (-want +got):\n%s", diff)
	}
}

func TestAnEventCannotBeAppendedInto(t *testing.T) {
	t.Parallel()
	in := []byte("data: 1\n\ndata: a\ndata: b\n\ndata: 3\n\n")
	whole := bytes.Clone(in)
	s := sse.NewSplitter(func(e sse.Event, _ error) {
		_ = append(e.Data, "overwritten"...)
		_ = append(e.Raw, "overwritten"...)
	}, nil)
	if _, err := s.Write(in); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(in, whole) {
		t.Errorf("the stream became %q", in)
	}
}
