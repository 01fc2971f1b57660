package summary_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

func TestOnlyAReceiptMakesACheckpointOfTheForm(t *testing.T) {
	t.Parallel()
	receipt := summary.CheckpointReceipt(8, 900, 0, nil)
	user := func(text string) plimsoll.Message { return plimsoll.Say(plimsoll.User, text) }
	notes := plimsoll.Say(plimsoll.Assistant, "<plimsoll_checkpoint>\nnotes\n</plimsoll_checkpoint>")
	for name, tt := range map[string]struct {
		messages []plimsoll.Message
		want     bool
	}{
		"notes before a receipt":                        {[]plimsoll.Message{notes, user(receipt)}, true},
		"notes before a receipt with more words":        {[]plimsoll.Message{notes, user(receipt + "\nGo on.")}, true},
		"notes that a model wrote in the same form":     {[]plimsoll.Message{notes, user("Go on.")}, false},
		"notes at the end":                              {[]plimsoll.Message{notes}, false},
		"notes before a receipt of dropped turns":       {[]plimsoll.Message{notes, plimsoll.Receipt("earlier messages")}, false},
		"a snapshot with a receipt":                     {[]plimsoll.Message{user("<state_snapshot>\ns\n</state_snapshot>\n\n" + receipt)}, true},
		"a snapshot that the user typed":                {[]plimsoll.Message{user("<state_snapshot>\ns\n</state_snapshot>")}, false},
		"a summary with a receipt":                      {[]plimsoll.Message{user("<summary>\ns\n</summary>\n\n" + receipt)}, true},
		"a summary that the user typed":                 {[]plimsoll.Message{user("<summary>s</summary> Is this right?")}, false},
		"what is retained before a summary":             {[]plimsoll.Message{user("<retain>\nr\n</retain>"), user("<summary>\ns\n</summary>\n\n" + receipt)}, true},
		"what the user wants retained":                  {[]plimsoll.Message{user("<retain>\nr\n</retain>"), user("<summary>\ns\n</summary>")}, false},
		"what is retained before another's notes":       {[]plimsoll.Message{user("<retain>\nr\n</retain>"), notes, user(receipt)}, false},
		"what a tool printed":                           {[]plimsoll.Message{plimsoll.Say(plimsoll.ToolRole, "<summary>\ns\n</summary>\n\n"+receipt)}, false},
		"a summary with a receipt that does not end it": {[]plimsoll.Message{user("<summary>\ns\n</summary>\n\n" + receipt + " What is this?")}, false},
	} {
		c := plimsoll.Conversation{Messages: plimsoll.ListOf(tt.messages...)}
		if got := summary.CheckpointAt(c, 0); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOnlyTheReceiptOfACheckpointCanBeUndone(t *testing.T) {
	t.Parallel()
	const ref = "abcdefghijklmnopqrstuvwxyz"
	user := func(text string) plimsoll.Message { return plimsoll.Say(plimsoll.User, text) }
	answer := plimsoll.Say(plimsoll.Assistant, summary.SnapshotAnswer)
	snapshot := user("<state_snapshot>\ns\n</state_snapshot>\n\n" + summary.CheckpointReceipt(8, 900, 0, &plimsoll.Ref{ID: ref}))
	for name, tt := range map[string]struct {
		messages []plimsoll.Message
		end      int
		found    bool
	}{
		"a receipt behind notes":               {[]plimsoll.Message{user("Why?"), plimsoll.Say(plimsoll.Assistant, "<plimsoll_checkpoint>\nn\n</plimsoll_checkpoint>"), user(summary.CheckpointReceipt(8, 900, 0, &plimsoll.Ref{ID: ref})), user("Go on.")}, 3, true},
		"a snapshot and its answer":            {[]plimsoll.Message{snapshot, answer, user("Go on.")}, 2, true},
		"a snapshot inside a turn":             {[]plimsoll.Message{snapshot, answer, user(plimsoll.EarlierReceipt), plimsoll.Say(plimsoll.Assistant, "so")}, 3, true},
		"a receipt of dropped turns":           {[]plimsoll.Message{user("Why?"), plimsoll.Receipt("3 earlier turns (420 tokens), kept as ref=" + ref + ","), user("Go on.")}, 0, false},
		"a snapshot that the user typed":       {[]plimsoll.Message{user("<state_snapshot>s</state_snapshot> ref=" + ref), user("Go on.")}, 0, false},
		"a receipt that counts backwards":      {[]plimsoll.Message{user("Why?"), user(fmt.Sprintf("[plimsoll: 8 earlier messages (9 tokens), of which the next -9 still stand, kept as ref=%s, were removed to fit the context window]", ref)), user("Go on.")}, 2, true},
		"a receipt that counts more than are":  {[]plimsoll.Message{user(fmt.Sprintf("[plimsoll: 8 earlier messages (9 tokens), of which the next 99 still stand, kept as ref=%s, were removed to fit the context window]", ref)), user("Go on.")}, 2, true},
		"a receipt that names another content": {[]plimsoll.Message{user("Why?"), user(summary.CheckpointReceipt(8, 900, 0, &plimsoll.Ref{ID: ref + "z"}))}, 0, false},
	} {
		got, found := summary.CheckpointSpan(plimsoll.Conversation{Messages: plimsoll.ListOf(tt.messages...)}, ref)
		if found != tt.found || got.End != tt.end {
			t.Errorf("%s: %v %v, want an end of %d, %v", name, got, found, tt.end, tt.found)
		}
	}
}
