package transport_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

var refPattern = regexp.MustCompile(`ref=([A-Za-z0-9_-]+)`)

// refs are those that the model sees, in order.
func refs(c plimsoll.Conversation) []string {
	var all []string
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			text := ""
			switch p := p.(type) {
			case plimsoll.Text:
				text = p.Text
			case plimsoll.ToolResult:
				text = plimsoll.TextOf(p.Content)
			}
			for _, found := range refPattern.FindAllStringSubmatch(text, -1) {
				all = append(all, found[1])
			}
		}
	}
	return all
}

func has(c plimsoll.Conversation, tool string) bool {
	for _, t := range c.Tools.All() {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// reading is a job whose model, when everything was read, asks for what was cut: alone,
// or beside a call of the client's.
func reading(steps int, mixed bool) scripted.Script {
	files := job(steps)
	return func(c *scripted.Call) (scripted.Step, bool) {
		results := c.Results()
		for _, r := range results {
			if r.Name == "tool_output_cache" {
				found := regexp.MustCompile(`MARK-\d+`).FindString(plimsoll.TextOf(r.Content))
				return scripted.Say("I found " + found + " again"), true
			}
		}
		if c.End() == scripted.EndUser && strings.Contains(c.Text(), "bye") {
			return scripted.Say("bye"), true
		}
		step, ok := files(c)
		if step.Text != "done" || !ok {
			return step, ok
		}
		all := refs(c.Conversation)
		if len(all) == 0 || !has(c.Conversation, "tool_output_cache") {
			return scripted.Say("there is nothing to read"), true
		}
		use := scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":%q}`, all[0]))
		use.Text = "Let me look. "
		if mixed {
			use.Calls = append(use.Calls, plimsoll.ToolCall{Name: "read", Arguments: `{"path":"file99"}`})
		}
		return use, true
	}
}

func TestTheModelReadsWhatWasCutAndTheClientDoesNotNotice(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: reading(14, false), Window: 24_000}, transport.Options{Store: newStore(t), Window: 24_000})
		a := b.agent(d, stream)
		a.work()
		last := a.history[len(a.history)-1].Text()
		if !strings.Contains(last, "Let me look") || !strings.Contains(last, "I found MARK-") {
			t.Fatalf("the last answer is %q", last)
		}
		for i, m := range a.history {
			for _, p := range m.Parts.All() {
				if call, ok := p.(plimsoll.ToolCall); ok && call.Name != "read" {
					t.Errorf("message %d: the client sees a call of %s", i, call.Name)
				}
			}
		}
		log := b.model.Log()
		before := log[len(log)-1]
		a.say("bye")
		if got := a.ask(); got.said.Message.Text() != "bye" {
			t.Fatalf("%d: %q %s", got.status, got.said.Message.Text(), got.body)
		}
		log = b.model.Log()
		after := log[len(log)-1]
		if !bytes.Contains(after.Body, []byte("I found MARK-")) || !bytes.Contains(after.Body, []byte(`tool_output_cache`)) {
			t.Errorf("the model does not see what it read:\n%.2000s", after.Body)
		}
		if shared := sharedMessages(before.Call.Conversation, after.Call.Conversation); shared < before.Call.Conversation.Messages.Len() {
			t.Errorf("%d of %d messages are those that the model has seen", shared, before.Call.Conversation.Messages.Len())
		}
		if over, wrong := b.upstreamFaults(); over+wrong > 0 {
			t.Errorf("%d overflows, %d violations", over, wrong)
		}
	})
}

// sharedMessages is how many messages two conversations have in common from the start.
func sharedMessages(a, b plimsoll.Conversation) int {
	n := min(a.Messages.Len(), b.Messages.Len())
	for i := range n {
		if fmt.Sprint(said(a.Messages.At(i))) != fmt.Sprint(said(b.Messages.At(i))) {
			return i
		}
	}
	return n
}

func said(m plimsoll.Message) []any {
	all := []any{m.Role}
	for _, p := range m.Parts.All() {
		if r, ok := p.(plimsoll.ToolResult); ok {
			p = plimsoll.Text{Text: r.CallID + plimsoll.TextOf(r.Content)}
		}
		all = append(all, p)
	}
	return all
}

func TestCallsOfBothKindsInOneAnswerAreBothAnswered(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: reading(14, true), Window: 24_000}, transport.Options{Store: newStore(t), Window: 24_000})
		a := b.agent(d, stream)
		a.say("read all files")
		for {
			got := a.ask()
			if got.status != http.StatusOK {
				t.Fatalf("status %d: %.500s", got.status, got.body)
			}
			if a.answerCalls(func(c plimsoll.ToolCall) string {
				var step int
				_, _ = fmt.Sscanf(c.Arguments, `{"path":"file%d"}`, &step)
				if step == 99 {
					return "the client's own result"
				}
				return output(step)
			}) == 0 {
				break
			}
		}
		log := b.model.Log()
		last := log[len(log)-1]
		if over, wrong := b.upstreamFaults(); over+wrong > 0 {
			t.Fatalf("%d overflows, %d violations: %v", over, wrong, last.Violations)
		}
		if !bytes.Contains(last.Body, []byte("the client's own result")) || !bytes.Contains(last.Body, []byte("tool_output_cache")) {
			t.Errorf("not both results arrived:\n%.500s", last.Body)
		}
		if got := a.history[len(a.history)-1].Text(); !strings.Contains(got, "I found MARK-") {
			t.Errorf("the last answer is %q", got)
		}
	})
}
