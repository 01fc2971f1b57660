package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/plimsoll/plimsoll"
)

// Reader reads the text of an object: of [KindText] and [KindSpan] the bytes that
// were stored, of [KindParts] its texts with a word in brackets for each part that
// is none. It belongs to one goroutine, and must be closed.
type Reader struct {
	tenant *Tenant
	object Object
	ctx    context.Context

	pos    int64
	cursor *cursor
	block  textBlock
}

var (
	_ io.ReadSeekCloser = (*Reader)(nil)
	_ io.WriterTo       = (*Reader)(nil)
)

// Open returns a reader of an object. The context holds for Read too. The error is
// [ErrGone] alike for a reference that is unknown, expired or another tenant's.
func (t *Tenant) Open(ctx context.Context, id string) (*Reader, error) {
	o, err := t.object(ctx, id)
	if err != nil {
		return nil, fault("read "+id, t.noted(ctx, id, err))
	}
	return &Reader{tenant: t, object: o, ctx: ctx}, nil
}

// Object returns what is read.
func (r *Reader) Object() Object { return r.object }

// Read reads on from where the last Read or Seek ended.
func (r *Reader) Read(p []byte) (int, error) {
	if r.pos >= r.object.Bytes {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := r.reach(); err != nil {
		return 0, r.fault(err)
	}
	n := copy(p, r.block.Data[r.pos-r.block.Offset:])
	r.pos += int64(n)
	return n, nil
}

// WriteTo writes everything from where the last Read or Seek ended. It is faster
// than Read.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	r.release()
	start := r.pos
	c := r.tenant.newCursor(r.ctx, r.object, r.object.Bytes)
	defer c.close()
	c.eager = true
	if err := c.seek(r.pos); err != nil {
		return 0, r.fault(err)
	}
	for {
		b, err := c.next()
		if errors.Is(err, io.EOF) {
			return r.pos - start, nil
		}
		if err != nil {
			return r.pos - start, r.fault(err)
		}
		n, err := w.Write(b.Data[r.pos-b.Offset:])
		r.pos += int64(n)
		if err != nil {
			return r.pos - start, err
		}
	}
}

// reach makes the block that holds the position the current one.
func (r *Reader) reach() error {
	end := r.block.Offset + int64(len(r.block.Data))
	if r.pos >= r.block.Offset && r.pos < end {
		return nil
	}
	if r.cursor == nil || r.pos != end {
		r.release()
		r.cursor = r.tenant.newCursor(r.ctx, r.object, r.object.Bytes)
		if err := r.cursor.seek(r.pos); err != nil {
			r.release()
			return err
		}
	}
	b, err := r.cursor.next()
	if err != nil {
		r.release()
		return err
	}
	r.block = b
	return nil
}

func (r *Reader) release() {
	if r.cursor != nil {
		r.cursor.close()
	}
	r.cursor, r.block = nil, textBlock{}
}

func (r *Reader) fault(err error) error {
	return fault("read "+r.object.ID, r.tenant.noted(r.ctx, r.object.ID, err))
}

// Seek sets where Read reads on. It may be behind the end.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += r.object.Bytes
	default:
		return 0, r.fault(fmt.Errorf("seek from %d: %w", whence, plimsoll.ErrInvalid))
	}
	if offset < 0 {
		return 0, r.fault(fmt.Errorf("seek to %d: %w", offset, plimsoll.ErrInvalid))
	}
	r.pos = offset
	return offset, nil
}

// Close gives up what the reader holds.
func (r *Reader) Close() error {
	r.release()
	return nil
}

// textBlock is a piece of a text as it is stored, some hundred KiB long. It begins and
// ends anywhere, in the middle of a line or of a character too.
type textBlock struct {
	// Offset is where it begins in the text, Line the line ends before it.
	Offset, Line int64
	// Data is valid until the next block is asked for.
	Data []byte
	// Lines is how many line ends are in it.
	Lines int
}

// blocks iterates over the text from the block on that holds the byte at the offset.
// An error ends it. Of the blocks that are not asked for only a few are read, and
// none if the first two are enough.
func (r *Reader) blocks(ctx context.Context, offset int64) iter.Seq2[textBlock, error] {
	return func(yield func(textBlock, error) bool) {
		c := r.tenant.newCursor(ctx, r.object, r.object.Bytes)
		defer c.close()
		if err := c.seek(max(0, offset)); err != nil {
			yield(textBlock{}, r.fault(err))
			return
		}
		for {
			b, err := c.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(b, r.fault(err)) || err != nil {
				return
			}
		}
	}
}

// noted returns an error that came of reading an object. If something is damaged it is
// marked, so that storing the same content again replaces it. Whether that succeeds
// changes nothing for who reads.
func (t *Tenant) noted(ctx context.Context, id string, err error, chunks ...ChunkID) error {
	if errors.Is(err, ErrCorrupt) {
		_ = t.store.backend.MarkDamaged(ctx, t.id, id, chunks)
	}
	return err
}
