package token_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/token"
)

// TestF11_ClaudeEstimatesFollowTheBill compares each call of recorded sessions
// after the third of a conversation with its bill. The vocabulary is not public, and
// about 24 to 44 thousand tokens of system prompt and tools are not recorded. It
// does so in two ways: as in a proxy, where each bill is learned from, and with
// nothing learned after the third bill. A frozen estimate can only be as good as
// the record, so its goal is for calls whose requests are known.
func TestF11_ClaudeEstimatesFollowTheBill(t *testing.T) {
	t.Parallel()
	sessions := corpora.Read(t, "entire-claude-code/sessions.jsonl.gz")
	for _, way := range []struct {
		name  string
		learn int
		// known and all bound the p95 of the error.
		known, all float64
	}{
		{"with every bill", math.MaxInt, 0.05, 0.05},
		{"with three bills", 3, 0.05, 0.20},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			calibration := token.NewCalibration(nil)
			meter := token.NewMeter(&token.MeterOptions{Calibration: calibration})
			var known, all []float64
			unknown := map[doubt]int{}
			for _, session := range sessions {
				for _, c := range comparedCalls(session, meter, way.learn) {
					all = append(all, c.off)
					if unknown[c.doubt]++; c.doubt == "" {
						known = append(known, c.off)
					}
				}
			}
			checkErrors(t, "calls whose requests are known", known, way.known)
			checkErrors(t, "all calls", all, way.all)
			for why, n := range unknown {
				if why != "" {
					t.Logf("%d requests are not known: %s", n, why)
				}
			}
			checkFactors(t, calibration.Drift())
		})
	}
}

func checkErrors(t *testing.T, of string, errors []float64, goal float64) {
	t.Helper()
	p95 := percentile(errors, 95)
	t.Logf("%s: %d, median %.2f %%, p90 %.2f %%, p95 %.2f %%", of, len(errors),
		100*percentile(errors, 50), 100*percentile(errors, 90), 100*p95)
	if p95 > goal {
		t.Errorf("p95 of the error of %s is %.2f %%, want at most %.0f %%", of, 100*p95, 100*goal)
	}
}

func checkFactors(t *testing.T, drifts []token.Drift) {
	t.Helper()
	for _, d := range drifts {
		t.Logf("%s: %d bills, factor %.3f, error %.2f %%, bias %+.2f %%",
			d.Model, d.Observations, d.Factor, 100*d.Error, 100*d.Bias)
		if d.Factor < 0.8 || d.Factor > 1.25 {
			t.Errorf("%s: factor %.3f is far from 1, so the estimate itself is off", d.Model, d.Factor)
		}
	}
}

// doubt says why the record may not have what was sent; empty if it has.
type doubt string

const (
	doubtExit     doubt = "the client was left and started again, and builds another prompt"
	doubtRedacted doubt = "more than ten strings of one step were redacted in the record"
	doubtFell     doubt = "the bill fell, so the client took something out"
)

type compared struct {
	off   float64
	doubt doubt
}

// comparedCalls returns the relative errors of the calls after the third of each
// conversation. Bills up to call learn are observed.
func comparedCalls(session corpora.Record, meter *token.Meter, learn int) []compared {
	var all []compared
	for _, calls := range conversationsOf(session) {
		for n, c := range calls {
			if billed := c.usage.Prompt(); n >= 3 {
				off := meter.For(c.key).Weigh(c.prompt).Total - billed
				all = append(all, compared{math.Abs(float64(off)) / float64(billed), c.doubt})
			}
			if n < learn {
				meter.Observe(c.key, c.prompt, c.usage)
			}
		}
	}
	return all
}

type call struct {
	key    string
	prompt plimsoll.Conversation
	usage  plimsoll.Usage
	doubt  doubt
}

// conversationsOf returns the calls of each conversation in a session. What begins
// with another message is another conversation, as it is to a proxy: after a
// compaction, after /clear, and where a plan is carried out in a fresh context. A
// request that may not be known makes the later ones of its conversation so, since
// they contain it; before the fourth call it is part of what calibration learns.
func conversationsOf(session corpora.Record) [][]call {
	var all [][]call
	messages := session.Conversation.Messages.Slice()
	start, step, before := 0, 0, 0
	var calls []call
	var why doubt
	for i, m := range messages {
		if i > 0 && begins(m, session.Notes[i]) {
			all, calls, why, start, step, before = append(all, calls), nil, "", i, i, 0
		}
		usage, ok := session.Notes[i].Billed()
		if !ok || m.Role != plimsoll.Assistant || usage.Prompt() == 0 {
			continue
		}
		if why == "" {
			why = doubtOf(messages[step:i], len(calls), before, usage, session.Model)
		}
		calls = append(calls, call{
			key: fmt.Sprint(session.ID, "#", start), usage: usage, doubt: why,
			prompt: plimsoll.Conversation{
				Dialect: plimsoll.Anthropic, Model: session.Model, Messages: plimsoll.ListOf(messages[start:i]...),
			},
		})
		step, before = i, usage.Prompt()
	}
	return append(all, calls)
}

func begins(m plimsoll.Message, note corpora.Note) bool {
	text := m.Text()
	return note.Summary || m.Role == plimsoll.User &&
		(strings.Contains(text, "<command-name>/clear") || strings.HasPrefix(text, "Implement the following plan"))
}

// doubtOf looks at what was added for a call. A falling bill says nothing for
// models whose provider forgets thoughts when the next turn begins.
func doubtOf(added []plimsoll.Message, calls, before int, usage plimsoll.Usage, model string) doubt {
	marks := 0
	for _, m := range added {
		if m.Role == plimsoll.User && calls > 0 && strings.Contains(m.Text(), "<command-name>/exit") {
			return doubtExit
		}
		marks += redacted(m.Parts)
	}
	switch {
	case marks > 10 && calls >= 3:
		return doubtRedacted
	case usage.Prompt() < before && !strings.HasPrefix(model, "claude-sonnet-4-5"):
		return doubtFell
	}
	return ""
}

func redacted(parts plimsoll.List[plimsoll.Part]) int {
	const mark = "REDACTED"
	n := 0
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			n += strings.Count(p.Text, mark)
		case plimsoll.ToolCall:
			n += strings.Count(p.Arguments, mark)
		case plimsoll.ToolResult:
			n += redacted(p.Content)
		}
	}
	return n
}

func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
