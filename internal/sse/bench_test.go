package sse_test

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// streams are the shapes that matter: many small events as models send them, tiny
// ones, and one that is very large.
func streams() map[string][]byte {
	delta := sse.Append(nil, "content_block_delta", []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" line"}}`))
	return map[string][]byte{
		"deltas": bytes.Repeat(delta, 10_000),
		"tiny":   bytes.Repeat([]byte("data: 1\n\n"), 100_000),
		"large":  sse.Append(nil, "", bytes.Repeat([]byte("x"), 16<<20)),
	}
}

// BenchmarkStream puts both ways of reading beside the floor: bufio.Scanner, which
// only finds the lines.
func BenchmarkStream(b *testing.B) {
	for name, in := range streams() {
		b.Run(name+"/lines", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s := bufio.NewScanner(bytes.NewReader(in))
				s.Buffer(make([]byte, 0, 16<<10), 64<<20)
				for s.Scan() {
				}
			}
		})
		b.Run(name+"/reader", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				r := sse.NewReader(bytes.NewReader(in), nil)
				for {
					if _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
		b.Run(name+"/splitter", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s := sse.NewSplitter(func(sse.Event, error) {}, nil)
				for rest := in; len(rest) > 0; {
					n, _ := s.Write(rest[:min(len(rest), 16<<10)])
					rest = rest[n:]
				}
				_ = s.Close()
			}
		})
	}
}
