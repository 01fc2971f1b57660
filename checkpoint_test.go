package plimsoll_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestOnlyAReceiptMakesACheckpointOfTheForm(t *testing.T) {
	t.Parallel()
	receipt := plimsoll.CheckpointReceipt(8, 900, 0, nil)
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
		if got := c.CheckpointAt(0); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
