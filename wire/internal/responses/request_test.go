package responses_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

func decode(t wiretest.TB, body string) *wire.Request {
	t.Helper()
	return wiretest.Decode(t, responses.Codec{}, body)
}

// request puts items into a request.
func request(items ...string) string {
	return `{"model":"gpt-5","input":[` + strings.Join(items, ",") + `]}`
}

var textOf = wiretest.TextOf

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

// describe writes a message as its role and parts.
func describe(m plimsoll.Message) string {
	var parts []string
	for _, p := range m.Parts.All() {
		parts = append(parts, describePart(p))
	}
	return string(m.Role) + ": " + strings.Join(parts, ", ")
}

func describePart(p plimsoll.Part) string {
	switch p := p.(type) {
	case plimsoll.Text:
		return "text " + p.Text
	case plimsoll.ToolCall:
		return fmt.Sprintf("call %s %s(%s)", p.ID, p.Name, p.Arguments)
	case plimsoll.ToolResult:
		var content []string
		for _, c := range p.Content.All() {
			content = append(content, describePart(c))
		}
		failed := ""
		if p.IsError {
			failed = " failed"
		}
		return fmt.Sprintf("result of %s%s [%s]", p.CallID+p.Name, failed, strings.Join(content, ", "))
	case plimsoll.Reasoning:
		return fmt.Sprintf("reasoning %q %q redacted %v", p.Text, p.Signature, p.Redacted)
	case plimsoll.Media:
		return fmt.Sprintf("%s %s %s%s %s", p.Kind, p.MIME, p.URL, p.Data, p.Detail)
	case plimsoll.Opaque:
		return "opaque " + p.Kind
	}
	return fmt.Sprintf("%T", p)
}

func TestItemsOfEveryTypeAreRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, item, want string }{
		{"a message without a type", `{"role":"user","content":"caf\u00e9"}`, "user: text café"},
		{"a message with its type last", `{"content":"x","role":"developer","type":"message"}`, "developer: text x"},
		{"a message of the assistant", `{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"final_answer","content":[{"type":"output_text","text":"hi","annotations":[]},{"type":"refusal","refusal":"no"}]}`, "assistant: text hi, text no"},
		{
			"pictures", `{"role":"user","content":[{"type":"input_image","image_url":"https://e.com/a.png","detail":"low"},{"type":"input_image","image_url":"data:image/png;base64,AA"},{"type":"input_image","file_id":"file_1"},{"type":"input_image","image_url":{"url":"u"}}]}`,
			"user: image  https://e.com/a.png low, image  data:image/png;base64,AA , image  file_1 , image  u ",
		},
		{
			"files and sound", `{"role":"user","content":[{"type":"input_file","file_data":"CC","filename":"x.pdf"},{"type":"input_file","file_url":"u"},{"type":"input_audio","input_audio":{"data":"BB","format":"wav"}}]}`,
			"user: document  CC , document  u , audio audio/wav BB ",
		},
		{"an unknown part", `{"role":"user","content":[{"type":"hologram","depth":3}]}`, "user: opaque hologram"},
		{"a call", `{"type":"function_call","id":"fc_1","call_id":"c1","namespace":"fs","name":"read","arguments":"{\"p\": 1.0}"}`, `assistant: call c1 read({"p": 1.0})`},
		{"an output that is a string", `{"type":"function_call_output","call_id":"c1","output":"done"}`, "tool: result of c1 [text done]"},
		{"an output that is a list", `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"},7]}`, "tool: result of c1 [text a, image  u , opaque ]"},
		{"an output that names its tool and no call", `{"type":"function_call_output","name":"read","output":"a"}`, "tool: result of read [text a]"},
		{"a custom call", `{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"*** x"}`, "assistant: call c1 patch(*** x)"},
		{"a custom output", `{"type":"custom_tool_call_output","call_id":"c1","output":"ok"}`, "tool: result of c1 [text ok]"},
		{"a local shell call", `{"type":"local_shell_call","id":"lsh_1","call_id":"c1","action":{"type":"exec","command":["ls"]}}`, `assistant: call c1 local_shell({"type":"exec","command":["ls"]})`},
		{"a shell call", `{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}`, `assistant: call c1 shell({"commands":["ls"]})`},
		{"a shell output", `{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}},{"stdout":"","stderr":"b","outcome":{"type":"timeout"}}]}`, "tool: result of c1 [text a, text b]"},
		{"a patch", `{"type":"apply_patch_call","call_id":"c1","status":"completed","operation":{"type":"delete_file","path":"x"}}`, `assistant: call c1 apply_patch({"type":"delete_file","path":"x"})`},
		{"a patch that failed", `{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"no such file"}`, "tool: result of c1 failed [text no such file]"},
		{"a patch without output", `{"type":"apply_patch_call_output","call_id":"c1","status":"completed"}`, "tool: result of c1 []"},
		{"a computer call", `{"type":"computer_call","id":"cu_1","call_id":"c1","action":{"type":"wait"},"pending_safety_checks":[]}`, `assistant: call c1 computer({"type":"wait"})`},
		{"a screenshot", `{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AA"}}`, "tool: result of c1 [image  data:image/png;base64,AA ]"},
		{"reasoning with a summary", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gAAA"}`, `assistant: reasoning "a\n\nb" "gAAA" redacted false`},
		{"reasoning in full", `{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}],"encrypted_content":null}`, `assistant: reasoning "hm" "" redacted false`},
		{"reasoning that is on the server", `{"type":"reasoning","id":"rs_1","summary":[]}`, `assistant: reasoning "" "" redacted true`},
		{"a call of an MCP server", `{"type":"mcp_call","id":"mcp_1","name":"q","server_label":"s","arguments":"{}","output":"x"}`, "assistant: opaque mcp_call"},
		{"tools of an MCP server", `{"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[]}`, "assistant: opaque mcp_list_tools"},
		{"a question for approval without an answer", `{"type":"mcp_approval_request","id":"mcpr_1","name":"q","server_label":"s","arguments":"{}"}`, "assistant: opaque mcp_approval_request"},
		{"an approval of something else", `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`, "tool: opaque mcp_approval_response"},
		{"a web search", `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}`, "assistant: opaque web_search_call"},
		{"a file search", `{"type":"file_search_call","id":"fs_1","queries":["q"],"results":null}`, "assistant: opaque file_search_call"},
		{"a generated picture", `{"type":"image_generation_call","id":"ig_1","status":"completed","result":"AAAA"}`, "assistant: opaque image_generation_call"},
		{"an interpreter", `{"type":"code_interpreter_call","id":"ci_1","code":"1","container_id":"c","outputs":[]}`, "assistant: opaque code_interpreter_call"},
		{"a search for tools", `{"type":"tool_search_call","call_id":"t1","arguments":{"q":1},"execution":"client"}`, "assistant: opaque tool_search_call"},
		{"a program that still runs", `{"type":"program","id":"p","call_id":"c1","code":"x","fingerprint":"f"}`, "assistant: opaque program"},
		{"a compaction", `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAA"}`, "assistant: opaque compaction"},
		{"a trigger for compaction", `{"type":"compaction_trigger"}`, "developer: opaque compaction_trigger"},
		{"more tools", `{"type":"additional_tools","role":"developer","tools":[]}`, "developer: opaque additional_tools"},
		{"a reference", `{"type":"item_reference","id":"msg_1"}`, "assistant: opaque item_reference"},
		{"a reference without a type", `{"id":"msg_1","type":null}`, "assistant: opaque item_reference"},
		{"a reference to reasoning", `{"type":"item_reference","id":"rs_1"}`, `assistant: reasoning "" "" redacted true`},
		{"an unknown call", `{"type":"hologram_call","depth":3}`, "assistant: opaque hologram_call"},
		{"an unknown output", `{"type":"hologram_call_output","call_id":"c1"}`, "tool: opaque hologram_call_output"},
		{"an unknown item", `{"type":"weather","role":"robot"}`, "user: opaque weather"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := request(tt.item)
			r := decode(t, body)
			if got := describe(r.Conversation().Messages.At(0)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if out, err := r.Encode(plimsoll.NewDraft(r.Conversation(), nil)); err != nil || string(out) != body {
				t.Errorf("unedited it becomes %s, %v", out, err)
			}
		})
	}
}

