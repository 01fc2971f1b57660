package anthropic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

var subject = wiretest.Subject{
	Codec: anthropic.Codec{}, Render: render, Same: wiretest.WithoutToolName, Normalize: normalize, Adjusts: true,
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
	subject.RoundTrip(f, agentBody,
		`{"system":null,"tools":null,"messages":[{"role":"user","content":[{"type":"tool_result","content":[[],{"type":"text","text":"\ud800"}]}],"content":"a"}],"messages":[{"role":"x"}]}`,
		"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}],\"cache_control\":{\"ttl\":\"1h\"}}",
		`{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":7},{"type":"x_tool_result","tool_use_id":"\u0000"},{"type":"thinking"}]}],"thinking":{"type":"enabled"}}`,
	)
}

// normalize puts the results of a round into one user message, and gives texts
// of white space a letter: the API refuses them.
func normalize(c plimsoll.Conversation) plimsoll.Conversation {
	if c.Dialect == plimsoll.Anthropic {
		return c // decoded from a body that was rendered so
	}
	messages := c.Messages.Slice()
	for k, m := range messages {
		parts := m.Parts.Slice()
		for i, p := range parts {
			if t, ok := p.(plimsoll.Text); ok && strings.TrimSpace(t.Text) == "" {
				parts[i] = plimsoll.Text{Text: "x" + t.Text}
			}
		}
		messages[k] = plimsoll.NewMessage(m.Role, parts...)
	}
	c.Messages = plimsoll.ListOf(wiretest.JoinResults(messages)...)
	return c
}

type (
	raw     = wiretest.Raw
	members = []wiretest.Member
)

var (
	array  = wiretest.Array
	object = wiretest.Object
	member = wiretest.NewMember
	text   = wiretest.String
)

// renderer writes bodies as clients do: marks on the instructions, on some of the
// user's messages and on the last one, thinking switched on where the history
// allows it.
type renderer struct {
	r *rand.Rand
	// spare is how many cache marks are left, and hours how many of them are for
	// an hour.
	spare, hours int
	// anywhere puts marks on all kinds of blocks.
	anywhere bool
}

func render(c plimsoll.Conversation, r *rand.Rand) []byte {
	g := renderer{r: r, spare: 3}
	return g.render(c)
}

func (g *renderer) render(c plimsoll.Conversation) []byte {
	r := g.r
	indent, thinking := r.IntN(2) == 0, r.IntN(2) == 0
	c = normalize(c)
	system, messages := []raw{}, []raw{}
	for i, m := range c.Messages.All() {
		if m.Role == plimsoll.System {
			system = append(system, g.blocks(m, false)...)
			continue
		}
		messages = append(messages, g.message(m, i == c.Messages.Len()-1))
	}
	body := members{
		member("model", text(c.Model)), member("max_tokens", raw("4096")), member("temperature", raw("1.0")),
		member("messages", array(messages...)),
	}
	switch {
	case len(system) == 1 && r.IntN(2) == 0:
		body = append(body, member("system", text(c.Messages.At(0).Text())))
	case len(system) > 0:
		body = append(members{member("system", array(system...))}, body...)
	}
	if c.Tools.Len() > 0 {
		body = append(body, member("tools", tools(c)))
	}
	if thinking && thinksThroughout(c) {
		body = append(body, member("thinking", raw(`{"type":"enabled","budget_tokens":1024}`)))
	}
	body = append(body, member("top_k", raw("9007199254740993")), member("top_k", raw("2")), member("unknown", raw(`{"a":[1e2,-0.0]}`)))
	return wiretest.LayOut(object(body...), indent)
}

func tools(c plimsoll.Conversation) raw {
	var all []raw
	for _, t := range c.Tools.All() {
		all = append(all, object(member("name", text(t.Name)), member("description", text(t.Description)),
			member("input_schema", raw(t.Schema)), member("cache_control", raw(`{"type":"ephemeral","ttl":"1h"}`))))
	}
	return array(all...)
}

// thinksThroughout reports whether each round of the newest turn begins with
// thinking.
func thinksThroughout(c plimsoll.Conversation) bool {
	turns := c.Outline().Turns
	for _, round := range turns[len(turns)-1].Rounds {
		if _, ok := c.Messages.At(round.Start).Parts.At(0).(plimsoll.Reasoning); !ok {
			return false
		}
	}
	return true
}

func (g *renderer) message(m plimsoll.Message, last bool) raw {
	role := member("role", raw(`"`+m.Role+`"`))
	opens := m.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m)
	// The same draws for a message wherever it stands, so that a longer history
	// begins like a shorter one.
	chosen, bare := g.r.IntN(3) == 0, g.r.IntN(2) == 0
	mark := last || opens && chosen && g.spare > 1
	blocks := g.blocks(m, mark)
	content := array(blocks...)
	if t, ok := m.Parts.At(0).(plimsoll.Text); ok && len(blocks) == 1 && !mark && bare {
		content = text(t.Text)
	}
	o := members{role, member("content", content)}
	if g.r.IntN(4) == 0 {
		o[0], o[1] = o[1], o[0]
	}
	return object(append(o, member("unknown_field", raw("null")))...)
}

// blocks renders the parts; the last block may get a cache mark.
func (g *renderer) blocks(m plimsoll.Message, mark bool) []raw {
	var all []raw
	for i, p := range m.Parts.All() {
		o := g.block(p)
		if g.r.IntN(4) == 0 {
			o[0], o[1] = o[1], o[0]
		}
		if _, thinks := p.(plimsoll.Reasoning); !thinks {
			o = g.mark(o, mark && i == m.Parts.Len()-1)
		}
		all = append(all, object(o...))
	}
	return all
}

// mark puts a cache mark on a block if it is chosen.
func (g *renderer) mark(o members, chosen bool) members {
	if g.anywhere {
		chosen = g.r.IntN(4) == 0
	}
	if !chosen || g.spare == 0 {
		return o
	}
	value := raw(`{"type":"ephemeral"}`)
	if g.hours > 0 {
		value = raw(`{"ttl":"1h","type":"ephemeral"}`)
	}
	g.spare, g.hours = g.spare-1, g.hours-1
	return append(o, member("cache_control", value))
}

func (g *renderer) block(p plimsoll.Part) members {
	switch p := p.(type) {
	case plimsoll.Text:
		return members{member("type", raw(`"text"`)), member("text", text(p.Text))}
	case plimsoll.Reasoning:
		return members{member("type", raw(`"thinking"`)), member("thinking", text(p.Text)), member("signature", text(p.Signature))}
	case plimsoll.ToolCall:
		return members{member("type", raw(`"tool_use"`)), member("id", raw(`"`+p.ID+`"`)), member("name", text(p.Name)), member("input", raw(p.Arguments))}
	case plimsoll.ToolResult:
		return g.result(p)
	}
	panic(fmt.Sprintf("the generator draws no %T", p))
}

func (g *renderer) result(p plimsoll.ToolResult) members {
	o := members{member("type", raw(`"tool_result"`)), member("tool_use_id", raw(`"`+p.CallID+`"`))}
	if p.Content.Len() == 1 && g.r.IntN(2) == 0 {
		return append(o, member("content", text(plimsoll.TextOf(p.Content))), member("is_error", raw("false")))
	}
	var inside []raw
	for _, c := range p.Content.All() {
		inside = append(inside, object(g.mark(g.block(c), false)...))
	}
	return append(o, member("content", array(inside...)))
}
