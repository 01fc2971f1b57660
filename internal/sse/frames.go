package sse

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
)

// A frame has its length, the length of its headers and a checksum of both, then the
// headers, the payload and a checksum of all.
const (
	prelude  = 12
	trailer  = 4
	maxFrame = 16 << 20 // Amazon's own bound
)

// frameSplitter finds the events in a stream of frames. From the first frame that is none
// on, it reads nothing, and its events have Raw only.
type frameSplitter struct {
	each           func(Event, error)
	max            int
	kept           []byte // the frame being read, as far as it has come
	broken, closed bool
}

// Write takes the next piece of the stream, as that of a [Splitter] does.
func (s *frameSplitter) Write(b []byte) (int, error) {
	if s.closed {
		return 0, errClosed
	}
	window := b
	if len(s.kept) > 0 {
		s.kept = append(s.kept, b...)
		window = s.kept
	}
	from := 0
	for rest := window; len(rest) > 0; rest = window[from:] {
		size, ok := s.frameSize(rest)
		if s.broken = s.broken || !ok; s.broken {
			s.each(Event{Raw: slices.Clip(rest)}, nil)
			s.kept = nil
			return len(b), nil
		}
		if size == 0 || size > len(rest) {
			break
		}
		s.each(readFrame(rest[:size:size]), nil)
		from += size
	}
	if from > 0 || len(s.kept) == 0 { // a frame that only grows is not moved each time
		s.kept = append(s.kept[:0], window[from:]...)
	}
	return len(b), nil
}

// frameSize returns the length of the frame that some bytes begin with; 0 if it is not
// known yet. It reports false if they are none.
func (s *frameSplitter) frameSize(b []byte) (size int, ok bool) {
	if len(b) < prelude {
		return 0, true
	}
	length, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	switch {
	case binary.BigEndian.Uint32(b[8:]) != crc32.ChecksumIEEE(b[:8]),
		length < prelude+trailer, length > uint32(min(s.max, maxFrame)), headers > length-prelude-trailer:
		return 0, false
	case len(b) < int(length):
		return int(length), true
	}
	end := length - trailer
	return int(length), binary.BigEndian.Uint32(b[end:]) == crc32.ChecksumIEEE(b[:end])
}

// Close says that the stream has ended, as that of a [Splitter] does.
func (s *frameSplitter) Close() error {
	if !s.closed && len(s.kept) > 0 {
		s.each(Event{Raw: slices.Clip(s.kept), Cut: true}, nil)
	}
	s.closed, s.kept = true, nil
	return nil
}

// readFrame returns the event of a whole frame. A chunk has the event's data in base64. An
// exception becomes an event named error, in the form that Anthropic's errors have.
func readFrame(raw []byte) Event {
	end := prelude + int(binary.BigEndian.Uint32(raw[4:]))
	headers, payload := readHeaders(raw[prelude:end]), raw[end:len(raw)-trailer:len(raw)-trailer]
	e := Event{Name: headers[":event-type"], Data: payload, Raw: raw}
	switch headers[":message-type"] {
	case "exception":
		var said struct{ Message string }
		_ = json.Unmarshal(payload, &said)
		return failure(raw, headers[":exception-type"], said.Message)
	case "error":
		return failure(raw, headers[":error-code"], headers[":error-message"])
	}
	if e.Name == "chunk" {
		var chunk struct{ Bytes []byte }
		_ = json.Unmarshal(payload, &chunk)
		e.Name, e.Data = "", chunk.Bytes
	}
	return e
}

func failure(raw []byte, kind, message string) Event {
	data, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
	return Event{Name: "error", Data: data, Raw: raw}
}

// fixedSizes are the sizes of the values of headers by their type, except for bytes (6)
// and strings (7), which have their length before them.
var fixedSizes = [...]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}

// readHeaders returns the headers that are strings, up to the first that cannot be read.
func readHeaders(b []byte) map[string]string {
	headers := map[string]string{}
	for len(b) > 0 {
		name := int(b[0])
		if len(b) < name+2 || int(b[name+1]) >= len(fixedSizes) {
			break
		}
		kind, value := b[name+1], b[name+2:]
		size := fixedSizes[kind]
		if kind == 6 || kind == 7 {
			if len(value) < 2 {
				break
			}
			size, value = int(binary.BigEndian.Uint16(value)), value[2:]
		}
		if len(value) < size {
			break
		}
		if kind == 7 {
			headers[string(b[1:name+1])] = string(value[:size])
		}
		b = value[size:]
	}
	return headers
}

// appendEvent adds a frame with an event.
func appendEvent(dst []byte, name string, payload []byte) []byte {
	return appendMessage(dst, payload, [][2]string{{":event-type", name}, {":content-type", "application/json"}, {":message-type", "event"}})
}

// AppendException adds a frame that says that an answer failed.
func AppendException(dst []byte, kind string, payload []byte) []byte {
	return appendMessage(dst, payload, [][2]string{{":exception-type", kind}, {":content-type", "application/json"}, {":message-type", "exception"}})
}

func appendMessage(dst, payload []byte, values [][2]string) []byte {
	var headers []byte
	for _, h := range values {
		headers = append(append(headers, byte(len(h[0]))), h[0]...)
		headers = binary.BigEndian.AppendUint16(append(headers, 7), uint16(len(h[1])))
		headers = append(headers, h[1]...)
	}
	return appendFrame(dst, headers, payload)
}

func appendFrame(dst, headers, payload []byte) []byte {
	from := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(prelude+len(headers)+len(payload)+trailer))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(headers)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
	dst = append(append(dst, headers...), payload...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}

// appendChunk adds a frame with an event's data in base64.
func appendChunk(dst, data []byte) []byte {
	payload, _ := json.Marshal(map[string][]byte{"bytes": data})
	return appendEvent(dst, "chunk", payload)
}
