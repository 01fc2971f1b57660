package openai_test

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

var subject = wiretest.Subject{Codec: openai.Codec{}, Render: render, Same: same}

func TestSuite(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, subject)
}

func TestARequestWeighsWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	subject.Fit(t, token.NewMeter(nil), &rung.Reasoning{}, &rung.Clear{ToGoal: true, MinReclaim: -1}, &rung.Slide{})
}

func FuzzDecode(f *testing.F) {
	subject.RoundTrip(f, clientBody,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"\ud800"},{"type":"image_url","image_url":"data:"}]}],"tools":[{}]}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]},{"role":"tool","content":null}]}`,
		"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}],\"messages\":[]}",
	)
}

// same leaves out what Chat Completions cannot say: signatures, and the name of
// the tool that a result comes from.
func same(p plimsoll.Part) plimsoll.Part {
	switch p := p.(type) {
	case plimsoll.Reasoning:
		p.Signature = ""
		return p
	}
	return wiretest.WithoutToolName(p)
}

type raw = wiretest.Raw

var (
	object = wiretest.Object
	member = wiretest.NewMember
	text   = wiretest.String
)

func render(c plimsoll.Conversation, r *rand.Rand) []byte {
	indent := r.IntN(2) == 0
	var messages []raw
	for _, m := range c.Messages.All() {
		messages = append(messages, renderMessage(m, r))
	}
	body := []wiretest.Member{
		member("model", text(c.Model)), member("temperature", raw("1.0")), member("messages", wiretest.Array(messages...)),
	}
	if c.Tools.Len() > 0 {
		var tools []raw
		for _, t := range c.Tools.All() {
			tools = append(tools, object(member("type", text("function")), member("function", object(
				member("name", text(t.Name)), member("description", text(t.Description)), member("parameters", raw(t.Schema)),
			))))
		}
		body = append(body, member("tools", wiretest.Array(tools...)))
	}
	body = append(body, member("seed", raw("9007199254740993")), member("seed", raw("2")))
	return wiretest.LayOut(object(body...), indent)
}

func renderMessage(m plimsoll.Message, r *rand.Rand) raw {
	var o []wiretest.Member
	role := member("role", text(string(m.Role)))
	first := r.IntN(4) > 0
	if first {
		o = append(o, role)
	}
	var texts []string
	var calls []raw
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			texts = append(texts, p.Text)
		case plimsoll.Reasoning:
			o = append(o, renderReasoning(p.Text, r)...)
		case plimsoll.ToolCall:
			calls = append(calls, object(member("id", text(p.ID)), member("type", text("function")), member("function", object(
				member("name", text(p.Name)), member("arguments", text(p.Arguments)),
			))))
		case plimsoll.ToolResult:
			o = append(o, member("tool_call_id", text(p.CallID)))
			for _, c := range p.Content.All() {
				texts = append(texts, c.(plimsoll.Text).Text)
			}
		}
	}
	o = append(o, member("content", renderTexts(texts, r)))
	if calls != nil {
		o = append(o, member("tool_calls", wiretest.Array(calls...)))
	}
	if !first {
		o = append(o, role)
	}
	return object(append(o, member("unknown_field", raw("null")))...)
}

// renderReasoning writes reasoning under one name or both, as clients do that send it
// back to servers of several kinds, and in parts.
func renderReasoning(thought string, r *rand.Rand) []wiretest.Member {
	all := []wiretest.Member{member("reasoning_content", text(thought)), member("reasoning", text(thought))}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+r.IntN(2)]
	if r.IntN(2) == 0 {
		details := wiretest.Array(object(member("type", text("reasoning.text")), member("text", text(thought))))
		all = append(all, member("reasoning_details", details))
	}
	return all
}

func renderTexts(texts []string, r *rand.Rand) raw {
	switch {
	case len(texts) == 0:
		return raw("null")
	case len(texts) == 1 && r.IntN(2) == 0:
		return text(texts[0])
	}
	var blocks []raw
	for _, t := range texts {
		blocks = append(blocks, object(member("type", text("text")), member("text", text(t)),
			member("cache_control", raw(`{"type":"ephemeral"}`))))
	}
	return wiretest.Array(blocks...)
}
