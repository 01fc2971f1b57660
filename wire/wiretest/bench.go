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
