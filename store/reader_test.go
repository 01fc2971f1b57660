package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// linesOf returns the lines from a number on, pieces joined.
func linesOf(t testing.TB, k *kit, id string, from int64) []string {
	t.Helper()
	r, err := k.tenant.Open(t.Context(), id)
	must(t, err)
	defer r.Close()
	var lines []string
	open := false
	for l, err := range r.Lines(t.Context(), from) {
		must(t, err)
		if open {
			lines[len(lines)-1] += string(l.Text)
		} else {
			lines = append(lines, string(l.Text))
		}
		open = l.More
	}
	return lines
}

func TestReadersReadAsReadersDo(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 20_000)
	r, err := k.tenant.Open(t.Context(), k.put(t, content).ID)
	must(t, err)
	defer r.Close()
	if err := iotest.TestReader(r, []byte(content)); err != nil {
		t.Error(err)
	}
}

func TestWriteToGoesOnWhereReadEnded(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 5000)
	r, err := k.tenant.Open(t.Context(), k.put(t, content).ID)
	must(t, err)
	defer r.Close()
	for _, from := range []int{0, 1, 777, 4999, 5000, 6000} {
		_, err := r.Seek(int64(from/2), io.SeekStart)
		must(t, err)
		_, err = io.CopyN(io.Discard, struct{ io.Reader }{r}, int64(min(5000, from)-from/2))
		must(t, err)
		var got bytes.Buffer
		n, err := r.WriteTo(&got)
		if want := content[min(from, 5000):]; err != nil || got.String() != want || n != int64(len(want)) {
			t.Errorf("from %d: got %d bytes and says %d, %v, want %d", from, got.Len(), n, err, len(want))
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("from %d: read %d bytes behind the end, %v", from, n, err)
		}
	}
	full := errors.New("disk is full")
	_, err = r.Seek(0, io.SeekStart)
	must(t, err)
	_, err = r.WriteTo(brokenWriter{full})
	is(t, "write", err, full)
}

// brokenWriter fails.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestSeekRefusesWhatIsBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	r, err := k.tenant.Open(t.Context(), k.put(t, "text").ID)
	must(t, err)
	defer r.Close()
	_, err = r.Seek(-1, io.SeekStart)
	is(t, "before", err, plimsoll.ErrInvalid)
	_, err = r.Seek(0, 7)
	is(t, "from nowhere", err, plimsoll.ErrInvalid)
	if n, err := r.Seek(5, io.SeekEnd); n != 9 || err != nil {
		t.Errorf("behind: got %d, %v", n, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read behind: got %d, %v", n, err)
	}
}

func TestO11_LinesAreReadFromTheChunksThatHoldThem(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 200_000)
	lines := strings.Split(content, "\n")
	ref := k.put(t, content)
	r, err := k.tenant.Open(t.Context(), ref.ID)
	must(t, err)
	defer r.Close()
	for from := 0; from < len(lines); from += 97 {
		k.memory.calls = calls{}
		for l, err := range r.Lines(t.Context(), int64(from)) {
			must(t, err)
			if l.Number != int64(from) || string(l.Text) != lines[from] {
				t.Fatalf("line %d: got %d, %q", from, l.Number, l.Text)
			}
			break
		}
		// One with the end of the line before, and what the line takes.
		if got, want := k.memory.calls.chunksRead, 2+len(lines[from])/16; got > want {
			t.Errorf("line %d of %d bytes took %d chunks, want at most %d", from, len(lines[from]), got, want)
		}
	}
}

func TestO11_ReadingAByteTakesOneChunk(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 200_000)
	r, err := k.tenant.Open(t.Context(), k.put(t, content).ID)
	must(t, err)
	defer r.Close()
	for at := 0; at < len(content); at += 9973 {
		k.memory.calls = calls{}
		_, err := r.Seek(int64(at), io.SeekStart)
		must(t, err)
		var b [1]byte
		_, err = io.ReadFull(r, b[:])
		must(t, err)
		if b[0] != content[at] || k.memory.calls.chunksRead != 1 {
			t.Errorf("byte %d: got %q from %d chunks, want %q from 1", at, b, k.memory.calls.chunksRead, content[at])
		}
	}
}

