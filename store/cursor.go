package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll"
)

// pageExtents is how many extents are asked for at once. It must be more than one:
// an extent is checked by what stands beside it.
const pageExtents = 64

// object returns an object that it makes sense to read, and counts it as used.
func (t *Tenant) object(ctx context.Context, id string) (Object, error) {
	if !isID(id) {
		return Object{}, ErrGone
	}
	o, err := t.store.backend.Object(ctx, t.id, id)
	if err != nil {
		return Object{}, err
	}
	if err := t.sound(ctx, o); err != nil {
		return Object{}, err
	}
	if t.stale(o) {
		// A store that is full or read-only can still be read from.
		_ = t.store.backend.Touch(ctx, t.id, []string{id}, t.store.options.Now())
	}
	return o, nil
}

// sound finds damage of an object that would make reading it wrong. Where the text
// ends shows when it is read, unless something follows it.
func (t *Tenant) sound(ctx context.Context, o Object) error {
	if err := o.check(); err != nil || o.Kind != KindParts {
		return err
	}
	c := t.newCursor(ctx, o, o.Stored)
	defer c.close()
	if err := c.seek(o.Bytes); err != nil {
		return err
	}
	if e := c.extents[0]; e.Offset != o.Bytes || e.Line != o.Lines-1 {
		return fmt.Errorf("text of %d bytes in %d lines ends at %d: %w", o.Bytes, o.Lines, e.Offset, ErrCorrupt)
	}
	return nil
}

// check compares what is said of an object.
func (o Object) check() error {
	sizes := o.Bytes >= 0 && o.Lines > 0 && o.Lines-1 <= o.Bytes
	switch o.Kind {
	case KindText, KindSpan:
		sizes = sizes && o.Bytes == o.Stored
	case KindParts:
		sizes = sizes && o.Bytes < o.Stored
	default:
		return fmt.Errorf("object of kind %q: %w", o.Kind, ErrCorrupt)
	}
	if !sizes {
		return fmt.Errorf("object of %d bytes in %d lines, %d stored: %w", o.Bytes, o.Lines, o.Stored, ErrCorrupt)
	}
	return nil
}

// cursor reads the chunks of an object one after the other and verifies them. The
// further it gets, the more chunks it loads ahead, so that a short read touches only
// what it needs and a long one keeps the processors busy.
type cursor struct {
	tenant *Tenant
	object Object
	// end is where reading stops: behind the text, or behind everything.
	end    int64
	ctx    context.Context
	cancel context.CancelFunc

	// extents are known and not begun. Those behind them begin at offset behind,
	// after so many lines.
	extents             []Extent
	behind, behindLines int64
	ahead               []*load
	served              int
	failed              error
	// eager says that everything will be read.
	eager bool
	// current is the buffer of the block that was handed out, free are others.
	current []byte
	free    [][]byte
}

// load is a chunk that is being read.
type load struct {
	extent  Extent
	done    chan struct{}
	content []byte
	err     error
}

func (t *Tenant) newCursor(ctx context.Context, o Object, end int64) *cursor {
	c := &cursor{tenant: t, object: o, end: end}
	c.ctx, c.cancel = context.WithCancel(ctx)
	return c
}

// close waits for whatever still reads, because the backend may be closed next.
func (c *cursor) close() {
	c.cancel()
	for _, l := range c.ahead {
		<-l.done
	}
	c.ahead = nil
}

// firstPage is enough for a short read.
const firstPage = 4

// seek makes the chunk that holds the byte at the offset the next one.
func (c *cursor) seek(offset int64) error {
	if offset >= c.end {
		c.behind = c.end
		return nil
	}
	page, err := c.tenant.store.backend.ExtentsAt(c.ctx, c.tenant.id, c.object.ID, offset, firstPage)
	if err := c.take(page, firstPage, err); err != nil {
		return err
	}
	if e := c.extents[0]; offset < e.Offset || offset >= e.Offset+int64(e.Size) {
		return fmt.Errorf("byte %d is not at %d to %d: %w", offset, e.Offset, e.Offset+int64(e.Size), ErrCorrupt)
	}
	return nil
}

// seekLine makes a chunk the next one in which the given line begins, or at whose
// end; line 0 begins at the beginning.
func (c *cursor) seekLine(n int64) error {
	if n == 0 || c.end == 0 {
		return c.seek(0)
	}
	page, err := c.tenant.store.backend.ExtentsAtLine(c.ctx, c.tenant.id, c.object.ID, n, firstPage)
	if err := c.take(page, firstPage, err); err != nil {
		return err
	}
	if e := c.extents[0]; e.Offset >= c.end || n <= e.Line || n > e.Line+int64(e.Lines) {
		return fmt.Errorf("line %d does not begin behind line ends %d to %d: %w", n, e.Line, e.Line+int64(e.Lines), ErrCorrupt)
	}
	return nil
}

