package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Ref returns the reference that Put gives the content. It stores nothing.
func (t *Tenant) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	s, err := sourceOf(content)
	if err != nil {
		return plimsoll.Ref{}, fault("name content", err)
	}
	return t.refOf(s), nil
}

func (t *Tenant) refOf(s storedContent) plimsoll.Ref {
	h := t.key.namer(s.kind)
	buffer := make([]byte, min(s.stored, 32<<10))
	for _, pieces := range [][]string{s.text, s.rest} {
		for _, p := range pieces {
			for len(p) > 0 {
				n := copy(buffer, p)
				h.Write(buffer[:n])
				p = p[n:]
			}
		}
	}
	return plimsoll.Ref{ID: named(h), Bytes: s.bytes, Lines: s.lines}
}

// Put stores content whole, byte for byte, and returns its reference when it is
// committed. Content that is there already counts as used.
func (t *Tenant) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	const op = "store content"
	s, err := sourceOf(content)
	if err != nil {
		return plimsoll.Ref{}, fault(op, err)
	}
	ref := t.refOf(s)
	if there, err := t.recent(ctx, ref.ID); there || err != nil {
		return ref, fault(op, err)
	}
	return t.put(ctx, op, true, func(certain bool) (plimsoll.Ref, error) {
		w := t.newWriter(s.kind, "")
		w.object.ID, w.certain = ref.ID, certain
		// One more than there is, so that the end is found without growing.
		w.grow(int(min(int64(w.limit()), s.stored+1)))
		return w.write(ctx, []section{{joined(s.text), true}, {joined(s.rest), false}})
	})
}

// recent reports whether an object is there, sound as far as is known, and so recently
// used that nothing takes it away; otherwise it has to be written, if only to count as
// used.
func (t *Tenant) recent(ctx context.Context, id string) (bool, error) {
	o, err := t.store.backend.Object(ctx, t.id, id)
	if errors.Is(err, plimsoll.ErrNotFound) || errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	return err == nil && !t.stale(o) && !o.Damaged, err
}

func (t *Tenant) stale(o Object) bool {
	return t.store.options.Now().Sub(o.Used) >= t.store.options.TouchEvery
}

func joined(pieces []string) io.Reader {
	readers := make([]io.Reader, len(pieces))
	for i, p := range pieces {
		readers[i] = strings.NewReader(p)
	}
	return io.MultiReader(readers...)
}

// PutReader stores the text that a reader returns, in constant memory, and returns the
// reference when it is committed. A text gets the same reference as from Put. The note
// says where the text is from, for people; the first one stays.
//
// Chunks that were written early may be swept before the object is there, by
// [Store.Sweep] or if it takes longer than the grace of [Policy]. Then a reader that
// is an io.Seeker is read once more; for another one the error is an
// [ErrUnavailable], and the caller may try again.
func (t *Tenant) PutReader(ctx context.Context, r io.Reader, note string) (plimsoll.Ref, error) {
	const op = "store content"
	seeker, _ := r.(io.Seeker)
	var start int64
	if seeker != nil {
		var err error
		if start, err = seeker.Seek(0, io.SeekCurrent); err != nil {
			seeker = nil // a pipe, for one
		}
	}
	return t.put(ctx, op, seeker != nil, func(certain bool) (plimsoll.Ref, error) {
		if certain {
			if _, err := seeker.Seek(start, io.SeekStart); err != nil {
				return plimsoll.Ref{}, err
			}
		}
		w := t.newWriter(KindText, note)
		w.namer, w.certain = t.key.namer(KindText), certain
		return w.write(ctx, []section{{r, true}})
	})
}

// put writes, and once more, with all chunks, if some were swept meanwhile and it
// can be done again.
func (t *Tenant) put(ctx context.Context, op string, again bool, write func(certain bool) (plimsoll.Ref, error)) (plimsoll.Ref, error) {
	ref, err := write(false)
	if errors.Is(err, ErrMissingChunk) && again && ctx.Err() == nil {
		ref, err = write(true)
	}
	if errors.Is(err, ErrMissingChunk) {
		err = fmt.Errorf("swept while it was written: %w: %w", ErrUnavailable, err)
	}
	return ref, fault(op, err)
}

// Content returns what Put was given. What PutReader was given is one text.
func (t *Tenant) Content(ctx context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	content, err := t.content(ctx, id)
	return content, fault("read "+id, t.noted(ctx, id, err))
}

func (t *Tenant) content(ctx context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	var none plimsoll.List[plimsoll.Part]
	o, err := t.object(ctx, id)
	if err != nil {
		return none, err
	}
	var stored strings.Builder
	// A damaged row must not make us allocate what is not there.
	stored.Grow(int(min(o.Stored, 64<<20)))
	if err := t.copy(ctx, &stored, o); err != nil {
		return none, err
	}
	switch o.Kind {
	case KindParts:
		return decodeParts(stored.String(), o.Bytes)
	case KindSpan:
		return plimsoll.ListOf[plimsoll.Part](plimsoll.Opaque{Kind: fit.SpanKind, Raw: stored.String()}), nil
	default:
		return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: stored.String()}), nil
	}
}
