package store_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/store"
)

func TestO04_ARefSaysHowLongItsTextIs(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text         string
		bytes, lines int64
	}{
		"nothing is one empty line":                     {"", 0, 1},
		"a last line needs no line end":                 {"a\nb", 3, 2},
		"behind a last line end there is an empty line": {"a\nb\n", 4, 3},
		"a carriage return belongs to the line end":     {"a\r\nb", 4, 2},
		"size is in bytes":                              {"日本", 6, 1},
		"many chunks":                                   {strings.Repeat("0123456789\n", 1000), 11_000, 1001},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			ref := k.put(t, row.text)
			want := plimsoll.Ref{ID: ref.ID, Bytes: row.bytes, Lines: row.lines}
			if ref != want {
				t.Errorf("put: got %+v, want %+v", ref, want)
			}
			o, err := k.memory.Object(t.Context(), k.tenant.ID(), ref.ID)
			must(t, err)
			if o.Bytes != row.bytes || o.Lines != row.lines || o.Stored != row.bytes || o.Kind != store.KindText {
				t.Errorf("object: got %+v", o)
			}
		})
	}
}

func TestO04_RefsAreShortAndSayNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref := k.put(t, "some text")
	if !regexp.MustCompile(`^[a-z2-7]{26}$`).MatchString(ref.ID) {
		t.Errorf("got %q, want 26 letters and digits", ref.ID)
	}
	other, err := k.Tenant("bob").Put(t.Context(), text("some text"))
	must(t, err)
	span, err := k.tenant.Ref(t.Context(), plimsoll.ListOf[plimsoll.Part](plimsoll.Opaque{Kind: fit.SpanKind, Raw: "some text"}))
	must(t, err)
	elsewhere := newMemory()
	elsewhere.secret[0]++
	s, err := store.New(t.Context(), elsewhere, nil)
	must(t, err)
	foreign, err := s.Tenant("alice").Ref(t.Context(), text("some text"))
	must(t, err)
	all := map[string]string{ref.ID: "text", other.ID: "tenant", span.ID: "kind", foreign.ID: "store"}
	if len(all) != 4 {
		t.Errorf("the same content has the same id in another tenant, kind or store: %v", all)
	}
}

func TestO05_ARefIsHandedOutWhenItResolves(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 10_000)
	down := errors.New("disk is full")
	for n := range 50 {
		writes := 0
		k.memory.before = func(method string) error {
			if method == "Write" {
				if writes++; writes > n {
					return down
				}
			}
			return nil
		}
		ref, err := k.tenant.PutReader(t.Context(), strings.NewReader(content), "")
		k.memory.before = nil
		if err == nil {
			if n < 2 {
				t.Fatalf("only %d writes were needed, want several", n)
			}
			got, err := readAll(t.Context(), k.tenant, ref.ID)
			must(t, err)
			if got != content {
				t.Errorf("got other content")
			}
			return
		}
		is(t, "put", err, down)
		if ref != (plimsoll.Ref{}) || len(k.memory.objects) > 0 {
			t.Fatalf("a write failed, but there is a reference: %v, %d objects", ref, len(k.memory.objects))
		}
	}
	t.Error("it never succeeded")
}

func TestRefIsWhatPutReturnsAndStoresNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, content := range []plimsoll.List[plimsoll.Part]{text(""), text(prose(1, 5000)), mixed, {}} {
		ref, err := k.tenant.Ref(t.Context(), content)
		must(t, err)
		if n := len(k.memory.chunks); n > 0 && k.memory.calls.writes == 0 {
			t.Errorf("naming stored %d chunks", n)
		}
		before := k.memory.calls
		if again, err := k.tenant.Ref(t.Context(), content); err != nil || again != ref {
			t.Errorf("named again: got %v, %v, want %v", again, err, ref)
		}
		if k.memory.calls != before {
			t.Errorf("naming asked the backend: %+v, was %+v", k.memory.calls, before)
		}
		put, err := k.tenant.Put(t.Context(), content)
		must(t, err)
		if put != ref {
			t.Errorf("put: got %v, want %v", put, ref)
		}
	}
}