func TestCallsPairWithTheirOutputs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		items []string
		want  []string
	}{
		{"outputs in another order than the calls", []string{
			`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`, `{"type":"custom_tool_call","call_id":"b","name":"g","input":""}`,
			`{"type":"custom_tool_call_output","call_id":"b","output":"2"}`, `{"type":"function_call_output","call_id":"a","output":"1"}`,
		}, []string{"1-2", "0-3"}},
		{"an output without an id, by the name of its tool", []string{
			`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`, `{"type":"function_call_output","name":"f","output":"1"}`,
		}, []string{"0-1"}},
		{"a local shell whose output has the id of the item", []string{
			`{"type":"local_shell_call","id":"lsh_1","call_id":"a","action":{}}`, `{"type":"local_shell_call_output","id":"lsh_1","output":"1"}`,
		}, []string{"0-1"}},
		{"a local shell whose output has the id of the call as its own", []string{
			`{"type":"local_shell_call","id":"lsh_1","call_id":"a","action":{}}`, `{"type":"local_shell_call_output","id":"a","output":"1"}`,
		}, []string{"0-1"}},
		{"a local shell that is answered as a function", []string{
			`{"type":"local_shell_call","id":"lsh_1","call_id":"a","action":{}}`, `{"type":"function_call_output","call_id":"a","output":"1"}`,
		}, []string{"0-1"}},
		{"approvals", []string{
			`{"type":"mcp_approval_request","id":"r1","name":"q","arguments":"{}"}`, `{"type":"mcp_approval_request","id":"r2","name":"q","arguments":"{}"}`,
			`{"type":"mcp_approval_response","approval_request_id":"r1","approve":true}`, `{"type":"mcp_approval_response","approval_request_id":"r2","approve":false}`,
		}, []string{"0-2", "1-3"}},
		{"a search for tools by the client", []string{
			`{"type":"tool_search_call","call_id":"s1","execution":"client","arguments":{"query":"q"}}`, `{"type":"tool_search_output","call_id":"s1","execution":"client","tools":[]}`,
		}, []string{"0-1"}},
		{"a search for tools on the server", []string{
			`{"type":"tool_search_call","id":"tsc_1","call_id":null,"execution":"server","arguments":{}}`, `{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","tools":[]}`,
		}, []string{"0-1"}},
		{"a search for tools that is answered as a function", []string{
			`{"type":"tool_search_call","call_id":"s1","execution":"client","arguments":{}}`, `{"type":"function_call_output","call_id":"s1","output":"1"}`,
		}, []string{"0-1"}},
		{"a program around the calls that it makes", []string{
			`{"type":"program","id":"p","call_id":"p1","code":"x"}`, `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"a","output":"1"}`, `{"type":"program_output","id":"q","call_id":"p1","result":"r","status":"completed"}`,
		}, []string{"1-2", "0-3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, request(append([]string{`{"role":"user","content":"go"}`}, tt.items...)...))
			o := r.Conversation().Outline()
			var got []string
			for _, p := range o.Pairs {
				got = append(got, fmt.Sprintf("%d-%d", p.Call.Message-1, p.Result.Message-1))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
			if v := wire.Check(r); len(v) > 0 {
				t.Errorf("refused: %v", v)
			}
			if rounds := o.Turns[0].Rounds; len(rounds) != 1 {
				t.Errorf("%d rounds, want the calls and their outputs in one", len(rounds))
			}
		})
	}
}

func TestTheToolsThatASearchFoundAreWeighedAndNeverReplaced(t *testing.T) {
	t.Parallel()
	const found = `{"type":"tool_search_output","call_id":"s1","tools":[{"type":"function","name":"f"}]}`
	body := request(`{"role":"user","content":"go"}`, `{"type":"tool_search_call","call_id":"s1","arguments":{}}`, found, `{"role":"user","content":"on"}`)
	r := decode(t, body)
	want := []plimsoll.Part{plimsoll.ToolResult{CallID: "s1"}, plimsoll.Opaque{Kind: "tool_search_output", Raw: found}}
	if diff := cmp.Diff(want, r.Conversation().Messages.At(2).Parts.Slice(), cmp.AllowUnexported(plimsoll.List[plimsoll.Part]{})); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.Drop(plimsoll.Span{Start: 1, End: 2}, plimsoll.Why{}); !errors.Is(err, plimsoll.ErrSeparated) {
		t.Errorf("the call goes without its output: %v", err)
	}
	if err := d.ReplaceResult(plimsoll.PartRef{Message: 2}, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "x"}), plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("%v %s", err, out)
	}
}

