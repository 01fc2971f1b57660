package faults

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// four are the APIs that a case runs through.
var four = []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini}

var models = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "gpt-4o", plimsoll.Responses: "gpt-4o", plimsoll.Anthropic: "claude-sonnet-4-5", plimsoll.Gemini: "gemini-2.5-flash",
}

// chat is where most cases are sent.
const chat = "/v1/chat/completions"

// path is where a dialect is asked.
func path(d plimsoll.Dialect, stream bool) string {
	switch {
	case d == plimsoll.Responses:
		return "/v1/responses"
	case d == plimsoll.Anthropic:
		return "/v1/messages"
	case d == plimsoll.Gemini && stream:
		return "/v1beta/models/" + models[d] + ":streamGenerateContent?alt=sse"
	case d == plimsoll.Gemini:
		return "/v1beta/models/" + models[d] + ":generateContent"
	}
	return chat
}

var readTool = plimsoll.Tool{Name: "read_file", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`}

// work is an agent's conversation: so many calls, each with an output of so many lines in
// which a mark of its own stands. Names keep conversations apart.
func work(name string, calls, lines int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, name+": find out why deep ships lie at Quay 4.")}
	for i := range calls {
		id := fmt.Sprint("call_", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"quay_%d.go"}`, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Name: "read_file", Content: wiretest.TextOf(toolOutput(name, i, lines))}))
	}
	return plimsoll.Conversation{
		System:   wiretest.TextOf("You keep the berth plan."),
		Tools:    plimsoll.ListOf(readTool),
		Messages: plimsoll.ListOf(messages...),
	}
}

// toolOutput is what a tool gave: every line differs.
func toolOutput(name string, call, lines int) string {
	var b strings.Builder
	for i := range lines {
		if i == lines/2 {
			fmt.Fprintf(&b, "%s\n", mark(name, call))
		}
		fmt.Fprintf(&b, "%s %d line %d: berth %d is %d feet deep at low water\n", name, call, i, i*call*7919, i%40)
	}
	return b.String()
}

func mark(name string, call int) string { return fmt.Sprintf("MARK-%s-%04d", name, call) }

// then adds what the user says next.
func then(c plimsoll.Conversation, said string) plimsoll.Conversation {
	c.Messages = plimsoll.ListOf(append(slices.Clone(c.Messages.Slice()), plimsoll.Say(plimsoll.Assistant, "I see."), plimsoll.Say(plimsoll.User, said))...)
	return c
}

// talk is a chat without tools.
func talk(name string, turns int) plimsoll.Conversation {
	var messages []plimsoll.Message
	for i := range turns {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("%s: what is to be known of ship %d? She is called %s.", name, i, mark(name, i))),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Ship %d lies at Quay %d, as berths/plan_%d.csv says. She is loaded until the evening tide, and leaves with the next one.", i, i%7, i)))
	}
	return plimsoll.Conversation{System: wiretest.TextOf("You keep the berth plan."), Messages: plimsoll.ListOf(append(messages, plimsoll.Say(plimsoll.User, "What is open?"))...)}
}

// body writes a conversation as a request; more are members to begin it with, as `"n":2,`.
func body(t *testing.T, d plimsoll.Dialect, c plimsoll.Conversation, more ...string) []byte {
	t.Helper()
	c.Dialect, c.Model = d, models[d]
	text, err := wiretest.Rewrite(dialects.Codec(d), c)
	if err != nil {
		t.Fatal(err)
	}
	head := "{" + strings.Join(more, "")
	switch {
	case d == plimsoll.Anthropic:
		head += fmt.Sprintf(`"model":%q,"max_tokens":1000,`, c.Model)
	case d != plimsoll.Gemini:
		head += fmt.Sprintf(`"model":%q,`, c.Model)
	}
	return append([]byte(head), bytes.TrimPrefix(text, []byte("{"))...)
}

// hello is a request that nothing has to be done about.
func hello(text string) []byte {
	return fmt.Appendf(nil, `{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`, text)
}

var reference = regexp.MustCompile(`ref=([A-Za-z0-9_-]{8,64})`)

// refs returns the references in a text, each once.
func refs(text []byte) []string {
	var all []string
	for _, m := range reference.FindAllSubmatch(text, -1) {
		if id := string(m[1]); !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// content reads what a reference stands for over the operator's API.
func (p *proxy) content(id string, headers ...string) answer {
	p.t.Helper()
	return p.get("/plimsoll/v1/refs/"+id, headers...)
}

func textOf(s string) plimsoll.List[plimsoll.Part] { return wiretest.TextOf(s) }

// newest lists the references that were stored last.
func (p *proxy) newest() []string {
	p.t.Helper()
	out, err := p.run("cache", "ls", "--json", "--store", p.store)
	if err != nil {
		p.t.Fatalf("cache ls: %v\n%s", err, out)
	}
	var ids []string
	for _, m := range regexp.MustCompile(`"(?:id|ref|ref_id)": ?"([A-Za-z0-9_-]{8,64})"`).FindAllStringSubmatch(out, 5) {
		ids = append(ids, m[1])
	}
	return ids
}

// text returns what a reference stands for.
func (p *proxy) text(id string) string {
	p.t.Helper()
	out, err := p.run("cache", "get", "--raw", id, "--store", p.store)
	if err != nil {
		p.t.Errorf("cache get %s: %v\n%s", id, err, out)
	}
	return out
}
