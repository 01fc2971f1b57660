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
		skip := rapid.SampledFrom([]int{0, 0, 1, 5, 64, 100_000}).Draw(rt, "skip")
		want := append([]string(nil), lines[from:min(len(lines), from+count)]...)
		if len(want) > 0 {
			skip = min(skip, len(want[0]))
			want[0] = want[0][skip:]
		}
		var got []string
		offset := int64(len(strings.Join(lines[:from], "\n")) + min(from, 1) + skip)
		for l, err := range r.LinesAt(ctx, int64(from), int64(skip)) {
			must(rt, err)
			if l.Start == 0 || len(got) == 0 {
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
	var b plimsoll.ListBuilder[plimsoll.Part]
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		b.Append(drawPart(t, depth))
	}
	return b.List()
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
		return plimsoll.Opaque{Kind: rapid.SampledFrom([]string{"", "x/y", plimsoll.SpanKind}).Draw(t, "kind"), Raw: short()}
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

// Whatever bit of whatever chunk, object or extent is wrong: what is read is what was
// stored, or it is an error.
func TestDamageIsNeverReadAsContent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t)
		content := prose(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 2000).Draw(rt, "length"))
		other := k.put(t, "the rest")
		ref := k.put(t, content)
		what := k.damage(rt, ref.ID)
		from := rapid.IntRange(0, len(content)-1).Draw(rt, "from")
		for name, get := range map[string]func() (string, string, error){
			"all":   func() (string, string, error) { got, err := readAll(ctx, k.tenant, ref.ID); return got, content, err },
			"bytes": func() (string, string, error) { return k.bytesFrom(ctx, ref.ID, content, from) },
			"lines": func() (string, string, error) { return k.linesFrom(ctx, ref.ID, content, from) },
		} {
			got, want, err := get()
			if err == nil && got != want {
				rt.Fatalf("%s after damage to %s: got %q, want %q", name, what, got, want)
			}
			if err != nil && !isDamage(err) {
				rt.Fatalf("%s after damage to %s: %v", name, what, err)
			}
		}
		// Some bits of compressed data bear on nothing.
		_, broken := readAll(ctx, k.tenant, ref.ID)
		findings, err := k.Check(ctx)
		if found := len(findings) == 1 && strings.Contains(findings[0], ref.ID); err != nil || !found && (what != "data" || broken != nil) {
			rt.Fatalf("check after damage to %s: %q, %v", what, findings, err)
		}
		if got, err := readAll(ctx, k.tenant, other.ID); got != "the rest" || err != nil {
			rt.Fatalf("the rest: %q, %v", got, err)
		}
	})
}

// damage flips a bit or takes something away, and says what.
func (k *kit) damage(t *rapid.T, id string) string {
	key := of[string]{k.tenant.ID(), id}
	extents := k.memory.extents[key]
	i := rapid.IntRange(0, len(extents)-1).Draw(t, "extent")
	e := &extents[i]
	bit := func(n int) int { return 1 << rapid.IntRange(0, n-1).Draw(t, "bit") }
	chunk := k.memory.chunks[of[store.ChunkID]{key.tenant, e.Chunk}]
	o := k.memory.objects[key]
	what := rapid.SampledFrom([]string{
		"data", "end of data", "chunk", "chunk id", "offset", "line", "size", "lines", "extent", "bytes", "all lines", "stored", "kind",
	}).Draw(t, "damage")
	switch what {
	case "data":
		chunk.chunk.Data[rapid.IntRange(0, len(chunk.chunk.Data)-1).Draw(t, "at")] ^= byte(bit(8))
	case "end of data":
		chunk.chunk.Data = chunk.chunk.Data[:rapid.IntRange(0, len(chunk.chunk.Data)-1).Draw(t, "at")]
	case "chunk":
		delete(k.memory.chunks, of[store.ChunkID]{key.tenant, e.Chunk})
	case "chunk id":
		e.Chunk[rapid.IntRange(0, 31).Draw(t, "at")] ^= byte(bit(8))
	case "offset":
		e.Offset ^= int64(bit(63))
	case "line":
		e.Line ^= int64(bit(63))
	case "size":
		e.Size ^= bit(31)
	case "lines":
		e.Lines ^= bit(31)
	case "extent":
		k.memory.extents[key] = append(extents[:i:i], extents[i+1:]...)
	case "bytes":
		o.Bytes ^= int64(bit(63))
	case "all lines":
		o.Lines ^= int64(bit(63))
	case "stored":
		o.Stored ^= int64(bit(63))
	case "kind":
		o.Kind = rapid.SampledFrom([]store.Kind{"", "tex", store.KindParts, store.KindSpan}).Draw(t, "kind")
	}
	k.memory.objects[key] = o
	return what
}

func isDamage(err error) bool {
	return plimsoll.CodeOf(err) == plimsoll.CodeInternal && strings.Contains(err.Error(), store.ErrCorrupt.Error())
}

func (k *kit) bytesFrom(ctx context.Context, id, content string, from int) (got, want string, err error) {
	r, err := k.tenant.Open(ctx, id)
	if err != nil {
		return "", "", err
	}
	defer r.Close()
	if _, err := r.Seek(int64(from), io.SeekStart); err != nil {
		return "", "", err
	}
	data := make([]byte, min(50, len(content)-from))
	_, err = io.ReadFull(r, data)
	return string(data), content[from : from+len(data)], err
}

// linesFrom reads two lines from one on that stands for the number.
func (k *kit) linesFrom(ctx context.Context, id, content string, n int) (got, want string, err error) {
	r, err := k.tenant.Open(ctx, id)
	if err != nil {
		return "", "", err
	}
	defer r.Close()
	lines := strings.Split(content, "\n")
	from := n % len(lines)
	all := lines[from:min(len(lines), from+2)]
	var found []string
	for l, err := range r.Lines(ctx, int64(from)) {
		if err != nil {
			return "", "", err
		}
		if found = append(found, string(l.Text)); len(found) == len(all) {
			break
		}
	}
	return strings.Join(found, "\n"), strings.Join(all, "\n"), nil
}

func TestChunksOfRandomContentAreAsLongAsAsked(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	random := rand.NewChaCha8([32]byte{})
	_, err := k.tenant.PutReader(t.Context(), io.LimitReader(random, 1<<20), nil)
	must(t, err)
	mean := (1 << 20) / len(k.memory.chunks)
	if mean < 48 || mean > 96 {
		t.Errorf("chunks have %d bytes on average, want about 64", mean)
	}
}
