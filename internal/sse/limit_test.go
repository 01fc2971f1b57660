package sse_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/sse"
)

func TestAnEventBeyondTheLimitIsSkippedAndMeasured(t *testing.T) {
	t.Parallel()
	small := outcome{Event: sse.Event{Data: data("1"), Raw: data("data: 1\n\n")}}
	tooLarge := func(offset, size int64) outcome {
		return outcome{TooLarge: &sse.TooLargeError{Offset: offset, Size: size, Limit: 12}}
	}
	for _, tt := range []struct {
		name, in string
		want     []outcome
	}{
		{"an event of the limit's size is read", "data: 1234\n\n", []outcome{{Event: sse.Event{Data: data("1234"), Raw: data("data: 1234\n\n")}}}},
		{"an event one byte larger is not", "data: 12345\n\ndata: 1\n\n", []outcome{tooLarge(0, 13), small}},
		{"the events around it are read", "data: 1\n\ndata: 123456789\n\ndata: 1\n\n", []outcome{small, tooLarge(9, 17), small}},
		{"its size is that of all its lines", "data: 1\n:2\r\n:3\r:4\nevent: a\r\n\r\ndata: 1\n\n", []outcome{tooLarge(0, 30), small}},
		{"it ends at a blank line, not at a line end in its middle", ":1234567890123\n:\n\ndata: 1\n\n", []outcome{tooLarge(0, 18), small}},
		{"its name does not count", "event: a\n:23456789\n\ndata: 1\n\n", []outcome{tooLarge(0, 20), small}},
		{"it may be cut off by the end", "data: 1\n\ndata: 1234567", []outcome{small, tooLarge(9, 13)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &sse.Options{MaxEvent: 12}
			for way, got := range map[string][]outcome{
				"read at once":         pull(t, strings.NewReader(tt.in), o),
				"read byte by byte":    pull(t, iotest.OneByteReader(strings.NewReader(tt.in)), o),
				"written byte by byte": push(t, singles(tt.in), o),
			} {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

func TestTheErrorOfALargeEventHasTheNumbers(t *testing.T) {
	t.Parallel()
	_, err := sse.NewReader(strings.NewReader("data: 1\n\n"), &sse.Options{MaxEvent: 8}).Next()
	if want := "sse: event at byte 0 has 9 bytes, the limit is 8"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestABrokenStreamGivesWhatCameAndThenItsError(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\ndat"), iotest.ErrReader(io.ErrUnexpectedEOF))
	r := sse.NewReader(in, nil)
	var raw []string
	var err error
	for err == nil {
		var e sse.Event
		if e, err = r.Next(); err == nil {
			raw = append(raw, string(e.Raw))
		}
	}
	if diff := cmp.Diff([]string{"data: 1\n\n", "data: 2\ndat"}, raw); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "at byte 20") {
		t.Errorf("error %v, want the stream's own with its place", err)
	}
	if _, again := r.Next(); again != err {
		t.Errorf("the call after the end gives %v", again)
	}
}

// mute never gives anything.
type mute struct{}

func (mute) Read([]byte) (int, error) { return 0, nil }

func TestAReaderThatGivesNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	if _, err := sse.NewReader(mute{}, nil).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want io.ErrNoProgress", err)
	}
}

func TestAClosedSplitterTakesNothing(t *testing.T) {
	t.Parallel()
	calls := 0
	s := sse.NewSplitter(func(sse.Event, error) { calls++ }, nil)
	if _, err := s.Write([]byte("data: 1")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Write([]byte("\n\n")); n != 0 || err == nil {
		t.Errorf("Write after Close took %d bytes, error %v", n, err)
	}
	if calls != 1 {
		t.Errorf("%d calls, want one for the rest", calls)
	}
}

// The streams here would take minutes if any step were quadratic in the size of an
// event, of a piece or of the stream.
func TestLongStreamsTakeTimeInProportion(t *testing.T) {
	t.Parallel()
	const large, tiny = 16 << 20, 100_000
	text := strings.Repeat("é", large/2)
	for _, tt := range []struct {
		name   string
		in     string
		piece  int
		events int
	}{
		{"one event of 16 MiB in small pieces", "data: " + text + "\n\n", 1021, 1},
		{"one event of 16 MiB that is never ended", "data: " + text, 1 << 14, 1},
		{"one event of a million data lines", strings.Repeat("data\n", 1_000_000) + "\n", 4096, 1},
		{"one event of 2 MiB byte by byte", "data: " + text[:2<<20] + "\n\n", 1, 1},
		{"tiny events ended by LF in one piece", strings.Repeat("data: 1\n\n", tiny), 1 << 30, tiny},
		{"tiny events ended by CR in one piece", strings.Repeat("data: 1\r\r", tiny), 1 << 30, tiny},
		{"tiny events ended by CRLF in one piece", strings.Repeat("data: 1\r\n\r\n", tiny), 1 << 30, tiny},
		{"tiny events with the only LF at the end", strings.Repeat("data: 1\r\r", tiny) + ":\n\n", 1 << 30, tiny + 1},
		{"tiny events byte by byte", strings.Repeat("data: 1\n\n", tiny), 1, tiny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			written, size := 0, 0
			s := sse.NewSplitter(func(e sse.Event, _ error) { written++; size += len(e.Raw) }, nil)
			for in := []byte(tt.in); len(in) > 0; {
				n, err := s.Write(in[:min(tt.piece, len(in))])
				if err != nil {
					t.Fatal(err)
				}
				in = in[n:]
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			read := 0
			for r := sse.NewReader(strings.NewReader(tt.in), nil); ; read++ {
				e, err := r.Next()
				if err != nil {
					break
				}
				size -= len(e.Raw)
			}
			if written != tt.events || read != tt.events || size != 0 {
				t.Errorf("%d events written and %d read, want %d; %d bytes apart", written, read, tt.events, size)
			}
		})
	}
}

// Not parallel, like the test below it: both watch what the process allocates.
func TestAnEndlessEventTakesNoMoreThanTheLimit(t *testing.T) {
	const limit, size = 64 << 10, 32 << 20
	in := io.LimitReader(&loop{in: bytes.Repeat([]byte("data: abc\n"), 1000)}, size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := sse.NewReader(in, &sse.Options{MaxEvent: limit}).Next()
	runtime.ReadMemStats(&after)
	var tooLarge *sse.TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != size {
		t.Fatalf("error %v, want an event of %d bytes", err, size)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16*limit {
		t.Errorf("%d bytes allocated with a limit of %d", used, limit)
	}
}

func TestOnlyNamesAreAllocated(t *testing.T) {
	const named = 50
	in := bytes.Repeat([]byte("event: content_block_delta\ndata: {\"type\":\"content_block_delta\"}\n\n: ping\n\ndata: a\ndata: b\n\nid: 1\ndata: 1\r\n\r\n"), named)
	cut := len(in)/2 + 7
	s := sse.NewSplitter(func(sse.Event, error) {}, nil)
	if n := testing.AllocsPerRun(20, func() {
		_, _ = s.Write(in[:cut])
		_, _ = s.Write(in[cut:])
	}); n > named {
		t.Errorf("a splitter allocates %v times for %d events with names", n, named)
	}
	source := &loop{in: in}
	r := sse.NewReader(source, nil)
	if n := testing.AllocsPerRun(20, func() {
		for range 200 {
			_, _ = r.Next()
		}
	}); n > named {
		t.Errorf("a reader allocates %v times for %d events with names", n, named)
	}
}

// loop gives the same stream again and again.
type loop struct {
	in []byte
	at int
}

func (l *loop) Read(b []byte) (int, error) {
	n := copy(b, l.in[l.at:])
	l.at = (l.at + n) % len(l.in)
	return n, nil
}
