package coding

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

// capped fails if more comes than its limit.
type capped struct {
	r           io.Reader
	left, limit int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if int64(n) > c.left {
		return 0, &TooLargeError{Max: c.limit}
	}
	c.left -= int64(n)
	return n, err
}

// slack is how much more than the limit may be held while reading.
const slack = 512

// gather reads everything. It does not copy while it grows: what was read stays in
// pieces until the end is seen, so a body that turns out to be too large never has more
// than the limit in memory. It asks grow before it takes a piece.
func gather(r io.Reader, hint int, limit int64, grow func(size int64) error) ([]byte, error) {
	if err := grow(int64(hint)); err != nil {
		return nil, err
	}
	var pieces [][]byte
	var held int64
	piece := make([]byte, 0, hint)
	for {
		if len(piece) == cap(piece) {
			var probe [slack]byte
			n, err := r.Read(probe[:])
			if n > 0 {
				pieces, held = append(pieces, piece), held+int64(cap(piece))
				next := nextPiece(cap(piece), limit-held)
				if err := grow(held + int64(next)); err != nil {
					return nil, err
				}
				piece = append(make([]byte, 0, next), probe[:n]...)
			}
			if err != nil {
				return finish(pieces, piece, err)
			}
			continue
		}
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		if err != nil {
			return finish(pieces, piece, err)
		}
	}
}

// nextPiece doubles as long as the limit leaves room.
func nextPiece(last int, left int64) int {
	const least = 64 << 10
	return int(min(int64(max(2*last, least)), left) + slack)
}

func finish(pieces [][]byte, last []byte, err error) ([]byte, error) {
	if err != io.EOF {
		return nil, err
	}
	if len(pieces) == 0 {
		return last, nil
	}
	size := len(last)
	for _, p := range pieces {
		size += len(p)
	}
	whole := make([]byte, 0, size)
	for _, p := range pieces {
		whole = append(whole, p...)
	}
	return append(whole, last...), nil
}

// sizeHint is how long the body says it will be, if it says so and that is likely;
// what a few bytes claim is not believed.
func sizeHint(names []string, body []byte, limit int64) int {
	const likely, least = 16, 4 << 10
	hint := uint64(2 * len(body))
	if len(names) == 1 {
		switch {
		case names[0] == "gzip" && len(body) >= 4:
			hint = uint64(binary.LittleEndian.Uint32(body[len(body)-4:]))
		case names[0] == "zstd":
			var h zstd.Header
			if h.Decode(body) == nil && h.HasFCS {
				hint = h.FrameContentSize
			}
		}
	}
	return int(min(max(hint, least), uint64(likely*len(body)+least), uint64(max(limit, 0))+slack))
}