func TestO11_AScanReadsEachChunkOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 50_000)
	r, err := k.tenant.Open(t.Context(), k.put(t, content).ID)
	must(t, err)
	defer r.Close()
	k.memory.calls = calls{}
	var got bytes.Buffer
	lines := int64(0)
	for b, err := range r.Blocks(t.Context(), 0) {
		must(t, err)
		if b.Offset != int64(got.Len()) || b.Line != lines {
			t.Fatalf("block at %d, %d, want %d, %d", b.Offset, b.Line, got.Len(), lines)
		}
		got.Write(b.Data)
		lines += int64(b.Lines)
	}
	if got.String() != content {
		t.Error("blocks are not the content")
	}
	if n := len(k.memory.chunks); k.memory.calls.chunksRead != n {
		t.Errorf("read %d chunks of %d", k.memory.calls.chunksRead, n)
	}
}

func TestLongLinesComeInPieces(t *testing.T) {
	t.Parallel()
	k := newKitOf(t, 4096)
	for name, line := range map[string]string{
		"of one byte each":         strings.Repeat("x", 300_000),
		"of characters":            strings.Repeat("日", 100_000),
		"of characters, moved":     "ab" + strings.Repeat("日", 100_000),
		"of no characters":         strings.Repeat("\xe6\x97", 100_000),
		"as long as a piece":       strings.Repeat("x", 64<<10),
		"a byte longer than that":  strings.Repeat("x", 64<<10+1),
		"a byte shorter than that": strings.Repeat("x", 64<<10-1),
	} {
		for before, after := range map[string]string{"": "", "first\n": "\nlast"} {
			ref := k.put(t, before+line+after)
			r, err := k.tenant.Open(t.Context(), ref.ID)
			must(t, err)
			number := int64(strings.Count(before, "\n"))
			var got []byte
			for l, err := range r.Lines(t.Context(), number) {
				must(t, err)
				if l.Number != number || l.Start != int64(len(got)) || l.Offset != int64(len(before)+len(got)) || len(l.Text) > 64<<10 {
					t.Fatalf("%s: line %d at %d, %d, of %d bytes, after %d", name, l.Number, l.Start, l.Offset, len(l.Text), len(got))
				}
				if l.Start > 0 && len(l.Text) == 0 {
					t.Errorf("%s: there is an empty piece", name)
				}
				if utf8.ValidString(line) && !utf8.Valid(l.Text) {
					t.Errorf("%s: a piece ends inside a character", name)
				}
				got = append(got, l.Text...)
				if !l.More {
					break
				}
			}
			must(t, r.Close())
			if string(got) != line {
				t.Errorf("%s: pieces make %d bytes, want %d", name, len(got), len(line))
			}
		}
	}
}

func TestGoneIsTheSameWhateverTheReason(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	deleted := k.put(t, "deleted").ID
	foreign, err := k.Tenant("bob").Put(t.Context(), text("his"))
	must(t, err)
	n, err := k.tenant.Delete(t.Context(), deleted, "no id")
	if n != 1 || err != nil {
		t.Errorf("delete: got %d, %v", n, err)
	}
	unknown := strings.Repeat("a", 26)
	for _, id := range []string{deleted, foreign.ID, unknown, "", "x", strings.Repeat("A", 26), "../" + unknown, unknown + "\x00"} {
		for what, get := range map[string]func() error{
			"open":    func() error { _, err := k.tenant.Open(t.Context(), id); return err },
			"content": func() error { _, err := k.tenant.Content(t.Context(), id); return err },
		} {
			err := get()
			is(t, what, err, store.ErrGone)
			is(t, what, err, plimsoll.ErrNotFound)
			want := "read " + id + ": gone: not found"
			if err.Error() != want || plimsoll.HintOf(err) == "" || plimsoll.CodeOf(err) != plimsoll.CodeNotFound {
				t.Errorf("%s %q: got %q, hint %q, code %s", what, id, err, plimsoll.HintOf(err), plimsoll.CodeOf(err))
			}
		}
	}
	if n, err := k.tenant.Delete(t.Context(), foreign.ID); n != 0 || err != nil {
		t.Errorf("delete what is somebody else's: got %d, %v", n, err)
	}
}

