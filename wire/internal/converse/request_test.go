package converse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/converse"
)

// agentBody has what clients of Converse send: instructions with a cache point, pictures,
// documents, calls, results in text and JSON, and reasoning.
const agentBody = `{
  "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
  "inferenceConfig": {"maxTokens": 512, "temperature": 0.5},
  "toolConfig": {"tools": [
    {"toolSpec": {"name": "read", "description": "reads", "inputSchema": {"json": {"type": "object"}}}},
    {"systemTool": {"name": "nova_grounding"}}, {"cachePoint": {"type": "default"}}], "toolChoice": {"any": {}}},
  "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
  "outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"name": "o", "schema": "{\"type\":\"object\"}"}}}},
  "messages": [
    {"role": "user", "content": [
      {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}},
      {"document": {"format": "pdf", "name": "d", "source": {"s3Location": {"uri": "s3://b/d.pdf"}}}},
      {"document": {"format": "txt", "name": "d", "source": {"text": "hi"}}},
      {"guardContent": {"text": {"text": "x"}}}, {"text": "Go\n"}]},
    {"role": "assistant", "content": [
      {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}}, {"reasoningContent": {"redactedContent": "AAA="}},
      {"text": "I read."}, {"toolUse": {"toolUseId": "t1", "name": "read", "input": {"path": "a"}}}]},
    {"role": "user", "content": [
      {"toolResult": {"toolUseId": "t1", "content": [{"text": "one"}, {"json": {"n": 1}}], "status": "error"}}, {"cachePoint": {"type": "default"}}]}
  ]
}`

func TestARequestSaysWhatItHas(t *testing.T) {
	t.Parallel()
	r := wiretest.Decode(t, converse.Codec{}, agentBody)
	c := r.Conversation()
	if c.MaxOutput != 512 || c.Thinking != "enabled" || c.Choice != "required" || c.Output.Schema != `{"type":"object"}` || c.System.Len() != 1 {
		t.Errorf("%+v", c)
	}
	want := []plimsoll.Tool{
		{Name: "read", Description: "reads", Schema: `{"type": "object"}`}, {Opaque: `{"systemTool": {"name": "nova_grounding"}}`},
	}
	if diff := cmp.Diff(want, c.Tools.Slice()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	parts := [][]any{
		{
			plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "iVBORw0KGgo="},
			plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", URL: "s3://b/d.pdf"},
			plimsoll.Opaque{Kind: "document", Raw: `{"document": {"format": "txt", "name": "d", "source": {"text": "hi"}}}`},
			plimsoll.Opaque{Kind: "guardContent", Raw: `{"guardContent": {"text": {"text": "x"}}}`},
			plimsoll.Text{Text: "Go\n"},
		},
		{
			plimsoll.Reasoning{Text: "hm", Signature: "S"},
			plimsoll.Reasoning{Signature: "AAA=", Redacted: true},
			plimsoll.Text{Text: "I read."},
			plimsoll.ToolCall{ID: "t1", Name: "read", Arguments: `{"path": "a"}`},
		},
	}
	for i, want := range parts {
		var got []any
		for _, p := range c.Messages.At(i).Parts.All() {
			got = append(got, p)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("message %d (-want +got):\n%s", i, diff)
		}
	}
	result := c.Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	if result.CallID != "t1" || !result.IsError || plimsoll.TextOf(result.Content) != "one\n{\"n\": 1}" && plimsoll.TextOf(result.Content) != `one{"n": 1}` {
		t.Errorf("%+v %q", result, plimsoll.TextOf(result.Content))
	}
	wiretest.ExpectRule(t, wire.Check(r), "")
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	with := wiretest.Decode(t, converse.Codec{}, agentBody)
	without := wiretest.Decode(t, converse.Codec{}, strings.ReplaceAll(agentBody, `, {"cachePoint": {"type": "default"}}`, ""))
	if got := wiretest.SharedLinks(with, without); got != 4 {
		t.Errorf("%d links of 4 are shared", got)
	}
}

