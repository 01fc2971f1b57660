package ollama_test

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
)

var subject = wiretest.Subject{Codec: ollama.Codec{}, Render: withIDs, Same: same, Normalize: oneText}

func TestSuite(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, subject)
}

func TestSuiteWithoutIDs(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, wiretest.Subject{Codec: ollama.Codec{}, Render: withoutIDs, Same: unnumbered, Normalize: oneText})
}

func TestARequestWeighsWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	subject.Fit(t, token.NewMeter(nil), &rung.Reasoning{}, &rung.Clear{ToGoal: true, MinReclaim: -1}, &rung.Slide{})
}

func FuzzDecode(f *testing.F) {
	subject.RoundTrip(f, clientBody,
		`{"messages":[{"role":"user","content":"\ud800","images":["aGk=",1,"data:"]}],"tools":[{}],"options":{"num_ctx":-1,"num_predict":1e3}}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{}"}},0]},{"role":"tool","content":null}]}`,
		"{\"messages\":[{\"role\":\"USER\",\"content\":\"\xff\",\"thinking\":\"a\",\"thinking\":\"b\"}],\"messages\":[]}",
	)
}

// same leaves out what this API cannot say: signatures.
func same(p plimsoll.Part) plimsoll.Part {
	if r, ok := p.(plimsoll.Reasoning); ok {
		r.Signature = ""
		return r
	}
	return p
}

// unnumbered leaves out the ids of calls too.
func unnumbered(p plimsoll.Part) plimsoll.Part {
	switch p := p.(type) {
	case plimsoll.ToolCall:
		p.ID = ""
		return p
	case plimsoll.ToolResult:
		p.CallID = ""
		return p
	}
	return same(p)
}

// oneText makes one text of those of a result.
func oneText(c plimsoll.Conversation) plimsoll.Conversation {
	messages := c.Messages.Slice()
	for i, m := range messages {
		parts := m.Parts.Slice()
		for j, p := range parts {
			if r, ok := p.(plimsoll.ToolResult); ok {
				r.Content = wiretest.TextOf(plimsoll.TextOf(r.Content))
				parts[j] = r
			}
		}
		messages[i].Parts = plimsoll.ListOf(parts...)
	}
	c.Messages = plimsoll.ListOf(messages...)
	return c
}

type raw = wiretest.Raw

var (
	object = wiretest.Object
	member = wiretest.NewMember
	text   = wiretest.String
)

func withIDs(c plimsoll.Conversation, r *rand.Rand) []byte { return render(c, r, true) }

func withoutIDs(c plimsoll.Conversation, r *rand.Rand) []byte { return render(c, r, false) }

func render(c plimsoll.Conversation, r *rand.Rand, ids bool) []byte {
	indent := r.IntN(2) == 0
	var messages []raw
	for _, m := range c.Messages.All() {
		messages = append(messages, renderMessage(m, r, ids))
	}
	body := []wiretest.Member{
		member("model", text(c.Model)), member("messages", wiretest.Array(messages...)), member("keep_alive", text("5m")),
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
	body = append(body, member("options", raw(`{"temperature":1.0,"seed":9007199254740993}`)), member("stream", raw("false")))
	return wiretest.LayOut(object(body...), indent)
}

// renderMessage writes the names of a result in one of the ways that clients do.
func renderMessage(m plimsoll.Message, r *rand.Rand, ids bool) raw {
	var o []wiretest.Member
	var calls []raw
	content := m.Text()
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Reasoning:
			o = append(o, member("thinking", text(p.Text)))
		case plimsoll.ToolCall:
			function := member("function", object(member("index", raw("0")), member("name", text(p.Name)), member("arguments", raw(p.Arguments))))
			call := []wiretest.Member{function}
			if ids {
				call = append(call, member("id", text(p.ID)))
			}
			calls = append(calls, object(call...))
		case plimsoll.ToolResult:
			content = plimsoll.TextOf(p.Content)
			if ids {
				o = append(o, member("tool_call_id", text(p.CallID)))
			}
			if r.IntN(2) == 0 {
				o = append(o, member("tool_name", text(p.Name)))
			}
		}
	}
	role := member("role", text(string(m.Role)))
	if content != "" || r.IntN(2) == 0 {
		o = append(o, member("content", text(content)))
	}
	if calls != nil {
		o = append(o, member("tool_calls", wiretest.Array(calls...)))
	}
	if r.IntN(2) == 0 {
		o = append([]wiretest.Member{role}, o...)
	} else {
		o = append(o, role)
	}
	return object(append(o, member("unknown_field", raw("null")))...)
}
