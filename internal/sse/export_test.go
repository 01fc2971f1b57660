package sse

import (
	"encoding/binary"
	"hash/crc32"
)

// FrameOf is a frame with headers in their own form.
func FrameOf(headers, payload []byte) []byte { return appendFrame(nil, headers, payload) }

// Prelude is the beginning of a frame that says how long it and its headers are.
func Prelude(length, headers uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, length)
	b = binary.BigEndian.AppendUint32(b, headers)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
