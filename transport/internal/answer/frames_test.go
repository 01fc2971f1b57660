package answer

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
)

// framed puts a payload into a frame without headers.
func framed(payload string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(prelude+len(payload)+trailer))
	out = binary.BigEndian.AppendUint32(out, 0)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(out, payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// FuzzFrames finds the same events however a stream was cut on its way.
func FuzzFrames(f *testing.F) {
	event := framed(`{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(`{"type":"ping"}`)) + `","p":"abc"}`)
	f.Add(slices.Concat(event, framed(`{"message":"no"}`), event), uint8(7))
	f.Add(append(framed(`{"bytes":"?"}`), "x"...), uint8(1))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		read := func(size int) (events []string) {
			r := &frames{take: func(data []byte) { events = append(events, string(data)) }}
			for part := range slices.Chunk(stream, size) {
				_, _ = r.Write(part)
			}
			return events
		}
		if whole, cut := read(max(1, len(stream))), read(max(1, int(piece))); !slices.Equal(whole, cut) {
			t.Errorf("whole %q, in pieces %q", whole, cut)
		}
	})
}
