package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// bill is the answer of a provider that bills a prompt.
func bill(d plimsoll.Dialect, tokens int) string {
	return fmt.Sprintf(map[plimsoll.Dialect]string{
		plimsoll.OpenAI:    `{"choices":[{"index":0,"message":{"role":"assistant","content":"aye"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":5}}`,
		plimsoll.Responses: `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"aye"}]}],"usage":{"input_tokens":%d,"output_tokens":5}}`,
		plimsoll.Anthropic: `{"type":"message","role":"assistant","content":[{"type":"text","text":"aye"}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":5}}`,
		plimsoll.Gemini:    `{"candidates":[{"content":{"role":"model","parts":[{"text":"aye"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":5}}`,
	}[d], tokens)
}

// TestEveryWayInCountsAlike counts a short conversation, before and after the proxy has
// seen bills of it. Every way in has a process of its own and must give the same band, too.
// So must a second proxy, and a conversation of the same model that has no bill yet. The
// shape of a body says what API it is for, and nothing else does.
func TestEveryWayInCountsAlike(t *testing.T) {
	t.Parallel()
	conversations(t, func(t *testing.T, doors func() *doors, request func(plimsoll.Conversation) []byte) {
		w := doors()
		if w.dialect == plimsoll.Gemini {
			w.model = "gemini-2.5-flash" // as the path says to the proxy
		}
		later := request(agentAtWork(4))
		fresh := w.countedAlike(later)
		const billed = 5000
		bills := func(n int, c plimsoll.Conversation) {
			t.Helper()
			w.answer = bill(w.dialect, n)
			w.proxied(request(c))
			w.answer = "{}"
			w.settle(request(agentAtWork(8)))
		}
		bills(billed, agentAtWork(3))
		if known := w.countedAlike(later); known.Total <= billed || known.Total > billed+fresh.Total {
			t.Errorf("before the bill it is %v, after a bill of %d for its beginning %v", fresh, billed, known)
		}
		for n := 4; n < 8; n++ {
			bills(billed+250*n, agentAtWork(n))
		}
		later = request(agentAtWork(8))
		first := w.countedAlike(later)
		w.proxy = nil // another process, which has seen none of the bills
		if second := w.countedAlike(later); second != first {
			t.Errorf("one proxy counts %v, another one %v", first, second)
		}
		other := agentAtWork(3)
		other.Messages = plimsoll.ListOf(append([]plimsoll.Message{plimsoll.Say(plimsoll.User, "Which quay is free?")}, other.Messages.Slice()[1:]...)...)
		w.countedAlike(request(other))
	})
}

// settle waits until another process knows the last bill of a conversation: the proxy writes
// it aside.
func (w *doors) settle(body []byte) {
	w.t.Helper()
	want := w.proxied(body).Before
	for range 1000 {
		if w.counted(body) == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// countedAlike is the count of a body that every way in must have.
func (w *doors) countedAlike(body []byte) figure {
	w.t.Helper()
	var plan plimsoll.Plan
	w.ask("plan", body, &plan)
	want := figureOf(plan.Before)
	var counted figure
	w.ask("count", body, &counted)
	w.ask("plan?window=100000", body, &plan)
	for name, got := range map[string]figure{
		"another window": figureOf(plan.Before),
		"POST count":     counted,
		"plimsoll count": w.counted(body),
		"plimsoll fit":   w.fitted(body),
		"the library":    w.library(body).Before,
		"the proxy":      w.proxied(body).Before,
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Errorf("%s differs from POST plan (-plan +got):\n%s", name, diff)
		}
	}
	return want
}

// TestProcessesAgreeOnTheFirstCut lets one proxy serve a conversation, with bills, until the
// next request must be cut. Another proxy, a command and the library have seen nothing of
// it but the bills in the store. Each must cut it as the first one does. Under policy rent
// that is before the limit is reached.
func TestProcessesAgreeOnTheFirstCut(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"policy: rent\n", "policy: threshold\n", "preset: agent\n", "preset: gemini\n", "preset: multichat\n", "preset: cookbook\n"} {
		t.Run(strings.TrimSpace(settings), func(t *testing.T) {
			t.Parallel()
			w := newDoors(t, plimsoll.OpenAI, newStore(t), settings)
			body := func(rounds int) []byte {
				c := agentAtWork(1)
				var all []plimsoll.Message
				for n := range rounds {
					work := agentAtWork(n + 1).Messages.Slice()
					all = append(all, plimsoll.Say(plimsoll.User, fmt.Sprintf("Question %d?", n)))
					all = append(all, work[len(work)-2:]...)
					all = append(all, plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Answer %d.", n)))
				}
				c.Messages = plimsoll.ListOf(append(all, plimsoll.Say(plimsoll.User, fmt.Sprintf("Question %d?", rounds)))...)
				request, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), c)
				w.must(err)
				return append([]byte(`{"model":"gpt-4o",`), bytes.TrimPrefix(request, []byte("{"))...)
			}
			rounds := 1
			planned := func() (p plimsoll.Plan) {
				w.ask("plan", body(rounds), &p)
				return p
			}
			for ; ; rounds++ {
				if p := planned(); p.Changed() {
					break
				} else if rounds > 100 {
					t.Fatal("nothing is ever cut")
				} else {
					w.answer = bill(plimsoll.OpenAI, p.After.Total+7)
					w.proxied(body(rounds))
				}
			}
			w.answer = "{}"
			want := planned()
			first := outcome{figureOf(want.Before), figureOf(want.After), ""}
			w.stop()
			report := filepath.Join(t.TempDir(), "report.json")
			w.output(body(rounds), "fit", "--dry-run", "--report", report, "-")
			var command plimsoll.Plan
			text, err := os.ReadFile(report)
			w.must(err)
			w.must(json.Unmarshal(text, &command))
			second := planned()
			for name, p := range map[string]plimsoll.Plan{"another proxy": second, "the command line": command} {
				if diff := cmp.Diff(first, outcome{figureOf(p.Before), figureOf(p.After), ""}); diff != "" {
					t.Errorf("%s differs from the proxy that saw the bills (-first +got):\n%s", name, diff)
				}
			}
			if want.Before.Total == token.NewMeter(nil).Weigh(w.decode(body(rounds)).Conversation()).Total {
				t.Error("the bills do not count")
			}
		})
	}
}
