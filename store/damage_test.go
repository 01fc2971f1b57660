package store_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Whatever bit of whatever chunk, object or extent is wrong: what is read is what was
// stored, or it is an error.
func TestDamageIsNeverReadAsContent(t *testing.T) {
	t.Parallel()
	words := prose(4, 400)
	for name, row := range map[string]struct {
		content plimsoll.List[plimsoll.Part]
		text    string
	}{
		"text":     {text(words), words},
		"one line": {text("x"), "x"},
		"parts": {
			plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: words}, plimsoll.Media{Kind: plimsoll.Image, Data: prose(5, 200)}),
			words + "\n[image]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			other := k.put(t, "the rest")
			ref, err := k.tenant.Put(t.Context(), row.content)
			must(t, err)
			k.eachDamage(ref.ID, func(what string) {
				k.readDamaged(t, what, ref.ID, row.text)
				findings, err := k.Check(t.Context())
				if len(findings) != 1 || err != nil || !strings.Contains(findings[0], ref.ID) {
					t.Errorf("%s: check found %q, %v", what, findings, err)
				}
				if got, err := readAll(t.Context(), k.tenant, other.ID); got != "the rest" || err != nil {
					t.Errorf("%s: the rest is %q, %v", what, got, err)
				}
			})
			if got, err := readAll(t.Context(), k.tenant, ref.ID); got != row.text || err != nil {
				t.Errorf("undamaged: got %q, %v", got, err)
			}
		})
	}
}

// eachDamage calls do with one thing damaged after the other.
func (k *kit) eachDamage(id string, do func(what string)) {
	key := of[string]{k.tenant.ID(), id}
	sound, object := k.memory.extents[key], k.memory.objects[key]
	for i := range sound {
		for what, wrong := range damagedExtents(sound[i]) {
			extents := append([]store.Extent(nil), sound...)
			extents[i] = wrong
			k.memory.extents[key] = extents
			do(fmt.Sprint("extent ", i, " ", what))
		}
		k.memory.extents[key] = append(sound[:i:i], sound[i+1:]...)
		do(fmt.Sprint("extent ", i, " missing"))
		k.memory.extents[key] = sound
		k.eachChunkDamage(of[store.ChunkID]{key.tenant, sound[i].Chunk}, func(what string) { do(fmt.Sprint("chunk ", i, " ", what)) })
	}
	for what, wrong := range damagedObjects(object) {
		k.memory.objects[key] = wrong
		do("object " + what)
	}
	k.memory.objects[key] = object
}

// bits are those that are flipped in numbers.
var bits = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 22, 31, 40, 62, 63}

func damagedExtents(e store.Extent) map[string]store.Extent {
	all := map[string]store.Extent{}
	for _, bit := range bits {
		for name, field := range map[string]func(*store.Extent){
			"offset": func(e *store.Extent) { e.Offset ^= 1 << bit },
			"line":   func(e *store.Extent) { e.Line ^= 1 << bit },
			"size":   func(e *store.Extent) { e.Size ^= 1 << bit },
			"lines":  func(e *store.Extent) { e.Lines ^= 1 << bit },
			"chunk":  func(e *store.Extent) { e.Chunk[bit/8] ^= 1 << (bit % 8) },
		} {
			wrong := e
			field(&wrong)
			all[fmt.Sprint(name, " bit ", bit)] = wrong
		}
	}
	return all
}

func damagedObjects(o store.Object) map[string]store.Object {
	all := map[string]store.Object{}
	for _, bit := range bits {
		for name, field := range map[string]func(*store.Object){
			"bytes":  func(o *store.Object) { o.Bytes ^= 1 << bit },
			"lines":  func(o *store.Object) { o.Lines ^= 1 << bit },
			"stored": func(o *store.Object) { o.Stored ^= 1 << bit },
		} {
			wrong := o
			field(&wrong)
			all[fmt.Sprint(name, " bit ", bit)] = wrong
		}
	}
	for _, kind := range []store.Kind{"", "tex", store.KindParts, store.KindSpan, store.KindText} {
		if wrong := o; kind != o.Kind {
			wrong.Kind = kind
			all[fmt.Sprintf("kind %q", kind)] = wrong
		}
	}
	return all
}

func (k *kit) eachChunkDamage(key of[store.ChunkID], do func(what string)) {
	kept := k.memory.chunks[key]
	sound := kept.chunk.Data
	delete(k.memory.chunks, key)
	do("missing")
	k.memory.chunks[key] = kept
	for _, n := range []int{0, 1, len(sound) / 2, len(sound) - 1} {
		kept.chunk.Data = sound[:n]
		do(fmt.Sprint("cut at ", n))
	}
	// The last bytes are content; of the header some bits bear on nothing.
	for at := max(15, len(sound)/2); at < len(sound)-2; at += 5 {
		kept.chunk.Data = append([]byte(nil), sound...)
		kept.chunk.Data[at] ^= 0x10
		do(fmt.Sprint("bit at ", at))
	}
	kept.chunk.Data = sound
}

// readDamaged reads in all ways.
func (k *kit) readDamaged(t *testing.T, what, id, want string) {
	t.Helper()
	ctx := t.Context()
	verdict := func(how, got, want string, err error) {
		if err == nil && got != want {
			t.Errorf("%s: %s: got %q, want %q", what, how, got, want)
		}
		if err != nil && !isDamage(err) {
			t.Errorf("%s: %s: %v", what, how, err)
		}
	}
	got, err := readAll(ctx, k.tenant, id)
	verdict("everything", got, want, err)
	for from := 0; from < len(want); from += 37 {
		to := min(len(want), from+50)
		got, err := k.bytesAt(ctx, id, from, to-from)
		verdict(fmt.Sprint("bytes from ", from), got, want[from:to], err)
	}
	lines := strings.Split(want, "\n")
	for from := 0; from <= len(lines); from += 1 + from%3 {
		to := min(len(lines), from+2)
		got, err := k.linesAt(ctx, id, from)
		verdict(fmt.Sprint("lines from ", from), got, strings.Join(lines[from:to], "\n"), err)
	}
	content, err := k.tenant.Content(ctx, id)
	if err == nil {
		t.Errorf("%s: content is %v", what, content)
	} else {
		verdict("content", "", "", err)
	}
}

func isDamage(err error) bool {
	return plimsoll.CodeOf(err) == plimsoll.CodeInternal && strings.Contains(err.Error(), store.ErrCorrupt.Error())
}

func (k *kit) bytesAt(ctx context.Context, id string, from, n int) (string, error) {
	r, err := k.tenant.Open(ctx, id)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if _, err := r.Seek(int64(from), io.SeekStart); err != nil {
		return "", err
	}
	data := make([]byte, n)
	_, err = io.ReadFull(r, data)
	return string(data), err
}

// linesAt reads two lines.
func (k *kit) linesAt(ctx context.Context, id string, from int) (string, error) {
	r, err := k.tenant.Open(ctx, id)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var found []string
	for l, err := range r.Lines(ctx, int64(from)) {
		if err != nil {
			return "", err
		}
		if found = append(found, string(l.Text)); len(found) == 2 {
			break
		}
	}
	return strings.Join(found, "\n"), nil
}
