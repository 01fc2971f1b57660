package sse

import (
	"io"
	"mime"
)

// Framing is a form in which a stream of events is sent.
type Framing int

// The forms.
const (
	// Events are server-sent events.
	Events Framing = iota
	// Lines are events without a name: each line is the data of one, as in
	// newline-delimited JSON. A blank line is an event without data.
	Lines
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
		return Events, true
	case "application/x-ndjson":
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
	switch f {
	case Frames, Chunks:
		return &frameSplitter{each: each, max: o.maxEvent()}
	case Lines:
		return &Splitter{each: each, p: parser{max: o.maxEvent(), bare: true}}
	}
	return NewSplitter(each, o)
}

// Append adds an event to dst and returns it; see [Append]. A name must not be longer than
// a line, and data in the form of lines must have no line end.
func (f Framing) Append(dst []byte, name string, data []byte) []byte {
	switch f {
	case Lines:
		return append(append(dst, data...), '\n')
	case Frames:
		return appendEvent(dst, name, data)
	case Chunks:
		return appendChunk(dst, data)
	}
	return Append(dst, name, data)
}
