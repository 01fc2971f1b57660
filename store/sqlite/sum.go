package sqlite

import (
	"encoding/binary"
	"hash/crc32"
)

// sum adds up what a row says. It finds damage; against forgery content has its
// keyed hash.
type sum struct{ buf []byte }

// newSum begins with the name of the table, so that rows do not pass for each other.
func newSum(table string) *sum {
	return (&sum{buf: make([]byte, 0, 256)}).text(table)
}

func (s *sum) bytes(data []byte) *sum {
	s.buf = append(binary.LittleEndian.AppendUint64(s.buf, uint64(len(data))), data...)
	return s
}

func (s *sum) text(text string) *sum {
	s.buf = append(binary.LittleEndian.AppendUint64(s.buf, uint64(len(text))), text...)
	return s
}

func (s *sum) ints(values ...int64) *sum {
	for _, v := range values {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v))
	}
	return s
}

// value returns the sum, of some more data too, which is not copied.
func (s *sum) value(more ...[]byte) int64 {
	crc := crc32.Checksum(s.buf, castagnoli)
	for _, data := range more {
		crc = crc32.Update(crc, castagnoli, data)
	}
	return int64(crc)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
