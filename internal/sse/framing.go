package sse

import (
	"io"
	"mime"
)

// Framing is a form in which a stream of events is sent.
type Framing int

// The forms.
const (
	// Lines are server-sent events.
	Lines Framing = iota
	// Frames are Amazon's: binary, each with its length and checksums.
	Frames
	// Chunks are frames that hold the data of an event in base64, without its name. They
	// are read like Frames.
	Chunks
)

// FramingOf returns the framing of an answer with a content type; false if it is no stream
// of events.
func FramingOf(contentType string) (Framing, bool) {
	switch kind, _, _ := mime.ParseMediaType(contentType); kind {
	case "text/event-stream":
		return Lines, true
	case "application/vnd.amazon.eventstream":
		return Frames, true
	}
	return 0, false
}

// Splitter returns a splitter for streams in this form; see [NewSplitter]. A frame beyond
// the size limit, or that is none, ends what can be read: all behind it is given as events
// without data.
func (f Framing) Splitter(each func(Event, error), o *Options) io.WriteCloser {
	if f == Lines {
		return NewSplitter(each, o)
	}
	return &frameSplitter{each: each, max: o.maxEvent()}
}

// Append adds an event to dst and returns it; see [Append]. A name must not be longer than
// a line.
func (f Framing) Append(dst []byte, name string, data []byte) []byte {
	switch f {
	case Frames:
		return appendEvent(dst, name, data)
	case Chunks:
		return appendChunk(dst, data)
	}
	return Append(dst, name, data)
}