func TestEditsAreSplicedIn(t *testing.T) {
	t.Parallel()
	why := plimsoll.Why{Rung: "test"}
	for _, tt := range []struct {
		name, body string
		edit       func(*plimsoll.Draft) error
		want       string
	}{
		{
			"tools and instructions that are new", `{"messages":[{"role":"user","content":[{"text":"a"}]}]}`,
			func(d *plimsoll.Draft) error {
				d.AddSystem(plimsoll.Text{Text: "s"}, why)
				d.AddTool(plimsoll.Tool{Name: "f", Description: "g"}, why)
				return nil
			},
			`{"messages":[{"role":"user","content":[{"text":"a"}]}],"system":[{"text":"s"}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"g","inputSchema":{"json":{"type":"object"}}}}]}}`,
		},
		{
			"members that are null", `{"system":null,"toolConfig":null,"messages":[{"role":"user","content":[{"text":"a"}]}]}`,
			func(d *plimsoll.Draft) error {
				d.AddSystem(plimsoll.Text{Text: "s"}, why)
				d.AddTool(plimsoll.Tool{Name: "f"}, why)
				return nil
			},
			`{"system":[{"text":"s"}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]},"messages":[{"role":"user","content":[{"text":"a"}]}]}`,
		},
		{
			"a summary joins the message that it comes before",
			`{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"text":"b"}]},{"role":"user","content":[{"text":"c"},{"cachePoint":{"type":"default"}}]}]}`,
			func(d *plimsoll.Draft) error {
				if err := d.Drop(plimsoll.Span{End: 2}, why); err != nil {
					return err
				}
				_, err := d.Insert(2, plimsoll.Say(plimsoll.User, "so far"), why)
				return err
			},
			`{"messages":[{"role":"user","content":[{"text":"so far"},{"text":"c"},{"cachePoint":{"type":"default"}}]}]}`,
		},
		{
			"a result in JSON becomes text", `{"toolConfig":{"tools":[]},"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"json":{"n":1}}],"status":"success"}}]}]}`,
			func(d *plimsoll.Draft) error {
				return d.ReplaceResult(plimsoll.PartRef{Message: 2}, wiretest.TextOf("cut"), why)
			},
			`{"toolConfig":{"tools":[]},"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"cut"}],"status":"success"}}]}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, wiretest.Edited(t, converse.Codec{}, tt.body, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryKindOfPartCanBeWritten(t *testing.T) {
	t.Parallel()
	c := wiretest.Decode(t, converse.Codec{}, agentBody).Conversation()
	body, err := wiretest.Rewrite(converse.Codec{}, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}`, `{"document":{"format":"pdf","name":"document","source":{"s3Location":{"uri":"s3://b/d.pdf"}}}}`,
		`{"toolResult":{"toolUseId":"t1","content":[{"text":"one"},{"text":"{\"n\": 1}"}],"status":"error"}}`, `{"systemTool": {"name": "nova_grounding"}}`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
	link := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"}))}
	if body, err := wiretest.Rewrite(converse.Codec{}, link); err != nil || !strings.Contains(string(body), `[{"text":"https://example.com/a.png"}]`) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
	t.Parallel()
	const (
		user   = `{"role":"user","content":[{"text":"a"}]}`
		says   = `{"role":"assistant","content":[{"text":"b"}]}`
		calls  = `{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]}`
		result = `{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[]}}]}`
		tools  = `,"toolConfig":{"tools":[{"toolSpec":{"name":"f"}}]}`
	)
	for _, tt := range []struct{ name, messages, more, rule string }{
		{"a chat", user + "," + says + "," + user, "", ""},
		{"an answer that the model is to go on with", user + "," + says, "", ""},
		{"a call with its result", user + "," + calls + "," + result, tools, ""},
		{"no messages", "", "", wire.RuleEmpty},
		{"the assistant first", says + "," + user, "", wire.RuleOrder},
		{"two of the user's in a row", user + "," + user, "", wire.RuleOrder},
		{"a system message", `{"role":"system","content":[{"text":"a"}]}`, "", wire.RuleRole},
		{"a message without content", `{"role":"user","content":[]}`, "", wire.RuleEmpty},
		{"a text of white space", `{"role":"user","content":[{"text":" \n"}]}`, "", wire.RuleEmpty},
		{"a call by the user", `{"role":"user","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]}`, tools, wire.RuleRole},
		{"a result by the assistant", user + `,{"role":"assistant","content":[{"toolResult":{"toolUseId":"t","content":[]}}]}`, tools, wire.RuleRole},
		{"a call without a result", user + "," + calls + "," + user, tools, wire.RuleNoResult},
		{"a result without a call", result, tools, wire.RuleOrphanResult},
		{"a result that comes late", user + "," + calls + "," + user + "," + says + "," + result, tools, wire.RuleOrder},
		{"calls without tools", user + "," + calls + "," + result, "", converse.RuleTools},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wiretest.ExpectRule(t, wire.Check(wiretest.Decode(t, converse.Codec{}, `{"messages":[`+tt.messages+`]`+tt.more+`}`)), tt.rule)
		})
	}
}

func TestBadBodiesAreErrorsWithAPlace(t *testing.T) {
	t.Parallel()
	for body, path := range map[string]string{
		`{}`: "messages", `{"messages":{}}`: "messages", `{"messages":[0]}`: "messages[0]", `{"messages":[{}]}`: "messages[0].role",
		`{"messages":[{"role":"user","content":"a"}]}`: "messages[0].content", `{"messages":[],"system":"a"}`: "system", `{"messages":[],"toolConfig":[]}`: "toolConfig",
	} {
		if got := wiretest.DecodeError(t, converse.Codec{}, body).Path; got != path {
			t.Errorf("%s: %q, want %q", body, got, path)
		}
	}
}

func TestABodyIsRecognised(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		agentBody: true,
		`{"messages":[{"role":"user","content":[{"text":"a"}]}]}`:                  true,
		`{"messages":[{"role":"user","content":[{"toolResult":{}}]}]}`:             true,
		`{"inferenceConfig":{},"messages":[]}`:                                     true,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`:    false,
		`{"system":"s","max_tokens":1,"messages":[{"role":"user","content":"a"}]}`: false,
		`{"toolConfig":{},"contents":[{"parts":[{"text":"a"}]}]}`:                  false,
		`{"messages":[]}`: false, `[]`: false, `{"messages":[{"role":"user","content":[{"text":"a"}]}]`: false,
	} {
		if got := (converse.Codec{}).Recognises([]byte(body)); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
