package responses_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

var subject = wiretest.Subject{
	Codec: responses.Codec{}, Render: render, Same: wiretest.WithoutToolName, Normalize: normalize, Adjusts: true,
}

func TestSuite(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, subject)
}

func TestARequestWeighsWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	subject.Fit(t, token.NewMeter(nil), &rung.Reasoning{}, &rung.Clear{ToGoal: true, MinReclaim: -1}, &rung.Slide{})
}

func FuzzDecode(f *testing.F) {
	subject.RoundTrip(f, codexBody, firstRequest, secondRequest, request(ask, think, say, call, answer))
}

// normalize makes items of the parts of each message, and of added instructions a
// message behind the leading ones: the instructions proper stay one string.
func normalize(c plimsoll.Conversation) plimsoll.Conversation {
	var messages []plimsoll.Message
	head := c.Outline().Head
	for i, m := range c.Messages.All() {
		if i == head {
			messages = append(messages, addedSystem(c)...)
		}
		if m.Role != plimsoll.Assistant {
			messages = append(messages, m)
			continue
		}
		for _, p := range m.Parts.All() {
			messages = append(messages, plimsoll.NewMessage(m.Role, p))
		}
	}
	c.Messages = plimsoll.ListOf(messages...)
	if c.System.Len() > 1 {
		c.System = plimsoll.ListOf(c.System.At(0))
	}
	return c
}

func addedSystem(c plimsoll.Conversation) []plimsoll.Message {
	if c.System.Len() < 2 {
		return nil
	}
	return []plimsoll.Message{plimsoll.NewMessage(plimsoll.System, c.System.Slice()[1:]...)}
}

type raw = wiretest.Raw

var (
	object = wiretest.Object
	member = wiretest.NewMember
	text   = wiretest.String
	word   = wiretest.Word[string]
)

func render(c plimsoll.Conversation, r *rand.Rand) []byte {
	indent := r.IntN(2) == 0
	messages := c.Messages.Slice()
	body := []wiretest.Member{member("model", word(c.Model)), member("temperature", raw("1.0"))}
	if messages[0].Role == plimsoll.System && r.IntN(2) == 0 {
		body = append(body, member("instructions", text(messages[0].Text())))
		messages = messages[1:]
	}
	input := member("input", renderInput(messages, r))
	tools := member("tools", renderTools(c))
	if r.IntN(2) == 0 {
		body = append(body, tools, input)
	} else {
		body = append(body, input, tools)
	}
	body = append(body, member("seed", raw("9007199254740993")), member("seed", raw("2")))
	return wiretest.LayOut(object(body...), indent)
}

func renderTools(c plimsoll.Conversation) raw {
	if c.Tools.Len() == 0 {
		return raw("null")
	}
	var tools []raw
	for _, t := range c.Tools.All() {
		tools = append(tools, object(member("type", word("function")), member("name", word(t.Name)),
			member("description", text(t.Description)), member("parameters", raw(t.Schema)), member("strict", raw("true"))))
	}
	return wiretest.Array(tools...)
}

func renderInput(messages []plimsoll.Message, r *rand.Rand) raw {
	if len(messages) == 1 && r.IntN(2) == 0 {
		return text(messages[0].Text())
	}
	g := items{r: r, ids: r.IntN(2) == 0}
	for _, m := range messages {
		for _, p := range m.Parts.All() {
			g.add(m.Role, p)
		}
	}
	return wiretest.Array(g.all...)
}

type items struct {
	r   *rand.Rand
	ids bool
	all []raw
}

// add writes a part as an item, with an id in some requests and its type in front
// or behind.
func (g *items) add(role plimsoll.Role, p plimsoll.Part) {
	var kind, prefix string
	var o []wiretest.Member
	switch p := p.(type) {
	case plimsoll.Text:
		kind, prefix = "message", "msg"
		o = append(o, member("role", word(string(role))), member("content", g.content(role, p.Text)))
	case plimsoll.Reasoning:
		kind, prefix = "reasoning", "rs"
		o = append(o, member("encrypted_content", word(p.Signature)),
			member("summary", wiretest.Array(object(member("type", word("summary_text")), member("text", text(p.Text))))))
	case plimsoll.ToolCall:
		kind, prefix = "function_call", "fc"
		o = append(o, member("call_id", word(p.ID)), member("name", word(p.Name)), member("arguments", text(p.Arguments)))
	case plimsoll.ToolResult:
		kind, prefix = "function_call_output", "fco"
		o = append(o, member("call_id", word(p.CallID)), member("output", g.output(p.Content)))
	}
	if g.ids {
		id := []wiretest.Member{member("id", word(fmt.Sprintf("%s_%03d", prefix, len(g.all))))}
		o = append(id, append(o, member("status", word("completed")))...)
	}
	if g.r.IntN(4) > 0 {
		o = append([]wiretest.Member{member("type", word(kind))}, o...)
	} else {
		o = append(o, member("type", word(kind)))
	}
	g.all = append(g.all, object(append(o, member("unknown_field", raw("null")))...))
}

func (g *items) content(role plimsoll.Role, s string) raw {
	if g.r.IntN(2) == 0 {
		return text(s)
	}
	kind := "input_text"
	if role == plimsoll.Assistant {
		kind = "output_text"
	}
	return wiretest.Array(object(member("text", text(s)), member("annotations", raw("[]")), member("type", word(kind))))
}

func (g *items) output(content plimsoll.List[plimsoll.Part]) raw {
	if content.Len() == 1 && g.r.IntN(2) == 0 {
		return text(content.At(0).(plimsoll.Text).Text)
	}
	var parts []raw
	for _, p := range content.All() {
		parts = append(parts, object(member("type", word("input_text")), member("text", text(p.(plimsoll.Text).Text)),
			member("prompt_cache_breakpoint", raw(`{"mode":"explicit"}`))))
	}
	return wiretest.Array(parts...)
}
