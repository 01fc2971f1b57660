package converse_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/internal/converse"
)

var subject = wiretest.Subject{
	Codec: converse.Codec{}, Render: render, Same: wiretest.WithoutToolName, Normalize: normalize, Adjusts: true, Joins: true,
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
		`{"system":null,"toolConfig":null,"messages":[{"role":"user","content":[{"toolResult":{"content":[[],{"text":"\ud800"},{"json":[1]}]}},null],"content":null}],"messages":[{"role":"x"}]}`,
		"{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"\xff\"},{\"cachePoint\":{}}]}],\"toolConfig\":{\"tools\":[{\"cachePoint\":{}},0],\"toolChoice\":{\"tool\":{}}}}",
		`{"messages":[{"role":"assistant","content":[{"toolUse":{"input":"x"}},{"reasoningContent":{"redactedContent":"AA=="}},{"text":"a","image":{"source":{"bytes":"\u0041"}}}]}],"additionalModelRequestFields":{"thinking":{"type":"enabled"}}}`,
	)
}

// normalize puts the results of a round into one user message, joins neighbours of one
// role, and gives texts of white space a letter: the API refuses them.
func normalize(c plimsoll.Conversation) plimsoll.Conversation {
	var all []plimsoll.Message
	for _, m := range wiretest.JoinResults(c.Messages.Slice()) {
		parts := m.Parts.Slice()
		for i, p := range parts {
			if t, ok := p.(plimsoll.Text); ok && strings.TrimSpace(t.Text) == "" {
				parts[i] = plimsoll.Text{Text: "x" + t.Text}
			}
		}
		if n := len(all); n > 0 && all[n-1].Role == m.Role {
			parts = append(all[n-1].Parts.Slice(), parts...)
			all = all[:n-1]
		}
		all = append(all, plimsoll.NewMessage(m.Role, parts...))
	}
	c.Messages = plimsoll.ListOf(all...)
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

func render(c plimsoll.Conversation, r *rand.Rand) []byte {
	indent := r.IntN(2) == 0
	var system, messages []raw
	for _, m := range normalize(c).Messages.All() {
		blocks := []raw{}
		for _, p := range m.Parts.All() {
			blocks = append(blocks, block(p, r))
		}
		// The same draws for a message wherever it stands, so that a longer history
		// begins like a shorter one.
		if m.Role == plimsoll.User && r.IntN(3) == 0 {
			blocks = append(blocks, raw(`{"cachePoint":{"type":"default"}}`))
		}
		if m.Role == plimsoll.System {
			system = append(system, blocks...)
			continue
		}
		o := members{member("role", text(string(m.Role))), member("content", array(blocks...))}
		if r.IntN(4) == 0 {
			o[0], o[1] = o[1], o[0]
		}
		messages = append(messages, object(o...))
	}
	body := members{member("inferenceConfig", raw(`{"maxTokens":4096,"temperature":1.0}`)), member("messages", array(messages...))}
	if len(system) > 0 {
		body = append(members{member("system", array(append(system, raw(`{"cachePoint":{"type":"default"}}`))...))}, body...)
	}
	if c.Tools.Len() > 0 {
		tools := []raw{}
		for _, t := range c.Tools.All() {
			spec := object(member("name", text(t.Name)), member("description", text(t.Description)), member("inputSchema", object(member("json", raw(t.Schema)))))
			tools = append(tools, object(member("toolSpec", spec)))
		}
		tools = append(tools, raw(`{"cachePoint":{"type":"default"}}`))
		body = append(body, member("toolConfig", object(member("toolChoice", raw(`{"auto":{}}`)), member("tools", array(tools...)))))
	}
	body = append(body, member("unknown", raw(`{"a":[1e2,-0.0]}`)), member("unknown", raw("2")))
	return wiretest.LayOut(object(body...), indent)
}

func block(p plimsoll.Part, r *rand.Rand) raw {
	switch p := p.(type) {
	case plimsoll.Text:
		return object(member("text", text(p.Text)))
	case plimsoll.Reasoning:
		return object(member("reasoningContent", object(member("reasoningText", object(member("text", text(p.Text)), member("signature", text(p.Signature)))))))
	case plimsoll.ToolCall:
		return object(member("toolUse", object(member("toolUseId", text(p.ID)), member("name", text(p.Name)), member("input", raw(p.Arguments)))))
	case plimsoll.ToolResult:
		var inside []raw
		for _, c := range p.Content.All() {
			inside = append(inside, block(c, r))
		}
		o := members{member("toolUseId", text(p.CallID)), member("content", array(inside...))}
		if r.IntN(2) == 0 {
			o = append(o, member("status", raw(`"success"`)))
		}
		return object(member("toolResult", object(o...)))
	}
	panic(fmt.Sprintf("the generator draws no %T", p))
}

const template = `{"messages":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"toolConfig":{"tools":[TOOLS]}MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, converse.Codec{}, wiretest.Elements{
		Template: template,
		Messages: []string{
			`{"role":"user","content":[]},`, `{"role":"assistant"},`, `{"role":"a"},`, `{"role":"\u0061"},`,
			`{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"}}]},`, `{"role":"user","content":[{"toolResult":{"content":[]}}]},`,
			`{"role":"assistant","content":[{"reasoningContent":{}}]},`, `{"role":"assistant","content":[{"toolUse":{"toolUseId":"#","name":"#"}}]},`,
		},
		Parts: []string{
			`{"text":""},`, `{"toolUse":{}},`, `{"toolResult":{}},`, `{"toolResult":{"content":[0]}},`, `{"reasoningContent":{}},`,
			`{"image":{"source":{"bytes":""}}},`, `{"a":0},`, `{"cachePoint":{}},`, `{"\u0061":0},`, `{},`, `0,`,
		},
		Fields: []string{`"content":[],`, `"content":[{}],`, `"role":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"toolSpec":{"name":"a"}},`, `{"cachePoint":{}},`},
	})
}

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, converse.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, converse.Codec{}, template, `{"role":"user","content":[]},`, `{"text":"x"},`, `{"toolSpec":{"name":"f"}},`)
}
