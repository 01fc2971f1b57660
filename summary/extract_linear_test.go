package summary

import (
	"errors"
	"strings"
	"testing"
)

// Texts that could make a reader of tags or sentences go over them again and again stay
// within all bounds.
func TestLongTextsOfOnePieceStayWithinAllBounds(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for _, piece := range []string{
		"<retain></retain>", "<retain>", "</retain>", "must. ", "must ", ".", "。」", `\\`, `"'`, "a_b/",
		"1. must\n", "- [ ] x\n", "```\n", "*** Add File: x\n", "エラー",
	} {
		text := strings.Repeat(piece, size/len(piece))
		h := (&history{}).user(text).agent(text).call("Bash", map[string]any{"command": text}, text, true).
			call("update_plan", map[string]any{"plan": text}, text, true).read(text, text)
		r := h.request(Snapshot, 500)
		s, err := Extract{}.Summarize(t.Context(), r)
		if err != nil && !errors.Is(err, errEmpty) || count(s.Text) > r.Budget {
			t.Errorf("%q: %d tokens, %v", piece, count(s.Text), err)
		}
		if n := count(newLedger(r.Conversation, r.Old, LedgerOptions{Count: count}).text()); n > 2500 {
			t.Errorf("%q: a ledger of %d tokens", piece, n)
		}
		for _, need := range needs(r.Conversation, r.Old) {
			if len(need) > maxNeedBytes {
				t.Errorf("%q needs %d bytes", piece, len(need))
			}
		}
	}
}
