package store

import (
	"fmt"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

// maxContent is more than any chunk has, whatever size was chosen for it. It bounds
// what a damaged row can make us allocate.
const maxContent = 4 << 20

// codec compresses chunks, some at a time.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec() (*codec, error) {
	workers := parallel()
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(workers), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(workers), zstd.WithDecoderMaxMemory(maxContent), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec}, nil
}

// parallel is how many chunks are worked on at the same time.
func parallel() int { return min(runtime.GOMAXPROCS(0), 4) }

func (c *codec) compress(content []byte) []byte {
	return c.enc.EncodeAll(content, make([]byte, 0, len(content)/2))
}

// decompress never writes beyond the size that the content must have.
func (c *codec) decompress(data []byte, into []byte, size int) ([]byte, error) {
	if cap(into) < size {
		into = make([]byte, 0, size)
	}
	content, err := c.dec.DecodeAll(data, into[:0:size])
	if err != nil {
		return nil, fmt.Errorf("decompress: %w: %w", ErrCorrupt, err)
	}
	if len(content) != size {
		return nil, fmt.Errorf("chunk has %d bytes, want %d: %w", len(content), size, ErrCorrupt)
	}
	return content, nil
}

func (c *codec) close() {
	_ = c.enc.Close()
	c.dec.Close()
}
