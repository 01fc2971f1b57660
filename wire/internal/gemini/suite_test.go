package gemini_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

var subject = wiretest.Subject{Codec: gemini.Codec{}, Render: render, Normalize: normalize}

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
		`{"contents":[{"role":"user","parts":[{"text":"\ud800"},{"inlineData":{"mimeType":"image/png","data":""}}]}],"tools":[{}]}`,
		`{"contents":{"parts":{"functionCall":{"args":[]}}},"tools":{"function_declarations":null},"system_instruction":{}}`,
		`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"x"}]},{"parts":[{"functionResponse":{"name":"f","response":{"error":"e"},"parts":[{"text":"t"}]}}]}]}`,
		"{\"contents\":[{\"parts\":[{\"text\":\"\xff\"}]}],\"contents\":[]}",
	)
}

// normalize puts the results of a round into one content of the user, and the
// texts of a result into the one that a function response has.
func normalize(c plimsoll.Conversation) plimsoll.Conversation {
	messages := c.Messages.Slice()
	for i, m := range messages {
		if m.Role == plimsoll.ToolRole {
			r := m.Parts.At(0).(plimsoll.ToolResult)
			r.Content = textOf(plimsoll.TextOf(r.Content))
			messages[i] = plimsoll.NewMessage(m.Role, r)
		}
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

// renderer writes bodies as clients do, in camel or in snake case.
type renderer struct {
	r     *rand.Rand
	snake bool
}

// key returns one of two spellings.
func (g *renderer) key(camel, snake string) string {
	if g.snake {
		return snake
	}
	return camel
}

func render(c plimsoll.Conversation, r *rand.Rand) []byte {
	g := renderer{r: r, snake: r.IntN(2) == 0}
	indent := r.IntN(2) == 0
	var system members
	var contents []raw
	for _, m := range normalize(c).Messages.All() {
		if m.Role == plimsoll.System {
			system = members{member(g.key("systemInstruction", "system_instruction"), g.system(m))}
			continue
		}
		contents = append(contents, g.content(m))
	}
	list := array(contents...)
	if len(contents) == 1 && r.IntN(2) == 0 {
		list = contents[0]
	}
	body := members{member(g.key("generationConfig", "generation_config"), raw(`{"temperature":1.0,"maxOutputTokens":8192}`)), member("contents", list)}
	if r.IntN(2) == 0 {
		body = append(body, system...)
	} else {
		body = append(system, body...)
	}
	if c.Tools.Len() > 0 {
		body = append(body, member("tools", g.tools(c)))
	}
	body = append(body, member("labels", raw("9007199254740993")), member("labels", raw(`{"a":[1e2,-0.0]}`)))
	return wiretest.LayOut(object(body...), indent)
}

// system renders the instruction in the forms that clients use.
func (g *renderer) system(m plimsoll.Message) raw {
	parts := g.parts(m)
	switch g.r.IntN(4) {
	case 0:
		return text(m.Text())
	case 1:
		return object(member("parts", parts[0]))
	case 2:
		return object(member("role", raw(`"user"`)), member("parts", array(parts...)))
	}
	return object(member("parts", array(parts...)))
}

func (g *renderer) tools(c plimsoll.Conversation) raw {
	var all []raw
	for _, t := range c.Tools.All() {
		all = append(all, object(member("name", text(t.Name)), member("description", text(t.Description)),
			member(g.key("parametersJsonSchema", "parameters"), raw(t.Schema))))
	}
	tool := object(member(g.key("functionDeclarations", "function_declarations"), array(all...)))
	if g.r.IntN(3) == 0 {
		return tool
	}
	return array(tool)
}

func (g *renderer) content(m plimsoll.Message) raw {
	role := "user"
	switch {
	case m.Role == plimsoll.Assistant:
		role = "model"
	case plimsoll.Has[plimsoll.ToolResult](m) && g.r.IntN(3) == 0:
		role = "function"
	}
	parts := g.parts(m)
	list := array(parts...)
	if len(parts) == 1 && g.r.IntN(3) == 0 {
		list = parts[0]
	}
	o := members{member("parts", list), member("role", raw(`"`+role+`"`))}
	switch {
	case role == "user" && g.r.IntN(6) == 0:
		o = o[:1]
	case g.r.IntN(2) == 0:
		o[0], o[1] = o[1], o[0]
	}
	return object(append(o, member("unknown_field", raw("null")))...)
}

func (g *renderer) parts(m plimsoll.Message) []raw {
	var all []raw
	for _, p := range m.Parts.All() {
		o := g.part(p)
		if len(o) > 1 && g.r.IntN(3) == 0 {
			o[0], o[1] = o[1], o[0]
		}
		all = append(all, object(o...))
	}
	return all
}

func (g *renderer) part(p plimsoll.Part) members {
	switch p := p.(type) {
	case plimsoll.Text:
		return members{member("text", text(p.Text)), member("thought", raw("false"))}
	case plimsoll.Reasoning:
		return members{
			member("thought", raw("true")), member("text", text(p.Text)),
			member(g.key("thoughtSignature", "thought_signature"), text(p.Signature)),
		}
	case plimsoll.ToolCall:
		o := members{member(g.key("functionCall", "function_call"), object(
			member("id", raw(`"`+p.ID+`"`)), member("name", raw(`"`+p.Name+`"`)), member("args", raw(p.Arguments)),
		))}
		if g.r.IntN(2) == 0 {
			o = append(o, member(g.key("thoughtSignature", "thought_signature"), raw(`"c2ln\u002b\/="`)))
		}
		return o
	case plimsoll.ToolResult:
		key := []string{"output", "result"}[g.r.IntN(2)]
		return members{member(g.key("functionResponse", "function_response"), object(
			member("id", raw(`"`+p.CallID+`"`)), member("name", raw(`"`+p.Name+`"`)),
			member("response", object(member(key, text(plimsoll.TextOf(p.Content))))),
			member("scheduling", raw("null")),
		))}
	}
	panic(fmt.Sprintf("the generator draws no %T", p))
}
