package anthropic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

func decode(t wiretest.TB, body string) *wire.Request {
	t.Helper()
	return wiretest.Decode(t, anthropic.Codec{}, body)
}

// edited returns the body with the edits that a test makes.
func edited(t testing.TB, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	return wiretest.Edited(t, anthropic.Codec{}, body, edit)
}

var textOf = wiretest.TextOf

func span(start, end int) plimsoll.Span { return plimsoll.Span{Start: start, End: end} }

func part(message, part int) plimsoll.PartRef { return plimsoll.PartRef{Message: message, Part: part} }

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

// seen is a tool result that cmp can compare.
type seen struct {
	CallID  string
	IsError bool
	Content []plimsoll.Part
}

func partsOf(list plimsoll.List[plimsoll.Part]) []any {
	var all []any
	for _, p := range list.All() {
		if r, ok := p.(plimsoll.ToolResult); ok {
			all = append(all, seen{r.CallID, r.IsError, r.Content.Slice()})
			continue
		}
		all = append(all, p)
	}
	return all
}

func TestBlocksOfEveryTypeAreRead(t *testing.T) {
	t.Parallel()
	image := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "iVBORw0KGgo="}
	for _, tt := range []struct {
		name, block string
		want        any
	}{
		{"text", `{"type":"text","text":"caf\u00e9 \ud83d\ude42","citations":null}`, plimsoll.Text{Text: "café 🙂"}},
		{"text whose type comes last", `{"text":"a","type":"text"}`, plimsoll.Text{Text: "a"}},
		{"thinking", `{"type":"thinking","thinking":"hm","signature":"EqQB/+=="}`, plimsoll.Reasoning{Text: "hm", Signature: "EqQB/+=="}},
		{"thinking that is withheld but signed", `{"type":"thinking","thinking":"","signature":"s"}`, plimsoll.Reasoning{Signature: "s"}},
		{"redacted thinking", `{"type":"redacted_thinking","data":"abc"}`, plimsoll.Reasoning{Signature: "abc", Redacted: true}},
		{"a call", `{"type":"tool_use","id":"t1","name":"read","input":{"p": 1.0},"caller":{"type":"direct"}}`, plimsoll.ToolCall{ID: "t1", Name: "read", Arguments: `{"p": 1.0}`}},
		{"a result as a string", `{"type":"tool_result","tool_use_id":"t1","content":"ok"}`, seen{"t1", false, []plimsoll.Part{plimsoll.Text{Text: "ok"}}}},
		{
			"a result as a list", `{"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"tool_reference","tool_name":"x"}],"tool_use_id":"t1","type":"tool_result","is_error":true}`,
			seen{"t1", true, []plimsoll.Part{plimsoll.Text{Text: "a"}, image, plimsoll.Opaque{Kind: "tool_reference", Raw: `{"type":"tool_reference","tool_name":"x"}`}}},
		},
		{
			"a result inside a result", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_result","tool_use_id":"t2","content":"x"}]}`,
			seen{"t1", false, []plimsoll.Part{plimsoll.Opaque{Kind: "tool_result", Raw: `{"type":"tool_result","tool_use_id":"t2","content":"x"}`}}},
		},
		{"a result without content", `{"type":"tool_result","tool_use_id":"t1","is_error":false}`, seen{CallID: "t1"}},
		{"a result with nothing", `{"type":"tool_result","tool_use_id":"t1","content":null}`, seen{CallID: "t1"}},
		{"a picture", `{"type":"image","source":{"data":"iVBORw0KGgo=","media_type":"image/png","type":"base64"}}`, image},
		{"a picture at a URL", `{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}`, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"}},
		{"a picture in a file", `{"type":"image","source":{"type":"file","file_id":"file_1"}}`, plimsoll.Media{Kind: plimsoll.Image, URL: "file_1"}},
		{"a document", `{"type":"document","title":"T","source":{"type":"base64","media_type":"application/pdf","data":"JVBE"}}`, plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", Data: "JVBE"}},
		{
			"a document that is text", `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}`,
			plimsoll.Opaque{Kind: "document", Raw: `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}`},
		},
		{
			"a server tool's call", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}}`,
			plimsoll.Opaque{Kind: "server_tool_use", Raw: `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}}`},
		},
		{
			"a server tool's result", `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","encrypted_content":"E"}]}`,
			plimsoll.Opaque{Kind: "web_search_tool_result", Raw: `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","encrypted_content":"E"}]}`},
		},
		{
			"a code execution's result", `{"type":"code_execution_tool_result","tool_use_id":"s1","content":{"stdout":"1"}}`,
			plimsoll.Opaque{Kind: "code_execution_tool_result", Raw: `{"type":"code_execution_tool_result","tool_use_id":"s1","content":{"stdout":"1"}}`},
		},
		{"an MCP call", `{"type":"mcp_tool_use","id":"m1","name":"n","server_name":"s","input":{}}`, plimsoll.Opaque{Kind: "mcp_tool_use", Raw: `{"type":"mcp_tool_use","id":"m1","name":"n","server_name":"s","input":{}}`}},
		{"an MCP result", `{"type":"mcp_tool_result","tool_use_id":"m1","content":[{"type":"text","text":"x"}]}`, plimsoll.Opaque{Kind: "mcp_tool_result", Raw: `{"type":"mcp_tool_result","tool_use_id":"m1","content":[{"type":"text","text":"x"}]}`}},
		{"an upload", `{"type":"container_upload","file_id":"f"}`, plimsoll.Opaque{Kind: "container_upload", Raw: `{"type":"container_upload","file_id":"f"}`}},
		{
			"a search result", `{"type":"search_result","source":"https://x","title":"t","content":[{"type":"text","text":"x"}]}`,
			plimsoll.Opaque{Kind: "search_result", Raw: `{"type":"search_result","source":"https://x","title":"t","content":[{"type":"text","text":"x"}]}`},
		},
		{
			"a search result whose type comes last", `{"content":[{"type":"text","text":"x"}],"type":"search_result"}`,
			plimsoll.Opaque{Kind: "search_result", Raw: `{"content":[{"type":"text","text":"x"}],"type":"search_result"}`},
		},
		{"a type of tomorrow", `{"type":"hologram","depth":3e0}`, plimsoll.Opaque{Kind: "hologram", Raw: `{"type":"hologram","depth":3e0}`}},
		{"a text that is a number", `{"type":"text","text":5}`, plimsoll.Opaque{Kind: "text", Raw: `{"type":"text","text":5}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := decode(t, `{"messages":[{"role":"user","content":[ `+tt.block+` ]}]}`).Conversation()
			if diff := cmp.Diff([]any{tt.want}, partsOf(c.Messages.At(0).Parts)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatStandsBesideTheMessagesIsRead(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"model":"claude-sonnet-4-5","max_tokens":32000,"stream":true,
	  "system":[{"type":"text","text":"You are"},{"type":"text","text":"brief.","cache_control":{"type":"ephemeral"}}],
	  "tools":[{"name":"read","description":"reads","input_schema":{"type": "object"},"defer_loading":true},
	           {"type":"custom","name":"grep","input_schema":{}},
	           {"type":"web_search_20250305","name":"web_search","max_uses":5},
	           {"type":"mcp_toolset","mcp_server_name":"s"}],
	  "messages":[{"role":"user","content":"hi"}]}`)
	c := r.Conversation()
	if diff := cmp.Diff([]any{plimsoll.Text{Text: "You are"}, plimsoll.Text{Text: "brief."}}, partsOf(c.System)); diff != "" {
		t.Errorf("system (-want +got):\n%s", diff)
	}
	want := []plimsoll.Tool{
		{Name: "read", Description: "reads", Schema: `{"type": "object"}`},
		{Name: "grep", Schema: `{}`},
		{Name: "web_search", Opaque: `{"type":"web_search_20250305","name":"web_search","max_uses":5}`},
		{Opaque: `{"type":"mcp_toolset","mcp_server_name":"s"}`},
	}
	if diff := cmp.Diff(want, c.Tools.Slice()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if c.Model != "claude-sonnet-4-5" || r.MaxOutput() != 32000 || !r.Stream() || r.Dialect() != plimsoll.Anthropic {
		t.Errorf("model %q, max %d, stream %v, dialect %q", c.Model, r.MaxOutput(), r.Stream(), r.Dialect())
	}
}

func TestO13_ATrimmedResultIsSerialisedAsItsPlaceholder(t *testing.T) {
	t.Parallel()
	const placeholder = `"[tool output trimmed; ref=r1]"`
	for _, tt := range []struct{ name, result, want string }{
		{"a string stays a string", `"is_error":false, "content": "long output" , "x":1.0`, `"is_error":false, "content": ` + placeholder + ` , "x":1.0`},
		{"a list stays a list", `"content":[ {"type":"text","text":"a"}, {"type":"text","text":"b"} ]`, `"content":[{"type":"text","text":` + placeholder + `}]`},
		{"null becomes a string", `"content":null`, `"content":` + placeholder},
		{"content that was missing is added", `"x":1.0 `, `"x":1.0,"content":` + placeholder + ` `},
		{"of two contents the one that counts is replaced", `"content":"a","content":"b"`, `"content":"a","content":` + placeholder},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := func(result string) string {
				return `{ "messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
					`{"role":"user","content":[{"type":"tool_result", "tool_use_id":"1",` + result + `}, {"type":"text","text":"go on"}]}], "top_k": 9007199254740993 }`
			}
			got := edited(t, body(tt.result), func(d *plimsoll.Draft) error {
				why := plimsoll.Why{Rung: "clear", Ref: &plimsoll.Ref{ID: "r1"}}
				return d.ReplaceResult(part(2, 0), textOf("[tool output trimmed; ref=r1]"), why)
			})
			if diff := cmp.Diff(body(tt.want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditsTouchOnlyTheirSpans(t *testing.T) {
	t.Parallel()
	const system = `{"system" : "s" ,"messages": [ `
	const u1 = `{"role":"user","content":"u1"}`
	const a1 = `{"role":"assistant","content":[ {"type":"thinking","thinking":"","signature":"x"} , {"type":"text","text":"a1"} ]}`
	const u2 = `{"role":"user","content":[{"type":"text","text":"u2"} ]}`
	const tail = ` ], "top_p":1.0 }`
	add := func(p plimsoll.Part) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { d.AddSystem(p, because); return nil }
	}
	insert := func(at int, m plimsoll.Message) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { _, err := d.Insert(at, m, because); return err }
	}
	tool := func(d *plimsoll.Draft) error {
		d.AddTool(plimsoll.Tool{Name: "t", Description: "d", Schema: `{"type":"object"}`}, because)
		return nil
	}
	for _, tt := range []struct {
		name, body string
		edit       func(*plimsoll.Draft) error
		want       string
	}{
		{
			"dropping the oldest turn", system + u1 + " ,\n" + a1 + " , " + u2 + tail,
			func(d *plimsoll.Draft) error { return d.Drop(span(0, 2), because) }, system + u2 + tail,
		},
		{
			"dropping the newest turn", system + u1 + " ,\n" + a1 + " , " + u2 + tail,
			func(d *plimsoll.Draft) error { return d.Drop(span(2, 3), because) }, system + u1 + " ,\n" + a1 + tail,
		},
		{
			"removing thinking", system + u1 + "," + a1 + tail,
			func(d *plimsoll.Draft) error { return d.RemovePart(part(1, 0), because) },
			system + u1 + `,{"role":"assistant","content":[ {"type":"text","text":"a1"} ]}` + tail,
		},
		{
			"a summary before the newest turn", system + u1 + "," + a1 + tail,
			insert(0, plimsoll.Say(plimsoll.User, "so far: \"all\" \n")), system + `{"role":"user","content":"so far: \"all\" \n"},` + u1 + "," + a1 + tail,
		},
		{
			"instructions beside a string", system + u1 + tail, add(plimsoll.Text{Text: "more"}),
			`{"system" : [{"type":"text","text":"s"},{"type":"text","text":"more"}] ,"messages": [ ` + u1 + tail,
		},
		{
			"instructions beside a list", `{"system":[ {"type":"text","text":"s","cache_control":{"type":"ephemeral"}} ],"messages":[` + u1 + `]}`, add(plimsoll.Text{Text: "more"}),
			`{"system":[ {"type":"text","text":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"more"} ],"messages":[` + u1 + `]}`,
		},
		{"the first instructions", `{"messages":[` + u1 + `] }`, add(plimsoll.Text{Text: "more"}), `{"messages":[` + u1 + `],"system":[{"type":"text","text":"more"}] }`},
		{"instructions where there is null", `{"system":null,"messages":[` + u1 + `]}`, add(plimsoll.Text{Text: "more"}), `{"system":[{"type":"text","text":"more"}],"messages":[` + u1 + `]}`},
		{"instructions where there is an empty string", `{"system":"","messages":[` + u1 + `]}`, add(plimsoll.Text{Text: "more"}), `{"system":[{"type":"text","text":"more"}],"messages":[` + u1 + `]}`},
		{"the first tool", `{"messages":[` + u1 + `]}`, tool, `{"messages":[` + u1 + `],"tools":[{"name":"t","description":"d","input_schema":{"type":"object"}}]}`},
		{"one more tool", `{"tools":[ {"name":"a"} ],"messages":[` + u1 + `]}`, tool, `{"tools":[ {"name":"a"},{"name":"t","description":"d","input_schema":{"type":"object"}} ],"messages":[` + u1 + `]}`},
		{"a tool where there is null", `{"tools":null,"messages":[` + u1 + `]}`, tool, `{"tools":[{"name":"t","description":"d","input_schema":{"type":"object"}}],"messages":[` + u1 + `]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, edited(t, tt.body, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInsertedMessagesAreRendered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		message plimsoll.Message
		want    string
	}{
		{
			"several texts", plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "a"}, plimsoll.Text{Text: "b"}),
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		},
		{
			"a round", plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "t", Signature: "s"}, plimsoll.Reasoning{Signature: "d", Redacted: true}, plimsoll.ToolCall{ID: "1", Name: "f"}),
			`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"1","name":"f","input":{}}]}`,
		},
		{
			"results come first, whoever brings them", plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.Text{Text: "note"}, plimsoll.ToolResult{CallID: "1", Content: textOf("r"), IsError: true}),
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r","is_error":true},{"type":"text","text":"note"}]}`,
		},
		{
			"media", plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, Data: "data:image/png;base64,AA=="}, plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", Data: "BB"},
				plimsoll.Media{Kind: plimsoll.Image, URL: "https://x/y"}, plimsoll.Media{Kind: plimsoll.Document, URL: "file_1"}),
			`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BB"}},` +
				`{"type":"image","source":{"type":"url","url":"https://x/y"}},{"type":"document","source":{"type":"file","file_id":"file_1"}}]}`,
		},
		{"what is not understood", plimsoll.NewMessage(plimsoll.Developer, plimsoll.Opaque{Raw: `{"type":"x"}`}), `{"role":"system","content":[{"type":"x"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, `{"messages":[]}`, func(d *plimsoll.Draft) error { _, err := d.Insert(0, tt.message, because); return err })
			if diff := cmp.Diff(`{"messages":[`+tt.want+`]}`, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatTheAPICannotTakeIsNotWritten(t *testing.T) {
	t.Parallel()
	insert := func(p plimsoll.Part) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error {
			_, err := d.Insert(0, plimsoll.NewMessage(plimsoll.User, p), because)
			return err
		}
	}
	remove := func(j int) func(*plimsoll.Draft) error {
		return func(d *plimsoll.Draft) error { return d.RemovePart(part(0, j), because) }
	}
	for name, edits := range map[string]func(*plimsoll.Draft) error{
		"thinking without a signature":          insert(plimsoll.Reasoning{Text: "t"}),
		"sound":                                 insert(plimsoll.Media{Kind: plimsoll.Audio, Data: "AA"}),
		"arguments that are no object":          insert(plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `[1]`}),
		"arguments that are not JSON":           insert(plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `{"a":`}),
		"a server tool's result without a call": remove(0),
		"a server tool's call without a result": remove(1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, `{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"web_search_tool_result","tool_use_id":"s"}]}]}`)
			d := plimsoll.NewDraft(r.Conversation(), nil)
			if err := edits(d); err != nil {
				t.Fatal(err)
			}
			if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
				t.Errorf("error %v, body %s", err, out)
			}
		})
	}
}

func TestBadBodiesAreErrorsWithAPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, path string
		offset           int
	}{
		{"no object", ` []`, "", 1},
		{"no messages", `{"model":"x"}`, "messages", 13},
		{"messages that are no list", `{"messages":"hi"}`, "messages", 12},
		{"a message that is no object", `{"messages":[1]}`, "messages[0]", 13},
		{"a message without a role", `{"messages":[{"role":"user","content":"a"},{"content":"b"}]}`, "messages[1].role", 43},
		{"content that is a number", `{"messages":[{"role":"user","content":7}]}`, "messages[0].content", 38},
		{"a block that is a string", `{"messages":[{"role":"user","content":[{}, "a"]}]}`, "messages[0].content[1]", 43},
		{"a system prompt that is a number", `{"system":1,"messages":[]}`, "system", 10},
		{"tools that are an object", `{"tools":{},"messages":[]}`, "tools", 9},
		{"a body that is cut off", `{"messages":[{"role":"user","content":"a`, "", 40},
		{"something behind the body", `{"messages":[]} x`, "", 16},
		{"a control character", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\x00\"}]}", "", 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := wiretest.DecodeError(t, anthropic.Codec{}, tt.body)
			if bad.Path != tt.path || bad.Offset != tt.offset {
				t.Errorf("%q at %d, want %q at %d: %v", bad.Path, bad.Offset, tt.path, tt.offset, bad)
			}
			if !strings.HasPrefix(bad.Error(), "anthropic request: ") {
				t.Errorf("error %q", bad)
			}
		})
	}
}
