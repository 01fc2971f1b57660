package anthropic_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/anthropic"
)

// typedRequest is what a proxy without a splice unmarshals into.
type typedRequest struct {
	Model     string         `json:"model"`
	MaxTokens int            `json:"max_tokens"`
	Messages  []typedMessage `json:"messages"`
}

type typedMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func BenchmarkUnedited(b *testing.B) {
	for _, size := range []struct{ bytes, rounds int }{{1 << 20, 100}, {4 << 20, 500}} {
		body := []byte(longSession(size.rounds, size.bytes/size.rounds))
		b.Run(fmt.Sprintf("plimsoll/%dMiB", size.bytes>>20), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				req, err := anthropic.Codec{}.Decode(body)
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
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var req typedRequest
				if err := json.Unmarshal(body, &req); err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
