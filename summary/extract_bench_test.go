package summary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// long is a history of about 800 KB, which is about 200,000 tokens.
func long() (h *history, bytes int) {
	h = (&history{}).user("Port the service. You must keep the public API. 必ずテストを先に書いてください。")
	for i := range 250 {
		var code strings.Builder
		for j := range 40 {
			fmt.Fprintf(&code, "\tvalue%d, err := store.Load_%d(ctx, %q) // see package/dir_%d/file_%d.go\n", j, i%17, fmt.Sprint("key-", i*j), i%9, j)
		}
		h.read(fmt.Sprintf("/src/dir_%d/file_%d.go", i%9, i), code.String())
		h.agent(fmt.Sprintf("I decided to keep Load_%d because dir_%d depends on it. The table in shard %d is stale. 原因はキャッシュの鍵%dです。", i%17, i%9, i, i))
		h.edit(fmt.Sprintf("/src/dir_%d/file_%d.go", i%9, i), code.String()[:200], "\treturn nil\n")
		h.bash(fmt.Sprintf("go test ./dir_%d -run Test%d", i%9, i), "dir.go:1: undefined: x\nexit status 1", true)
	}
	for _, m := range h.messages {
		bytes += len(Transcript(plimsoll.Conversation{Messages: plimsoll.ListOf(m)}, plimsoll.Span{End: 1}))
	}
	return h, bytes
}

func BenchmarkLedger(b *testing.B) {
	h, bytes := long()
	c := h.conversation()
	b.SetBytes(int64(bytes))
	for b.Loop() {
		newLedger(c, h.all(), LedgerOptions{Count: count})
	}
}

func BenchmarkExtract(b *testing.B) {
	h, bytes := long()
	r := h.request(Snapshot, 1500)
	r.Required = needs(r.Conversation, r.Old)
	b.SetBytes(int64(bytes))
	for b.Loop() {
		if _, err := (Extract{}).Summarize(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNeeds(b *testing.B) {
	h, bytes := long()
	c := h.conversation()
	b.SetBytes(int64(bytes))
	for b.Loop() {
		needs(c, h.all())
	}
}
