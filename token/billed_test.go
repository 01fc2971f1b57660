package token_test

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/token"
)

// TestF07_OpenAICountsGrowLikeTheBill weighs what was added between two calls of
// an agent and compares it with how the billed prompt grew. The system prompt and
// the tools are not recorded; they stand in both prompts and cancel out.
func TestF07_OpenAICountsGrowLikeTheBill(t *testing.T) {
	t.Parallel()
	var estimated, billed, calls, close int
	for _, r := range corpora.Read(t, "tau2-bench/simulations.jsonl.gz") {
		agent, bills := agentPrompts(r)
		meter := token.NewMeter(nil)
		weights := meter.Weigh(agent).Messages
		for i := 1; i < len(bills); i++ {
			growth := 0
			for _, w := range weights[bills[i-1].at:bills[i].at] {
				growth += w.Tokens
			}
			actual := bills[i].prompt - bills[i-1].prompt
			estimated += growth
			billed += actual
			calls++
			if off := growth - actual; off >= -2 && off <= 2 {
				close++
			}
		}
	}
	aggregate := math.Abs(float64(estimated-billed)) / float64(billed)
	within := float64(close) / float64(calls)
	t.Logf("%d calls: aggregate error %.4f %%, within 2 tokens %.2f %%", calls, 100*aggregate, 100*within)
	if aggregate > 0.002 {
		t.Errorf("aggregate error is %.3f %%, want at most 0.2 %%", 100*aggregate)
	}
	if within < 0.90 {
		t.Errorf("%.1f %% of the calls are within 2 tokens, want at least 90 %%", 100*within)
	}
}

type bill struct{ at, prompt int }

// agentPrompts leaves out what the simulated user did with its own tools, and
// returns where in the rest the agent was billed.
func agentPrompts(r corpora.Record) (plimsoll.Conversation, []bill) {
	var messages []plimsoll.Message
	var bills []bill
	for i, m := range r.Conversation.Messages.All() {
		note := r.Notes[i]
		if note.Requestor == "user" || m.Role == plimsoll.User && plimsoll.Has[plimsoll.ToolCall](m) {
			continue
		}
		if u, ok := note.Billed(); ok && m.Role == plimsoll.Assistant {
			bills = append(bills, bill{len(messages), u.Prompt()})
		}
		messages = append(messages, m)
	}
	return plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4.1", Messages: plimsoll.ListOf(messages...)}, bills
}
