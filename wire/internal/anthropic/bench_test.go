package anthropic_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
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

func sessionOf(size, messages int) []byte { return []byte(longSession(messages/2, size/(messages/2))) }

func BenchmarkUnedited(b *testing.B) {
	wiretest.Unedited(b, anthropic.Codec{}, sessionOf, func() any { return &typedRequest{} })
}

func BenchmarkWarm(b *testing.B) { wiretest.Warm(b, anthropic.Codec{}, sessionOf) }