func TestPutReaderGivesATextTheRefOfPut(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 9000)
	want := k.put(t, content)
	for name, r := range map[string]io.Reader{
		"whole":               strings.NewReader(content),
		"byte by byte":        iotest.OneByteReader(strings.NewReader(content)),
		"with the end early":  iotest.DataErrReader(strings.NewReader(content)),
		"half of what it can": iotest.HalfReader(strings.NewReader(content)),
	} {
		got, err := k.tenant.PutReader(t.Context(), r, name)
		must(t, err)
		if got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestAReaderThatFailsStoresNoObject(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	broken := errors.New("broken pipe")
	r := io.MultiReader(strings.NewReader(prose(1, 20_000)), iotest.ErrReader(broken))
	_, err := k.tenant.PutReader(t.Context(), r, "")
	is(t, "put", err, broken)
	if len(k.memory.objects) > 0 {
		t.Error("half a text is stored as if it were whole")
	}
}

func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 20_000)
	k.put(t, content)
	first := k.memory.calls
	k.put(t, content)
	if k.memory.calls != first {
		t.Errorf("the second time: got %+v, want %+v", k.memory.calls, first)
	}
	_, err := k.tenant.PutReader(t.Context(), strings.NewReader(content), "")
	must(t, err)
	if k.memory.calls.chunksWritten != first.chunksWritten {
		t.Errorf("a stream wrote %d chunks that were there", k.memory.calls.chunksWritten-first.chunksWritten)
	}
	changed := content[:9000] + "!" + content[9000:]
	k.put(t, changed)
	if n, of := k.memory.calls.chunksWritten-first.chunksWritten, first.chunksWritten; n == 0 || n > 6 {
		t.Errorf("an insertion of a byte wrote %d chunks of %d, want a few", n, of)
	}
	first = k.memory.calls
	k.put(t, prose(9, 700)+content)
	if n := k.memory.calls.chunksWritten - first.chunksWritten; n > 20 {
		t.Errorf("an insertion of 700 bytes wrote %d chunks, want some more than 10", n)
	}
}