func TestAnItemThatBecomesACallHasAnotherDigest(t *testing.T) {
	t.Parallel()
	ask, answer := `{"type":"mcp_approval_request","id":"r1","name":"q","arguments":"{}"}`, `{"type":"mcp_approval_response","approval_request_id":"r1","approve":true}`
	alone, paired := decode(t, request(ask)).Conversation(), decode(t, request(ask, answer)).Conversation()
	if alone.Messages.At(0).Digest == paired.Messages.At(0).Digest {
		t.Error("the same digest for an opaque part and for a call")
	}
	orphan := decode(t, request(answer)).Conversation()
	if orphan.Messages.At(0).Digest == paired.Messages.At(1).Digest {
		t.Error("the same digest for an opaque part and for a result")
	}
}

func TestRequestsSayWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"model":"gpt-5","stream":true,"max_output_tokens":500,"instructions":"be \"brief\"","input":"hello",
	  "tools":[{"type":"function","name":"f","description":"d","parameters":{"type": "object"},"strict":true},
	    {"type":"function","name":"g","parameters":null},
	    {"type":"namespace","name":"fs","description":"files","tools":[{"type":"function","name":"read"}]},{"type":"web_search"},7]}`)
	c := r.Conversation()
	if c.Dialect != plimsoll.Responses || c.Model != "gpt-5" || !r.Stream() || r.MaxOutput() != 500 {
		t.Errorf("%s %s stream %v, at most %d", c.Dialect, c.Model, r.Stream(), r.MaxOutput())
	}
	if got := plimsoll.TextOf(c.System); got != `be "brief"` {
		t.Errorf("instructions %q", got)
	}
	if got := describe(c.Messages.At(0)); c.Messages.Len() != 1 || got != "user: text hello" {
		t.Errorf("input %q", got)
	}
	want := []plimsoll.Tool{
		{Name: "f", Description: "d", Schema: `{"type": "object"}`},
		{Name: "g"},
		{Opaque: `{"type":"namespace","name":"fs","description":"files","tools":[{"type":"function","name":"read"}]}`},
		{Opaque: `{"type":"web_search"}`},
		{Opaque: "7"},
	}
	if diff := cmp.Diff(want, c.Tools.Slice()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestInstructionsOfOtherKindsAreCarriedWhole(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{`{"instructions":[{"role":"system","content":"x"}],"input":"y"}`: 1, `{"instructions":null,"input":"y"}`: 0} {
		c := decode(t, body).Conversation()
		if c.System.Len() != want {
			t.Errorf("%d parts, want %d: %s", c.System.Len(), want, body)
		}
	}
	if a, b := decode(t, `{"instructions":null,"input":"y"}`).Chain()[0], decode(t, `{"input":"y"}`).Chain()[0]; a != b {
		t.Error("null and none differ")
	}
}

func TestOfMembersWithOneNameTheLastCounts(t *testing.T) {
	t.Parallel()
	c := decode(t, `{"input":[{"role":"user","content":"old"},{"role":"user","content":"old"}],"instructions":"old","tools":[{"type":"function","name":"old"}],
	  "input":"new","instructions":"new","tools":[{"type":"function","name":"new"}]}`).Conversation()
	if c.Messages.Len() != 1 || c.Messages.At(0).Text() != "new" || plimsoll.TextOf(c.System) != "new" || c.Tools.Len() != 1 || c.Tools.At(0).Name != "new" {
		t.Errorf("%d messages, system %q, tools %v", c.Messages.Len(), plimsoll.TextOf(c.System), c.Tools.Slice())
	}
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"a text as string or as list of one", `{"role":"user","content":"x"}`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`, true},
		{"a cache mark", `{"role":"user","content":"x"}`, `{"role":"user","content":[{"type":"input_text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}]}`, true},
		{"null and empty members", `{"role":"assistant","content":"x"}`, `{"role":"assistant","phase":null,"content":[{"type":"output_text","text":"x","annotations":[],"logprobs":[]}]}`, true},
		{"the id and the status of a call", `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`, `{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}","status":"completed"}`, true},
		{"another text", `{"role":"user","content":"x"}`, `{"role":"user","content":"y"}`, false},
		{"another role", `{"role":"user","content":"x"}`, `{"role":"developer","content":"x"}`, false},
		{"another call", `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`, `{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}`, false},
		{"another phase", `{"role":"assistant","content":"x","phase":"commentary"}`, `{"role":"assistant","content":"x","phase":"final_answer"}`, false},
		{"other reasoning on the server", `{"type":"reasoning","id":"rs_1","summary":[]}`, `{"type":"reasoning","id":"rs_2","summary":[]}`, false},
		{"another reference", `{"type":"item_reference","id":"msg_1"}`, `{"type":"item_reference","id":"msg_2"}`, false},
		{"another output", `{"type":"function_call_output","call_id":"a","output":"1"}`, `{"type":"function_call_output","call_id":"a","output":"2"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := decode(t, request(tt.a)).Chain(), decode(t, request(tt.b)).Chain()
			if same := a[1] == b[1]; same != tt.same {
				t.Errorf("same %v, want %v", same, tt.same)
			}
		})
	}
	base := decode(t, `{"input":"x","instructions":"s","tools":[{"type":"function","name":"f"}]}`)
	for _, tt := range []struct {
		name, body string
		same       int
	}{
		{"other parameters", `{"temperature":0,"input":"x","instructions":"s","tools":[{"type":"function","name":"f"}],"prompt_cache_key":"k"}`, 2},
		{"null members in a tool", `{"input":"x","instructions":"s","tools":[{"type":"function","name":"f","strict":null}]}`, 2},
		{"another question", `{"input":"y","instructions":"s","tools":[{"type":"function","name":"f"}]}`, 1},
		{"other tools", `{"input":"x","instructions":"s","tools":[{"type":"function","name":"g"}]}`, 0},
		{"no tools", `{"input":"x","instructions":"s"}`, 0},
		{"other instructions", `{"input":"x","instructions":"S","tools":[{"type":"function","name":"f"}]}`, 0},
		{"instructions as an item", `{"input":[{"role":"system","content":"s"},{"role":"user","content":"x"}],"tools":[{"type":"function","name":"f"}]}`, 0},
	} {
		if same := wiretest.SharedLinks(base, decode(t, tt.body)); same != tt.same {
			t.Errorf("%s: %d links are equal, want %d", tt.name, same, tt.same)
		}
	}
	bare, list := decode(t, `{"input":"x"}`).Chain(), decode(t, `{"input":[{"role":"user","content":"x"}]}`).Chain()
	if bare[1] != list[1] {
		t.Error("a bare string and the message that it stands for differ")
	}
}

func TestBadBodiesSayWhereAndWhatWasExpected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, path, expected string
		offset                     int
	}{
		{"a list", `[]`, "", "a request object", 0},
		{"no input", `{"model":"m"}`, "input", "a string or a list of items", 13},
		{"input of another kind", `{"input": 7}`, "input", "a string or a list of items", 10},
		{"an item of another kind", `{"input":[{"role":"user","content":"x"},"y"]}`, "input[1]", "an item object", 40},
		{"an item of no type", `{"input":[{"content":"x"}]}`, "input[0]", "a type or a role", 10},
		{"content of another kind", `{"input":[{"role":"user","content":7}]}`, "input[0].content", "a string or a list of parts", 35},
		{"a part of another kind", `{"input":[{"role":"user","content":[{},7]}]}`, "input[0].content[1]", "a part object", 39},
		{"a text that is cut off", `{"input":"abc`, "", "", 13},
		{"two values", `{"input":"abc"} {}`, "", "nothing after the value", 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := wiretest.DecodeError(t, responses.Codec{}, tt.body)
			if bad.Path != tt.path || bad.Offset != tt.offset || tt.expected != "" && bad.Expected != tt.expected {
				t.Errorf("at %d %q expected %q: %v", bad.Offset, bad.Path, bad.Expected, bad)
			}
		})
	}
}

func TestAPromptThatTheServerHasNeedsNoInput(t *testing.T) {
	t.Parallel()
	const body = `{"prompt":{"id":"pmpt_1","version":"1","variables":{"name":"x"}},"model":"gpt-5"}`
	r := decode(t, body)
	if n := r.Conversation().Messages.Len(); n != 0 || !r.Continues() {
		t.Errorf("%d messages, continues is %v", n, r.Continues())
	}
	if found := wire.Check(r); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if out, err := r.Encode(d); err != nil || string(out) != body {
		t.Errorf("unedited: %s, %v", out, err)
	}
	if _, err := d.Insert(0, plimsoll.Say(plimsoll.User, "more"), because); err != nil {
		t.Fatal(err)
	}
	if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("with a message more: %s, %v", out, err)
	}
	for _, other := range []string{`{"prompt":null,"model":"gpt-5"}`, `{"prompt":"hi"}`, `{"conversation":"conv_1"}`} {
		if _, err := (responses.Codec{}).Decode([]byte(other)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: %v", other, err)
		}
	}
}
