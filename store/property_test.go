package store_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/store"
)

// drawText draws a text of up to some hundred chunks: of few or many lines, of
// characters or of bytes.
func drawText(t *rapid.T, label string) string {
	unit := rapid.SampledFrom([]string{"", "\n", "a", "word ", "line\n", "two\r\n", "日本語", "\xff\xe6", "z\n\n"})
	var b strings.Builder
	for range rapid.IntRange(0, 6).Draw(t, label+" stretches") {
		if rapid.Bool().Draw(t, "random") {
			b.WriteString(prose(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 3000).Draw(t, "length")))
			continue
		}
		b.WriteString(strings.Repeat(unit.Draw(t, "unit"), rapid.SampledFrom([]int{1, 2, 3, 15, 16, 17, 63, 64, 65, 200, 300, 30_000}).Draw(t, "times")))
	}
	return b.String()
}

func TestAnyTextReadsBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t)
		content := drawText(rt, "text")
		ref := k.put(t, content)
		if got, err := readAll(ctx, k.tenant, ref.ID); err != nil || got != content {
			rt.Fatalf("read: got %d bytes, %v, want %d", len(got), err, len(content))
		}
		if got, err := k.tenant.Content(ctx, ref.ID); err != nil || plimsoll.TextOf(got) != content {
			rt.Fatalf("content: %v", err)
		}
		from := rapid.IntRange(0, len(content)).Draw(rt, "from")
		length := rapid.IntRange(0, len(content)-from).Draw(rt, "length")
		if got := stretch(ctx, rt, k.tenant, ref.ID, from, length); got != content[from:from+length] {
			rt.Fatalf("bytes %d to %d differ", from, from+length)
		}
	})
}

func stretch(ctx context.Context, rt *rapid.T, tenant *store.Tenant, id string, from, length int) string {
	r, err := tenant.Open(ctx, id)
	must(rt, err)
	defer r.Close()
	_, err = r.Seek(int64(from), io.SeekStart)
	must(rt, err)
	data := make([]byte, length)
	_, err = io.ReadFull(r, data)
	must(rt, err)
	return string(data)
}

func TestAnyRangeOfLinesIsWhatSplittingGives(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t)
		content := drawText(rt, "text")
		ref := k.put(t, content)
		lines := strings.Split(content, "\n")
		if ref.Lines != int64(len(lines)) {
			rt.Fatalf("got %d lines, want %d", ref.Lines, len(lines))
		}
		r, err := k.tenant.Open(ctx, ref.ID)
		must(rt, err)
		defer r.Close()
		from := rapid.IntRange(0, len(lines)).Draw(rt, "from")
		count := rapid.IntRange(1, 20).Draw(rt, "count")
		want := append([]string(nil), lines[from:min(len(lines), from+count)]...)
		var got []string
		offset := int64(len(strings.Join(lines[:from], "\n")) + min(from, 1))
		for l, err := range r.Lines(ctx, int64(from)) {
			must(rt, err)
			if l.Start == 0 {
				if len(got) == count {
					break
				}
				got = append(got, "")
			}
			if l.Number != int64(from+len(got)-1) || l.Offset != offset || content[l.Offset:l.Offset+int64(len(l.Text))] != string(l.Text) {
				rt.Fatalf("line %d at %d, want %d at %d", l.Number, l.Offset, from+len(got)-1, offset)
			}
			got[len(got)-1] += string(l.Text)
			offset += int64(len(l.Text))
			if !l.More {
				offset++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("from %d: -want +got\n%s", from, diff)
		}
	})
}

func TestAnyPartsComeBackWhole(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t)
		content := drawParts(rt, 0)
		ref, err := k.tenant.Put(ctx, content)
		must(rt, err)
		got, err := k.tenant.Content(ctx, ref.ID)
		must(rt, err)
		if diff := cmp.Diff(content.Slice(), got.Slice(), samePart); diff != "" {
			rt.Fatalf("-want +got\n%s", diff)
		}
		read, err := readAll(ctx, k.tenant, ref.ID)
		must(rt, err)
		if lines := strings.Count(read, "\n") + 1; ref.Bytes != int64(len(read)) || ref.Lines != int64(lines) {
			rt.Fatalf("got %+v, want %d bytes and %d lines", ref, len(read), lines)
		}
		if !strings.Contains(read, plimsoll.TextOf(content)) && countOf[plimsoll.Text](content) == content.Len() {
			rt.Fatalf("texts read as %q", read)
		}
		findings, err := k.Check(ctx)
		if len(findings) > 0 || err != nil {
			rt.Fatalf("check: %v, %v", findings, err)
		}
	})
}

func countOf[P plimsoll.Part](l plimsoll.List[plimsoll.Part]) int {
	return plimsoll.CountOf[P](plimsoll.NewMessage(plimsoll.User, l.Slice()...))
}

func drawParts(t *rapid.T, depth int) plimsoll.List[plimsoll.Part] {
	var parts []plimsoll.Part
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		parts = append(parts, drawPart(t, depth))
	}
	return plimsoll.ListOf(parts...)
}

func drawPart(t *rapid.T, depth int) plimsoll.Part {
	short := func() string {
		return rapid.SampledFrom([]string{"", "a", "two\nlines", "\x00\xff", strings.Repeat("日", 2000)}).Draw(t, "short")
	}
	number := func() int {
		return rapid.SampledFrom([]int{0, 1, -1, 300, 1 << 40}).Draw(t, "number")
	}
	switch rapid.IntRange(0, 6-min(depth, 1)).Draw(t, "type") {
	case 0, 1:
		return plimsoll.Text{Text: drawText(t, "text")}
	case 2:
		return plimsoll.ToolCall{ID: short(), Name: short(), Arguments: short()}
	case 3:
		return plimsoll.Reasoning{Text: short(), Signature: short(), Redacted: rapid.Bool().Draw(t, "redacted")}
	case 4:
		return plimsoll.Media{
			Kind: plimsoll.MediaKind(short()), MIME: short(), Data: drawText(t, "data"), URL: short(), Detail: short(),
			Width: number(), Height: number(), Pages: number(), Seconds: rapid.Float64().Draw(t, "seconds"),
		}
	case 5:
		return plimsoll.Opaque{Kind: rapid.SampledFrom([]string{"", "x/y", fit.SpanKind}).Draw(t, "kind"), Raw: short()}
	}
	r := plimsoll.ToolResult{CallID: short(), Name: short(), IsError: rapid.Bool().Draw(t, "error"), Content: drawParts(t, depth+1)}
	if rapid.Bool().Draw(t, "has ref") {
		r.Ref = &plimsoll.Ref{ID: short(), Bytes: int64(number()), Lines: int64(number())}
	}
	return r
}

func TestDifferentContentsHaveDifferentRefs(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawParts(rt, 0), drawParts(rt, 0)
		ra, err := k.tenant.Ref(ctx, a)
		must(rt, err)
		rb, err := k.tenant.Ref(ctx, b)
		must(rt, err)
		if same := cmp.Equal(a.Slice(), b.Slice(), samePart); same != (ra.ID == rb.ID) {
			rt.Fatalf("same content: %v, ids %s and %s", same, ra.ID, rb.ID)
		}
	})
}

func TestChunksOfRandomContentAreAsLongAsAsked(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	random := rand.NewChaCha8([32]byte{})
	_, err := k.tenant.PutReader(t.Context(), io.LimitReader(random, 1<<20), "")
	must(t, err)
	mean := (1 << 20) / len(k.memory.chunks)
	if mean < 48 || mean > 96 {
		t.Errorf("chunks have %d bytes on average, want about 64", mean)
	}
}
