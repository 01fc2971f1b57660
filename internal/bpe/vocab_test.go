package bpe

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"testing"
)

// The sums are those that OpenAI publishes for its .tiktoken files.
func TestVocabularyIsOpenAIsByteForByte(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"r50k_base":   "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
		"p50k_base":   "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
		"cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
		"o200k_base":  "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
	} {
		e, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for id := range e.tables.size() {
			if token := e.tables.bytes(uint32(id)); len(token) > 0 {
				fmt.Fprintf(h, "%s %d\n", base64.StdEncoding.EncodeToString(token), id)
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
			t.Errorf("%s: sha256 of the rebuilt file is %s, want %s", name, got, want)
		}
	}
}