func TestTheBackendIsNotAskedForWhatCannotBeAnID(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.memory.before = func(method string) error { return errors.New(method + " was called") }
	for _, id := range []string{"", "x", strings.Repeat("A", 26), strings.Repeat("a", 25) + "\x00", strings.Repeat("a", 27)} {
		_, err := k.tenant.Open(t.Context(), id)
		is(t, id, err, store.ErrGone)
	}
}

func TestNothingIsReadAfterReadingHasEnded(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	r, err := k.tenant.Open(t.Context(), k.put(t, prose(1, 50_000)).ID)
	must(t, err)
	var ended atomic.Bool
	k.memory.before = func(string) error {
		time.Sleep(time.Millisecond)
		if ended.Load() {
			t.Error("the backend is asked for more, though it may be closed")
		}
		return nil
	}
	blocks := 0
	for _, err := range r.Blocks(t.Context(), 0) {
		must(t, err)
		if blocks++; blocks == 10 {
			break
		}
	}
	ended.Store(true)
	time.Sleep(5 * time.Millisecond)
	ended.Store(false)
	_, err = io.CopyN(io.Discard, struct{ io.Reader }{r}, 2000)
	must(t, err)
	must(t, r.Close())
	ended.Store(true)
	time.Sleep(5 * time.Millisecond)
}

func TestWhatIsDeletedWhileItIsReadIsGoneAndNotDamaged(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.put(t, prose(1, 50_000)).ID
	r, err := k.tenant.Open(t.Context(), id)
	must(t, err)
	defer r.Close()
	_, err = io.CopyN(io.Discard, r, 1000)
	must(t, err)
	_, err = k.tenant.Delete(t.Context(), id)
	must(t, err)
	_, err = k.Sweep(t.Context())
	must(t, err)
	_, err = io.Copy(io.Discard, r)
	is(t, "read", err, store.ErrGone)
	for _, err := range r.Lines(t.Context(), 100) {
		is(t, "lines", err, store.ErrGone)
	}
}

func TestACallThatIsCancelledSaysSo(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := k.tenant.Open(ctx, k.put(t, prose(1, 50_000)).ID)
	must(t, err)
	defer r.Close()
	cancel()
	_, err = r.Read(make([]byte, 1))
	is(t, "read", err, context.Canceled)
	_, err = k.tenant.PutReader(ctx, strings.NewReader("new"), "")
	is(t, "put", err, context.Canceled)
	for _, err := range r.Lines(ctx, 5) {
		is(t, "lines", err, context.Canceled)
	}
}

func TestReadingCountsAsUseOnceInAWhile(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.put(t, "text").ID
	for range 20 {
		k.clock.pass(time.Minute)
		_, err := readAll(t.Context(), k.tenant, id)
		must(t, err)
	}
	if n := k.memory.calls.touches; n != 4 {
		t.Errorf("20 reads in 20 minutes wrote %d times, want 4", n)
	}
}

func TestAStoreThatCannotBeWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.put(t, "text").ID
	k.clock.pass(time.Hour)
	k.memory.before = func(method string) error {
		if method == "Touch" || method == "Write" {
			return store.ErrUnavailable
		}
		return nil
	}
	if got, err := readAll(t.Context(), k.tenant, id); got != "text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestABackendThatIsDownSaysSo(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.put(t, "text").ID
	k.memory.before = func(string) error { return store.ErrUnavailable }
	_, err := k.tenant.Open(t.Context(), id)
	is(t, "open", err, store.ErrUnavailable)
	_, err = k.tenant.Put(t.Context(), text("text"))
	is(t, "put", err, store.ErrUnavailable)
	if errors.Is(err, plimsoll.ErrNotFound) || plimsoll.CodeOf(err) != plimsoll.CodeUnavailable {
		t.Errorf("got %v, code %s", err, plimsoll.CodeOf(err))
	}
}