func TestTheSameChunkIsWrittenOnceHoweverOftenItComes(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref := k.put(t, strings.Repeat("\x00", 100_000))
	if n := k.memory.calls.chunksWritten; n > 2 {
		t.Errorf("wrote %d chunks, want one, and one for the end", n)
	}
	if got, err := readAll(t.Context(), k.tenant, ref.ID); err != nil || len(got) != 100_000 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestAPutAfterAWhileCountsAsUse(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref := k.put(t, "text")
	for range 3 {
		k.clock.pass(10 * time.Minute)
		k.put(t, "text")
		o, err := k.memory.Object(t.Context(), k.tenant.ID(), ref.ID)
		must(t, err)
		if !o.Used.Equal(k.clock.at) || o.Created.Equal(k.clock.at) {
			t.Errorf("created %v, used %v, want used %v", o.Created, o.Used, k.clock.at)
		}
	}
}

// sweeper lets chunks vanish just before an object is written.
func (k *kit) sweeper(times int) func(string) error {
	writes := 0
	return func(method string) error {
		if method != "Write" {
			return nil
		}
		if writes++; writes > 1 && times > 0 {
			times--
			k.memory.mu.Lock()
			clear(k.memory.chunks)
			k.memory.mu.Unlock()
		}
		return nil
	}
}

func TestChunksThatAreSweptWhileWritingAreWrittenAgain(t *testing.T) {
	t.Parallel()
	content := prose(1, 20_000)
	t.Run("from memory", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.memory.before = k.sweeper(1)
		ref := k.put(t, content)
		got, err := readAll(t.Context(), k.tenant, ref.ID)
		if err != nil || got != content {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
	t.Run("from what can be read twice", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.memory.before = k.sweeper(1)
		r := strings.NewReader("head" + content)
		_, err := r.Seek(4, io.SeekStart)
		must(t, err)
		ref, err := k.tenant.PutReader(t.Context(), r, "")
		must(t, err)
		got, err := readAll(t.Context(), k.tenant, ref.ID)
		if err != nil || got != content {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
	t.Run("from a stream it may be tried again", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		k.memory.before = k.sweeper(100)
		_, err := k.tenant.PutReader(t.Context(), io.MultiReader(strings.NewReader(content)), "")
		is(t, "put", err, store.ErrUnavailable)
		if code := plimsoll.CodeOf(err); code != plimsoll.CodeUnavailable {
			t.Errorf("code: got %q", code)
		}
		if len(k.memory.objects) > 0 {
			t.Error("an object has no content")
		}
	})
}

func TestAStreamThatFitsInABatchSurvivesASweep(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 1000)
	k.put(t, content+"tail")
	ref, err := k.tenant.Ref(t.Context(), text(content))
	must(t, err)
	swept := false
	k.memory.before = func(method string) error {
		if method == "Write" && !swept {
			swept = true
			k.memory.mu.Lock()
			defer k.memory.mu.Unlock()
			clear(k.memory.objects)
			clear(k.memory.chunks)
		}
		return nil
	}
	got, err := k.tenant.PutReader(t.Context(), io.MultiReader(strings.NewReader(content)), "")
	if err != nil || got != ref {
		t.Fatalf("got %v, %v, want %v", got, err, ref)
	}
	if back, err := readAll(t.Context(), k.tenant, ref.ID); err != nil || back != content {
		t.Errorf("got %d bytes, %v", len(back), err)
	}
}

// mixed is content of every kind of part.
var mixed = plimsoll.ListOf[plimsoll.Part](
	plimsoll.Text{Text: "a page\nwith "},
	plimsoll.Media{
		Kind: plimsoll.Image, MIME: "image/png", Data: strings.Repeat("iVBORw0KGgo\n", 900), Detail: "high",
		Width: 640, Height: 480,
	},
	plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", URL: "https://example.com/a.pdf", Pages: 7},
	plimsoll.Media{Kind: plimsoll.Audio, Seconds: 1.5},
	plimsoll.Media{Kind: "hologram"},
	plimsoll.Opaque{Kind: "anthropic/search_result", Raw: "{\"a\":\"\\ud800\",\"b\":\xff}"},
	plimsoll.Opaque{Raw: "{}"},
	plimsoll.ToolCall{ID: "c1", Name: "grep", Arguments: `{"q":"x"}`},
	plimsoll.ToolResult{
		CallID: "c1", Name: "grep", IsError: true, Ref: &plimsoll.Ref{ID: "r", Bytes: 1 << 40, Lines: 9},
		Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "found"}, plimsoll.Text{}),
	},
	plimsoll.Reasoning{Text: "hm", Signature: "sig", Redacted: true},
)

func TestO12_PartsComeBackWhole(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref, err := k.tenant.Put(t.Context(), mixed)
	must(t, err)
	got, err := k.tenant.Content(t.Context(), ref.ID)
	must(t, err)
	if diff := cmp.Diff(mixed.Slice(), got.Slice(), samePart); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// samePart compares lists of parts by their items.
var samePart = cmp.Transformer("items", func(l plimsoll.List[plimsoll.Part]) []plimsoll.Part { return l.Slice() })

func TestO12_PartsReadAsTextWithAWordForEachThatIsNone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ref, err := k.tenant.Put(t.Context(), mixed)
	must(t, err)
	want := "a page\nwith \n[image]\n[document]\n[audio]\n[content]\n[other:anthropic/search_result]\n[content]\n" +
		"grep {\"q\":\"x\"}\nfound\n\nhm"
	got, err := readAll(t.Context(), k.tenant, ref.ID)
	must(t, err)
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if lines := int64(strings.Count(want, "\n") + 1); ref.Bytes != int64(len(want)) || ref.Lines != lines {
		t.Errorf("got %+v, want %d bytes and %d lines", ref, len(want), lines)
	}
	if lines := linesOf(t, k, ref.ID, 0); strings.Join(lines, "\n") != want {
		t.Errorf("lines: got %q", lines)
	}
}

func TestO12_ASpanComesBackAsItWas(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	raw := "{\"role\":\"user\"}\x00\xff"
	span := plimsoll.ListOf[plimsoll.Part](plimsoll.Opaque{Kind: fit.SpanKind, Raw: raw})
	ref, err := k.tenant.Put(t.Context(), span)
	must(t, err)
	got, err := k.tenant.Content(t.Context(), ref.ID)
	must(t, err)
	if diff := cmp.Diff(span.Slice(), got.Slice()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again, err := k.tenant.Ref(t.Context(), span); err != nil || again != ref {
		t.Errorf("got %v, %v, want %v", again, err, ref)
	}
	r, err := k.tenant.Open(t.Context(), ref.ID)
	must(t, err)
	defer r.Close()
	var back bytes.Buffer
	_, err = back.ReadFrom(r)
	must(t, err)
	if back.String() != raw || r.Object().Kind != store.KindSpan {
		t.Errorf("got %q of %+v", back.String(), r.Object())
	}
}

func TestContentThatIsNestedTooDeepIsRefused(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := text("x")
	for range 20 {
		content = plimsoll.ListOf[plimsoll.Part](plimsoll.ToolResult{Content: content})
	}
	_, err := k.tenant.Put(t.Context(), content)
	is(t, "put", err, plimsoll.ErrInvalid)
	_, err = k.tenant.Ref(t.Context(), plimsoll.ListOf[plimsoll.Part](nil))
	is(t, "no part", err, plimsoll.ErrInvalid)
}

func TestArchivedMessagesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	raw := "[{\"role\": \"user\",\n \"content\":\"\\u00e9\"}]"
	content := plimsoll.ListOf[plimsoll.Part](plimsoll.Opaque{Kind: fit.SpanKind, Raw: raw})
	ref, err := k.tenant.Put(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.tenant.Open(t.Context(), ref.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != raw || r.Object().Kind != store.KindSpan {
		t.Errorf("%s %q, error %v; want a span with %q", r.Object().Kind, got, err, raw)
	}
	if ref.Bytes != int64(len(raw)) || ref.Lines != 2 {
		t.Errorf("ref %+v", ref)
	}
}
