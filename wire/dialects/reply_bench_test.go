package dialects_test

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll/wire/dialects"
)

// BenchmarkPassItemsAndChunks reads answers in which nothing is ours, as almost all are.
func BenchmarkPassItemsAndChunks(b *testing.B) {
	var a told
	for range 400 {
		a.pieces = append(a.pieces, piece{kind: saysText, text: "some words of an answer "})
	}
	for _, v := range []teller{responsesTeller{}, geminiTeller{}} {
		data := v.streamed(0, a)
		b.Run(string(v.dialect()), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r := dialects.Codec(v.dialect()).NewReply(true, isOurTool)
				for rest := data; len(rest) > 0; {
					n := min(4096, len(rest))
					r.Write(rest[:n])
					rest = rest[n:]
				}
				r.End()
				r.Finish()
			}
			events := bytes.Count(data, []byte("data: "))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}
