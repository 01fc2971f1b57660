package token_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// TestAConversationSeenBeforeWeighsTheSame weighs histories that grow, branch and
// change their models with one meter, and compares with a meter that has seen
// nothing.
func TestAConversationSeenBeforeWeighsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		meter := token.NewMeter(nil)
		histories := make([][]plimsoll.Message, 3)
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			k := rapid.IntRange(0, len(histories)-1).Draw(t, "which")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0: // branch off another
				from := histories[rapid.IntRange(0, len(histories)-1).Draw(t, "from")]
				histories[k] = append([]plimsoll.Message{}, from[:rapid.IntRange(0, len(from)).Draw(t, "at")]...)
			}
			for i := range rapid.IntRange(0, 6).Draw(t, "more") {
				histories[k] = append(histories[k], digested(t, fmt.Sprint(step, i)))
			}
			c := plimsoll.Conversation{
				Model:    rapid.SampledFrom([]string{"gpt-4o", "gpt-4", "claude-sonnet-4-5"}).Draw(t, "model"),
				Messages: plimsoll.ListOf(histories[k]...),
			}
			if diff := cmp.Diff(token.NewMeter(nil).Weigh(c), meter.Weigh(c)); diff != "" {
				t.Fatalf("step %d (-fresh +seen):\n%s", step, diff)
			}
		}
	})
}

// digested is a message whose digest stands for its text; some have none.
func digested(t *rapid.T, id string) plimsoll.Message {
	m := plimsoll.Say(plimsoll.User, "message "+id)
	if rapid.IntRange(0, 9).Draw(t, "digested") > 0 {
		copy(m.Digest[:], id+"..")
	}
	return m
}
