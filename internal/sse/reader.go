package sse

import (
	"fmt"
	"io"
)

const (
	firstBuffer = 16 << 10
	// maxEmptyReads is how often a reader may give neither bytes nor an error.
	maxEmptyReads = 100
)

// Reader reads the events of a stream one by one. It is not safe for concurrent
// use.
type Reader struct {
	src io.Reader
	p   parser
	err error // why src has ended
}

// NewReader gives a Reader of the stream r. It reads ahead of the events that it
// has given.
func NewReader(r io.Reader, o *Options) *Reader {
	return &Reader{src: r, p: o.parser()}
}

// Next gives the next event, as soon as its last byte has been read. At the end of
// the stream it gives the rest as an event with Cut set, if there is one, and then
// io.EOF. A stream that breaks off with an error ends in the same way, with that
// error, wrapped, instead of io.EOF.
//
// An event beyond the size limit gives a *TooLargeError; the next call goes on
// behind it. Every other error is final.
func (r *Reader) Next() (Event, error) {
	for {
		if e, ok, err := r.p.next(r.err != nil); ok {
			return e, err
		}
		if r.err != nil {
			return Event{}, r.err
		}
		r.fill()
	}
}

// fill makes room behind the event being read and reads into it once.
func (r *Reader) fill() {
	r.p.shift(r.room())
	n := r.read(r.p.window[len(r.p.window):cap(r.p.window)])
	r.p.window = r.p.window[:len(r.p.window)+n]
}

// room gives the event being read in a buffer with space behind it. As long as it
// has space it stays where it is: moving it for each read would be quadratic.
func (r *Reader) room() []byte {
	kept := r.p.window[r.p.block:]
	buffer := r.p.window[:0]
	switch {
	case len(kept) == cap(buffer):
		buffer = make([]byte, 0, min(2*len(kept), r.p.max)+firstBuffer)
	case cap(buffer) > ample && len(kept) < firstBuffer/2 && r.p.block > 0:
		buffer = make([]byte, 0, firstBuffer)
	case r.p.block == 0:
		return r.p.window
	}
	return append(buffer, kept...)
}

func (r *Reader) read(into []byte) int {
	for range maxEmptyReads {
		n, err := r.src.Read(into)
		if err != nil {
			r.fail(err, n)
		}
		if n > 0 || err != nil {
			return n
		}
	}
	r.fail(io.ErrNoProgress, 0)
	return 0
}

func (r *Reader) fail(err error, n int) {
	r.err = err
	if err != io.EOF {
		at := r.p.offset + int64(len(r.p.window)+n)
		r.err = fmt.Errorf("sse: read at byte %d: %w", at, err)
	}
}
