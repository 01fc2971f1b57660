package token_test

import (
	"math"
	"slices"
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

// TestF11_ClaudeEstimatesFollowTheBill calibrates on the first three calls of
// each conversation, then compares every further call with its bill, which is
// learned from in turn, as in a proxy. The vocabulary is not public, and about
// 24 to 44 thousand tokens of system prompt and tools are not recorded.
func TestF11_ClaudeEstimatesFollowTheBill(t *testing.T) {
	t.Parallel()
	calibration := token.NewCalibration(nil)
	meter := token.NewMeter(&token.MeterOptions{Calibration: calibration})
	var errors []float64
	for _, r := range corpora.Read(t, "entire-claude-code/sessions.jsonl.gz") {
		errors = append(errors, followBill(r, meter, math.MaxInt)...)
	}
	p95 := percentile(errors, 95)
	t.Logf("%d calls: median %.2f %%, p95 %.2f %%", len(errors), 100*percentile(errors, 50), 100*p95)
	if p95 > 0.05 {
		t.Errorf("p95 of the error is %.2f %%, want at most 5 %%", 100*p95)
	}
	for _, d := range calibration.Drift() {
		t.Logf("%s: %d bills, factor %.3f, error %.2f %%, bias %+.2f %%",
			d.Model, d.Observations, d.Factor, 100*d.Error, 100*d.Bias)
		if d.Factor < 0.8 || d.Factor > 1.25 {
			t.Errorf("%s: factor %.3f is far from 1, so the estimate itself is off", d.Model, d.Factor)
		}
	}
}

// followBill returns the relative errors of the calls after the third. Bills up
// to call learn are observed.
func followBill(r corpora.Record, meter *token.Meter, learn int) []float64 {
	var errors []float64
	start, calls := 0, 0
	messages := r.Conversation.Messages.Slice()
	for i := range messages {
		if r.Notes[i].Summary {
			start = i
		}
		usage, ok := r.Notes[i].Billed()
		if !ok || messages[i].Role != plimsoll.Assistant {
			continue
		}
		prompt := plimsoll.Conversation{
			Dialect: plimsoll.Anthropic, Model: r.Model, Messages: plimsoll.ListOf(messages[start:i]...),
		}
		calls++
		if calls > 3 {
			off := meter.For(r.ID).Weigh(prompt).Total - usage.Prompt()
			errors = append(errors, math.Abs(float64(off))/float64(usage.Prompt()))
		}
		if calls <= learn {
			meter.Observe(r.ID, prompt, usage)
		}
	}
	return errors
}

func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
