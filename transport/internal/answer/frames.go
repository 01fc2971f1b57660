package answer

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"mime"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// framesType is the content type of Amazon's streams.
const framesType = "application/vnd.amazon.eventstream"

// isFrames reports whether an answer comes in Amazon's frames.
func isFrames(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == framesType
}

// A frame has its length, the length of its headers and a checksum of both, then the
// headers, the payload and a checksum of all.
const (
	prelude  = 12
	trailer  = 4
	maxFrame = 16 << 20 // Amazon's own bound
)

// frames reads a stream of Amazon's frames. Take gets the data of each event, which stands
// in the payload in base64. From the first frame that is none on, nothing is read.
type frames struct {
	take   func(data []byte)
	rest   []byte
	broken bool
}

// Write takes the next bytes.
func (f *frames) Write(p []byte) (int, error) {
	if f.broken {
		return len(p), nil
	}
	f.rest = append(f.rest, p...)
	for len(f.rest) >= prelude && !f.broken {
		size, headers := int(binary.BigEndian.Uint32(f.rest)), int(binary.BigEndian.Uint32(f.rest[4:]))
		sum := binary.BigEndian.Uint32(f.rest[8:])
		f.broken = sum != crc32.ChecksumIEEE(f.rest[:8]) || size > maxFrame || headers > size-prelude-trailer
		if f.broken || len(f.rest) < size {
			break
		}
		if data, err := base64.StdEncoding.DecodeString(rawjson.MemberText(f.rest[prelude+headers:size-trailer], "bytes")); err == nil && len(data) > 0 {
			f.take(data)
		}
		f.rest = f.rest[size:]
	}
	if f.broken {
		f.rest = nil
	}
	return len(p), nil
}

// Close does nothing.
func (f *frames) Close() error { return nil }
