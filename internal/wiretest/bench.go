package wiretest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Unedited compares indexing, identifying and writing an unedited body with what a
// proxy does that unmarshals into typed structs and marshals again. Body returns a
// body of about the given size and number of messages, typed a new struct for it.
func Unedited(b *testing.B, codec wire.Codec, body func(size, messages int) []byte, typed func() any) {
	for _, size := range []struct{ bytes, messages int }{{1 << 20, 200}, {4 << 20, 1000}} {
		data := body(size.bytes, size.messages)
		b.Run(fmt.Sprintf("plimsoll/%dMiB", size.bytes>>20), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				req, err := codec.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				req.Chain()
				if _, err := req.Encode(plimsoll.NewDraft(req.Conversation(), nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("encoding-json/%dMiB", size.bytes>>20), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				req := typed()
				if err := json.Unmarshal(data, req); err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Warm measures what a proxy does with a request that it leaves alone: to decode it,
// draw its chain, check it and write it, for a short request and a long one.
func Warm(b *testing.B, codec wire.Codec, body func(size, messages int) []byte) {
	for _, size := range []struct{ bytes, messages int }{{4 << 10, 8}, {300 << 10, 120}} {
		data := body(size.bytes, size.messages)
		b.Run(fmt.Sprintf("%dKiB", size.bytes>>10), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				req, err := codec.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				req.Chain()
				if v := wire.Check(req); len(v) > 0 {
					b.Fatal(v)
				}
				if _, err := req.Encode(plimsoll.NewDraft(req.Conversation(), nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
