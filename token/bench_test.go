package token_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// weighed is a conversation of n messages of about two hundred tokens each. No other seed
// gives the same messages or digests.
func weighed(seed, n int, digests bool) []plimsoll.Message {
	messages := make([]plimsoll.Message, n)
	for i := range messages {
		var b strings.Builder
		for line := range 8 {
			fmt.Fprintf(&b, "%d: step %d.%d of the build wrote %d files to out/part-%d and left %d warnings for review.\n", line, seed, i, i%97, i%13, i%7)
		}
		messages[i] = say(plimsoll.User, b.String())
		if digests {
			binary.LittleEndian.PutUint32(messages[i].Digest[:], uint32(seed))
			binary.LittleEndian.PutUint32(messages[i].Digest[4:], uint32(i)+1)
		}
	}
	return messages
}

func BenchmarkWeighNew(b *testing.B) {
	c := chat("gpt-4o", weighed(0, 850, true)...)
	token.NewMeter(nil).Weigh(c)
	b.ReportAllocs()
	for b.Loop() {
		token.NewMeter(nil).Weigh(c)
	}
}

func BenchmarkWeighOneMore(b *testing.B) {
	for name, digests := range map[string]bool{"digests": true, "hashes": false} {
		b.Run(name, func(b *testing.B) {
			meter, known, more := token.NewMeter(nil), weighed(0, 850, digests), weighed(1, 1000, digests)
			grown := make([]plimsoll.Conversation, len(more))
			for i, m := range more {
				grown[i] = chat("gpt-4o", append(known[:len(known):len(known)], m)...)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%len(more) == 0 {
					meter = token.NewMeter(nil)
					meter.Weigh(chat("gpt-4o", known...))
				}
				meter.Weigh(grown[i%len(more)])
			}
		})
	}
}

// BenchmarkWeighTogether weighs known conversations from all processors.
func BenchmarkWeighTogether(b *testing.B) {
	meter := token.NewMeter(nil)
	var seed atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c := chat("gpt-4o", weighed(int(seed.Add(1)), 850, true)...)
		for pb.Next() {
			meter.Weigh(c)
		}
	})
}
