package store

import (
	"context"
	"errors"
	"io"
	"iter"
)

// Reader reads the text of an object: of [KindText] and [KindSpan] the bytes that
// were stored, of [KindParts] its texts with a word in brackets for each part that
// is none. It belongs to one goroutine.
type Reader struct {
	object Object
}

var _ io.ReadSeekCloser = (*Reader)(nil)

// Open returns a reader of an object. The context holds for Read too. The error is
// [ErrGone] alike for a reference that is unknown, expired or somebody else's.
func (t *Tenant) Open(ctx context.Context, id string) (*Reader, error) {
	return nil, errors.ErrUnsupported
}

// Object returns what is read.
func (r *Reader) Object() Object { return r.object }

// Read reads on from where the last Read or Seek ended.
func (r *Reader) Read(p []byte) (int, error) { return 0, errors.ErrUnsupported }

// Seek sets where Read reads on.
func (r *Reader) Seek(offset int64, whence int) (int64, error) { return 0, errors.ErrUnsupported }

// Close gives up what the reader holds.
func (r *Reader) Close() error { return nil }

// Block is a piece of a text as it is stored, some hundred KiB long. It begins and
// ends anywhere, in the middle of a line or of a character too.
type Block struct {
	// Offset is where it begins in the text, Line the line ends before it.
	Offset, Line int64
	// Data is valid until the next block is asked for.
	Data []byte
	// Lines is how many line ends are in it.
	Lines int
}

// Blocks iterates over the text from the block on that holds the byte at the offset.
// An error ends it. The blocks that are not reached are not read, but for a few.
func (r *Reader) Blocks(ctx context.Context, offset int64) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) { yield(Block{}, errors.ErrUnsupported) }
}

// Line is a line, or a piece of a long one.
type Line struct {
	// Number counts from 0.
	Number int64
	// Offset is where Text begins in the whole text, Start where it begins in its
	// line, in bytes: 0 but for the later pieces of a long line.
	Offset, Start int64
	// Text is the line without its line end; a carriage return stays. It is valid
	// until the next line is asked for, and has at most 64 KiB.
	Text []byte
	// More says that the line goes on in the next piece.
	More bool
}

// Lines iterates over the lines from number from on, which counts from 0. An error
// ends it. A text without line ends is one line; what is behind the last line end is
// a line, though it be empty.
func (r *Reader) Lines(ctx context.Context, from int64) iter.Seq2[Line, error] {
	return r.LinesAt(ctx, from, 0)
}

// LinesAt is Lines that begins skip bytes inside the first line; nothing of it is
// yielded if it is shorter than that.
func (r *Reader) LinesAt(ctx context.Context, from, skip int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { yield(Line{}, errors.ErrUnsupported) }
}
