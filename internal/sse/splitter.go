package sse

import (
	"errors"
	"io"
)

var _ io.WriteCloser = (*Splitter)(nil)

var errClosed = errors.New("sse: write to a closed splitter")

// Splitter finds the events in a stream that is written to it piece by piece, and
// keeps what is incomplete until the rest comes. A proxy puts it behind the client:
//
//	io.Copy(io.MultiWriter(client, splitter), upstream)
//
// so that each piece has left before it is looked at, and nothing in it can stop
// or change what the client gets. It is not safe for concurrent use.
type Splitter struct {
	each   func(Event, error)
	p      parser
	kept   []byte // the event being read, as far as it has come
	closed bool
}

// NewSplitter gives a Splitter that calls each with what Reader.Next would return:
// an event, or the *TooLargeError that stands for one. The callback runs inside
// Write and Close, in the order of the stream, and must not call them.
func NewSplitter(each func(Event, error), o *Options) *Splitter {
	return &Splitter{each: each, p: o.parser()}
}

// Write takes the next piece of the stream and calls back for each event that it
// completes. It takes all of b and fails only after Close. It does not keep b.
func (s *Splitter) Write(b []byte) (int, error) {
	if s.closed {
		return 0, errClosed
	}
	// Whole events are read where they stand; only what continues an earlier piece
	// has to be put behind it first.
	window := b
	if len(s.kept) > 0 {
		s.kept = append(s.kept, b...)
		window = s.kept
	}
	s.p.window = window
	s.emit(false)
	if s.p.block > 0 || len(s.kept) == 0 {
		s.keep(window[s.p.block:])
	}
	s.p.shift(s.kept)
	return len(b), nil
}

// Close says that the stream has ended and calls back with the rest, if there is
// one, as an event with Cut set. It always returns nil.
func (s *Splitter) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.emit(true)
	s.kept = nil
	s.p.shift(nil)
	return nil
}

func (s *Splitter) emit(final bool) {
	for {
		e, ok, err := s.p.next(final)
		if !ok {
			return
		}
		s.each(e, err)
	}
}

// keep moves what is incomplete to the front, out of the piece that the writer
// owns. An event that only grows is there already and must not be moved each time.
func (s *Splitter) keep(rest []byte) {
	if cap(s.kept) > ample && len(rest) < firstBuffer/2 {
		s.kept = nil
	}
	s.kept = append(s.kept[:0], rest...)
}