// take takes a page of extents, which must be the end of the object if it is shorter
// than it could be.
func (c *cursor) take(page []Extent, limit int, err error) error {
	if err == nil && len(page) == 0 {
		err = plimsoll.ErrNotFound
	}
	if err != nil {
		return c.lost(err)
	}
	first := c.behind == 0
	for _, e := range page {
		if first {
			c.behind, c.behindLines, first = e.Offset, e.Line, false
		}
		if err := c.check(e); err != nil {
			return err
		}
		c.behind += int64(e.Size)
		c.behindLines += int64(e.Lines)
	}
	if len(page) < limit && c.behind != c.object.Stored {
		return fmt.Errorf("object of %d bytes ends at %d: %w", c.object.Stored, c.behind, ErrCorrupt)
	}
	c.extents = append(c.extents, page...)
	return nil
}

// check compares an extent with what is behind the one before it and with what is
// known of the object. Nothing else says that its place is right.
func (c *cursor) check(e Extent) error {
	end := e.Offset + int64(e.Size)
	wrong := e.Size <= 0 || e.Size > maxContent || e.Lines < 0 || e.Lines > e.Size ||
		e.Offset != c.behind || e.Line != c.behindLines || e.Offset < 0 ||
		end == c.object.Bytes && e.Line+int64(e.Lines)+1 != c.object.Lines
	if wrong {
		return fmt.Errorf("extent at %d is out of place: %w", e.Offset, ErrCorrupt)
	}
	return nil
}

// lost says what it means that something of an object is not there: another caller deleted
// it meanwhile, or it is damaged.
func (c *cursor) lost(err error) error {
	if !errors.Is(err, plimsoll.ErrNotFound) {
		return err
	}
	if _, err := c.tenant.store.backend.Object(c.ctx, c.tenant.id, c.object.ID); err != nil {
		return err
	}
	return fmt.Errorf("a part is missing: %w", ErrCorrupt)
}

// next returns the next block, or io.EOF. The one before is not valid any more.
func (c *cursor) next() (textBlock, error) {
	if c.current != nil {
		c.free = append(c.free, c.current)
		c.current = nil
	}
	c.start()
	if len(c.ahead) == 0 {
		if c.failed != nil {
			return textBlock{}, c.failed
		}
		return textBlock{}, io.EOF
	}
	l := c.ahead[0]
	c.ahead = c.ahead[1:]
	<-l.done
	if l.err != nil {
		return textBlock{}, l.err
	}
	c.served++
	c.current = l.content
	return textBlock{Offset: l.extent.Offset, Line: l.extent.Line, Data: l.content, Lines: l.extent.Lines}, nil
}

// start loads the next chunk, and others behind it if it went on for a while.
func (c *cursor) start() {
	depth := parallel()
	if !c.eager {
		depth = min(max(0, c.served-1), depth)
	}
	for len(c.ahead) <= depth && c.failed == nil {
		e, ok := c.pop()
		if !ok {
			return
		}
		l := &load{extent: e, done: make(chan struct{})}
		if n := len(c.free); n > 0 {
			l.content = c.free[n-1]
			c.free = c.free[:n-1]
		}
		c.ahead = append(c.ahead, l)
		if depth == 0 {
			c.load(l)
		} else {
			go c.load(l)
		}
	}
}

func (c *cursor) pop() (Extent, bool) {
	if len(c.extents) == 0 && c.behind < c.end {
		page, err := c.tenant.store.backend.ExtentsAt(c.ctx, c.tenant.id, c.object.ID, c.behind, pageExtents)
		if c.failed = c.take(page, pageExtents, err); c.failed != nil {
			return Extent{}, false
		}
	}
	if len(c.extents) == 0 || c.extents[0].Offset >= c.end {
		return Extent{}, false
	}
	e := c.extents[0]
	c.extents = c.extents[1:]
	return e, true
}

// load reads a chunk and verifies that it is what was stored.
func (c *cursor) load(l *load) {
	defer close(l.done)
	if l.err = c.verified(l); l.err != nil {
		l.err = c.tenant.noted(c.ctx, c.object.ID, l.err, l.extent.Chunk)
	}
}

func (c *cursor) verified(l *load) error {
	t := c.tenant
	chunk, err := t.store.backend.Chunk(c.ctx, t.id, l.extent.Chunk)
	if err != nil {
		return c.lost(err)
	}
	l.content, err = t.store.codec.decompress(chunk.Data, l.content, l.extent.Size)
	switch {
	case err != nil:
		return err
	case t.key.chunkID(l.content) != l.extent.Chunk:
		return fmt.Errorf("chunk at %d is not what was stored: %w", l.extent.Offset, ErrCorrupt)
	case bytes.Count(l.content, []byte{'\n'}) != l.extent.Lines:
		return fmt.Errorf("chunk at %d has not %d line ends: %w", l.extent.Offset, l.extent.Lines, ErrCorrupt)
	}
	return nil
}
