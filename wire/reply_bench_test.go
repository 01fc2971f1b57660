package wire_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// BenchmarkPass is what a streamed answer costs in which nothing is ours: about 2,000
// events.
func BenchmarkPass(b *testing.B) {
	a := testAnswer{n: 1, piece: 5, parts: []plimsoll.Part{plimsoll.Text{Text: strings.Repeat("ships that pass in the night ", 345)}}}
	for _, v := range []voice{anthropicVoice, openaiVoice} {
		stream := v.stream(a)
		b.Run(string(v.codec.Dialect()), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				r := v.codec.NewReply(true, isOurs)
				for rest := stream; len(rest) > 0; {
					n := min(4096, len(rest))
					r.Write(rest[:n])
					rest = rest[n:]
				}
				r.End()
				r.Finish()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/event")
		})
	}
}
