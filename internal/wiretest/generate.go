package wiretest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Conversation draws a valid conversation: leading system message, turns of tool
// rounds with single and parallel calls, signed reasoning, and a question or an
// unanswered last result at the end. Results of parallel calls may come in
// another order than the calls. It is written as OpenAI would send it: the
// system prompt is a message and each result a message of its own; Render
// brings it into its dialect.
func Conversation(r *rand.Rand) plimsoll.Conversation {
	g := generator{r: r}
	if r.IntN(3) > 0 {
		g.add(plimsoll.Say(plimsoll.System, g.text()))
	}
	turns := 1 + r.IntN(4)
	for i := range turns {
		g.add(plimsoll.Say(plimsoll.User, g.text()))
		for range r.IntN(4) {
			g.round()
		}
		if i < turns-1 {
			g.add(plimsoll.Say(plimsoll.Assistant, g.text()))
		}
	}
	c := plimsoll.Conversation{Model: "test-model", Messages: plimsoll.ListOf(g.messages...)}
	if g.calls > 0 || r.IntN(2) == 0 {
		c.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "read", Description: "reads " + g.text(), Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`})
	}
	return c
}

type generator struct {
	r        *rand.Rand
	messages []plimsoll.Message
	calls    int
}

func (g *generator) add(m plimsoll.Message) { g.messages = append(g.messages, m) }

func (g *generator) round() {
	var parts []plimsoll.Part
	if g.r.IntN(3) == 0 {
		parts = append(parts, plimsoll.Reasoning{Text: g.text(), Signature: fmt.Sprintf("sig-%d-%d", g.r.Int64(), g.calls)})
	}
	if g.r.IntN(2) == 0 {
		parts = append(parts, plimsoll.Text{Text: g.text()})
	}
	var results []plimsoll.Message
	for range 1 + g.r.IntN(3)/2*g.r.IntN(3) {
		g.calls++
		id := fmt.Sprintf("call_%d", g.calls)
		parts = append(parts, plimsoll.ToolCall{ID: id, Name: "read", Arguments: fmt.Sprintf(`{"path":"f%d.go"}`, g.r.IntN(5))})
		content := []plimsoll.Part{plimsoll.Text{Text: g.text()}}
		if g.r.IntN(6) == 0 {
			content = append(content, plimsoll.Text{Text: g.text()})
		}
		results = append(results, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
			CallID: id, Name: "read", Content: plimsoll.ListOf(content...),
		}))
	}
	g.r.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	g.add(plimsoll.NewMessage(plimsoll.Assistant, parts...))
	g.messages = append(g.messages, results...)
}

// text draws what breaks careless encoders: quotes, escapes, control characters,
// other scripts, characters beyond the basic plane, things that look like JSON.
func (g *generator) text() string {
	words := []string{
		"ship", "load line", "日本語", "naïve", "🙂", `"quoted"`, `back\slash`, "\n", "\t", "</tool>", `{"a": [1, 2]}`,
		"\u2028", "\x7f", "e\u0301", "<script>&amp;", "1.0", "\\u0041", "\u0000\u0001",
	}
	var b strings.Builder
	for range 1 + g.r.IntN(6) {
		b.WriteString(words[g.r.IntN(len(words))])
		if g.r.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
