package expand

import (
	"bytes"
	"context"
	"io"
	"iter"

	"github.com/plimsoll/plimsoll/store"
)

// memory is content in memory that comes in small pieces.
type memory struct {
	*bytes.Reader
	data  []byte
	piece int
	// read is the most that one Read returns; 0 means all.
	read int
}

func newMemory(data string, piece int) *memory {
	return &memory{Reader: bytes.NewReader([]byte(data)), data: []byte(data), piece: piece}
}

func (m *memory) Read(p []byte) (int, error) {
	if m.read > 0 && len(p) > m.read {
		p = p[:m.read]
	}
	return m.Reader.Read(p)
}

func (m *memory) Lines(_ context.Context, from int64) iter.Seq2[store.Line, error] {
	return func(yield func(store.Line, error) bool) {
		offset := int64(0)
		for n, line := range bytes.Split(m.data, []byte("\n")) {
			if int64(n) >= from && !m.pieces(store.Line{Number: int64(n), Offset: offset}, line, yield) {
				return
			}
			offset += int64(len(line)) + 1
		}
	}
}

func (m *memory) pieces(l store.Line, line []byte, yield func(store.Line, error) bool) bool {
	base := l.Offset
	for l.Start <= int64(len(line)) {
		end := min(int64(len(line)), l.Start+int64(m.piece))
		l.Text, l.More, l.Offset = line[l.Start:end], end < int64(len(line)), base+l.Start
		if !yield(l, nil) {
			return false
		}
		if !l.More {
			return true
		}
		l.Start = end
	}
	return true
}

var (
	_ content   = (*memory)(nil)
	_ io.Reader = (*memory)(nil)
)
