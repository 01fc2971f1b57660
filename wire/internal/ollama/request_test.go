package ollama_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
)

func decode(t wiretest.TB, body string) *wire.Request {
	t.Helper()
	return wiretest.Decode(t, ollama.Codec{}, body)
}

// edited returns the body with the edits that a test makes.
func edited(t testing.TB, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	return wiretest.Edited(t, ollama.Codec{}, body, edit)
}

var textOf = wiretest.TextOf

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

// clientBody is what a client sends that keeps the messages of the server: numbers beside
// calls, an empty content beside them, thinking, a picture, and results in another order
// than their calls.
const clientBody = `{"model":"qwen3:8b","keep_alive":"10m","think":true,"options":{"num_ctx":8192,"num_predict":1024,"temperature":0.0},
"messages":[
 {"role":"system","content":"You are an agent."},
 {"role":"user","content":"What is this?\n\t\u251c","images":["iVBORw0KGgo="]},
 {"role":"assistant","content":"","thinking":"two files","tool_calls":[
  {"id":"call_a","function":{"index":0,"name":"read","arguments":{"n": 1.0}}},
  {"id":"call_b","function":{"index":1,"name":"read","arguments":{}}}]},
 {"role":"tool","tool_name":"read","tool_call_id":"call_b","content":"B"},
 {"role":"tool","tool_name":"read","tool_call_id":"call_a","content":"A"},
 {"role":"assistant","content":"A boat.","thinking":"clear"},
 {"role":"user","content":"And now?"}],
"tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object","properties":{"n":{"type":"number"}}}}}]}`

func TestPartsOfEveryKindAreRead(t *testing.T) {
	t.Parallel()
	r := decode(t, clientBody)
	c := r.Conversation()
	var got []plimsoll.Part
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok {
				p = plimsoll.Text{Text: fmt.Sprintf("result of %q %q: %s", r.CallID, r.Name, plimsoll.TextOf(r.Content))}
			}
			got = append(got, p)
		}
	}
	want := []plimsoll.Part{
		plimsoll.Text{Text: "You are an agent."},
		plimsoll.Text{Text: "What is this?\n\t├"},
		plimsoll.Media{Kind: plimsoll.Image, Data: "iVBORw0KGgo="},
		plimsoll.Reasoning{Text: "two files"},
		plimsoll.ToolCall{ID: "call_a", Name: "read", Arguments: `{"n": 1.0}`},
		plimsoll.ToolCall{ID: "call_b", Name: "read", Arguments: `{}`},
		plimsoll.Text{Text: `result of "call_b" "read": B`},
		plimsoll.Text{Text: `result of "call_a" "read": A`},
		plimsoll.Reasoning{Text: "clear"},
		plimsoll.Text{Text: "A boat."},
		plimsoll.Text{Text: "And now?"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if o := c.Outline(); len(o.Pairs) != 2 || o.Head != 1 || len(o.Turns) != 2 {
		t.Errorf("outline %+v", o)
	}
	if c.Model != "qwen3:8b" || c.MaxOutput != 1024 || c.Window != 8192 || !r.Stream() || c.Tools.Len() != 1 {
		t.Errorf("model %q, output %d, window %d, stream %v, %d tools", c.Model, c.MaxOutput, c.Window, r.Stream(), c.Tools.Len())
	}
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
}

func TestARequestSaysWhatItAsksFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		members        string
		stream         bool
		output, window int
	}{
		{`"model":"m"`, true, 0, 0},
		{`"stream":null`, true, 0, 0},
		{`"stream":true`, true, 0, 0},
		{`"stream":false`, false, 0, 0},
		{`"options":{"num_predict":-1,"num_ctx":4096}`, true, 0, 4096},
		{`"options":{"num_predict":-2,"num_ctx":0}`, true, 0, 0},
		{`"options":{"num_predict":128,"num_ctx":"4096"}`, true, 128, 0},
		{`"options":null`, true, 0, 0},
	} {
		r := decode(t, `{`+tt.members+`,"messages":[]}`)
		if c := r.Conversation(); r.Stream() != tt.stream || c.MaxOutput != tt.output || c.Window != tt.window {
			t.Errorf("%s: stream %v, output %d, window %d", tt.members, r.Stream(), c.MaxOutput, c.Window)
		}
	}
}

func TestResultsFindTheirCalls(t *testing.T) {
	t.Parallel()
	calls := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, `{"function":{"name":"`+name+`","arguments":{}}}`)
		}
		return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(all, ",") + `]}`
	}
	const user = `{"role":"user","content":"go"}`
	for _, tt := range []struct {
		name     string
		messages []string
		want     [][3]int // message of the result, message and part of the call
		orphans  int
	}{
		{"by order", []string{calls("a", "b"), `{"role":"tool","content":"1"}`, `{"role":"tool","content":"2"}`}, [][3]int{{1, 0, 0}, {2, 0, 1}}, 0},
		{"by name", []string{calls("a", "b"), `{"role":"tool","tool_name":"b","content":"1"}`, `{"role":"tool","tool_name":"a","content":"2"}`}, [][3]int{{1, 0, 1}, {2, 0, 0}}, 0},
		{"by the name that other APIs have", []string{calls("a", "b"), `{"role":"tool","name":"b","content":"1"}`, `{"role":"tool","content":"2"}`}, [][3]int{{1, 0, 1}, {2, 0, 0}}, 0},
		{"by name and order", []string{calls("a", "a"), `{"role":"tool","tool_name":"a","content":"1"}`, `{"role":"tool","tool_name":"a","content":"2"}`}, [][3]int{{1, 0, 0}, {2, 0, 1}}, 0},
		{"by another name", []string{calls("a"), `{"role":"tool","tool_name":"x","content":"1"}`}, [][3]int{{1, 0, 0}}, 0},
		{"in each round", []string{user, calls("a"), `{"role":"tool","content":"1"}`, calls("a"), `{"role":"tool","content":"2"}`}, [][3]int{{2, 1, 0}, {4, 3, 0}}, 0},
		{"not a call of an earlier turn", []string{calls("a"), user, calls("b"), `{"role":"tool","content":"1"}`}, [][3]int{{3, 2, 0}}, 0},
		{"without a call", []string{user, `{"role":"tool","content":"1"}`}, nil, 1},
		{"one too many", []string{calls("a"), `{"role":"tool","content":"1"}`, `{"role":"tool","content":"2"}`}, [][3]int{{1, 0, 0}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := decode(t, `{"messages":[`+strings.Join(tt.messages, ",")+`]}`).Outline()
			var got [][3]int
			for _, p := range o.Pairs {
				got = append(got, [3]int{p.Result.Message, p.Call.Message, p.Call.Part})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(o.Orphans) != tt.orphans {
				t.Errorf("%d orphans, pairs (-want +got):\n%s", len(o.Orphans), diff)
			}
		})
	}
}

func TestO13_ATrimmedResultIsSerialisedAsItsPlaceholder(t *testing.T) {
	t.Parallel()
	got := edited(t, clientBody, func(d *plimsoll.Draft) error {
		why := plimsoll.Why{Rung: "clear", Ref: &plimsoll.Ref{ID: "r1"}}
		return d.ReplaceResult(plimsoll.PartRef{Message: 3}, textOf("[tool output trimmed; ref=r1]"), why)
	})
	if want := strings.Replace(clientBody, `"content":"B"`, `"content":"[tool output trimmed; ref=r1]"`, 1); got != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestEditsTouchOnlyTheirSpans(t *testing.T) {
	t.Parallel()
	const body = `{"messages": [ {"role":"user","content":"u1", "images" : [ "aGk=", "aG8=" ]}, {"role":"assistant", "thinking" : "old", "content":"a1"} , {"role":"user","content":"u2"} ], "options":{} }`
	for _, tt := range []struct {
		name string
		edit func(*plimsoll.Draft) error
		want string
	}{
		{
			"dropping the oldest turn", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 0, End: 2}, because) },
			`{"messages": [ {"role":"user","content":"u2"} ], "options":{} }`,
		},
		{
			"removing the thinking", func(d *plimsoll.Draft) error { return d.RemovePart(plimsoll.PartRef{Message: 1}, because) },
			strings.Replace(body, ` "thinking" : "old", "content"`, `"content"`, 1),
		},
		{
			"removing a picture", func(d *plimsoll.Draft) error {
				return d.RemovePart(plimsoll.PartRef{Message: 0, Part: 1}, because)
			},
			strings.Replace(body, `"aGk=", `, ``, 1),
		},
		{
			"removing all pictures", func(d *plimsoll.Draft) error {
				return errors.Join(d.RemovePart(plimsoll.PartRef{Message: 0, Part: 1}, because), d.RemovePart(plimsoll.PartRef{Message: 0, Part: 2}, because))
			},
			strings.Replace(body, `[ "aGk=", "aG8=" ]`, `[  ]`, 1),
		},
		{
			"more instructions", func(d *plimsoll.Draft) error {
				d.AddSystem(plimsoll.Text{Text: "brief"}, because)
				return nil
			},
			strings.Replace(body, `[ {"role":"user","content":"u1"`, `[ {"role":"system","content":"brief"},{"role":"user","content":"u1"`, 1),
		},
		{
			"another tool", func(d *plimsoll.Draft) error {
				d.AddTool(plimsoll.Tool{Name: "t", Schema: "{}"}, because)
				return nil
			},
			strings.Replace(body, `"options":{} }`, `"options":{},"tools":[{"type":"function","function":{"name":"t","parameters":{}}}] }`, 1),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, edited(t, body, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesOfOtherAPIsAreWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		message plimsoll.Message
		want    string // empty if it cannot be written
	}{
		{
			"thinking, text and calls",
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "hm", Signature: "s"}, plimsoll.Text{Text: "a"}, plimsoll.Text{Text: "b"}, plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `{"x": 1}`}),
			`{"role":"assistant","content":"a\nb","thinking":"hm","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"x": 1}}}]}`,
		},
		{
			"arguments that are no object", plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{Name: "f", Arguments: "*** x"}, plimsoll.ToolCall{Name: "g"}),
			`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"input":"*** x"}}},{"function":{"name":"g","arguments":{}}}]}`,
		},
		{
			"a result with a picture", plimsoll.NewMessage(plimsoll.User, plimsoll.ToolResult{CallID: "1", Name: "f", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "r"}, plimsoll.Media{Kind: plimsoll.Image, Data: "data:image/png;base64,aGk="})}),
			`{"role":"tool","tool_name":"f","tool_call_id":"1","content":"r","images":["aGk="]}`,
		},
		{"a developer", plimsoll.Say(plimsoll.Developer, "s"), `{"role":"system","content":"s"}`},
		{"a picture at an address", plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"}), ""},
		{"sound", plimsoll.NewMessage(plimsoll.User, plimsoll.Media{Kind: plimsoll.Audio, Data: "aGk="}), ""},
		{"what is opaque", plimsoll.NewMessage(plimsoll.User, plimsoll.Opaque{Kind: "x", Raw: "{}"}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, `{"messages":[]}`)
			d := plimsoll.NewDraft(r.Conversation(), nil)
			if _, err := d.Insert(0, tt.message, because); err != nil {
				t.Fatal(err)
			}
			got, err := r.Encode(d)
			if tt.want == "" {
				if !errors.Is(err, plimsoll.ErrUnsupported) {
					t.Errorf("error %v, body %s", err, got)
				}
				return
			}
			if diff := cmp.Diff(`{"messages":[`+tt.want+`]}`, string(got)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if v := wire.Check(decode(t, string(got))); len(v) > 0 {
				t.Errorf("refused: %v", v)
			}
		})
	}
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	a := decode(t, `{"model":"m","messages":[{"role":"user","content":"u"},{"role":"assistant","content":"","thinking":"","tool_calls":[{"function":{"index":0,"name":"f","arguments":{}}}]},{"role":"tool","content":"r"}],"options":{"seed":1}}`)
	b := decode(t, `{"options":{"seed":2},"messages":[ {"role":"User", "content":"u", "images":null}, {"role":"assistant","tool_calls":[{"function":{"index":3,"name":"f","arguments":{}}}]}, {"role":"tool","content":"r","tool_name":""} ]}`)
	if n := wiretest.SharedLinks(a, b); n != 4 {
		t.Errorf("%d of 4 links are shared", n)
	}
	other := decode(t, `{"messages":[{"role":"user","content":"u"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]}]}`)
	if n := wiretest.SharedLinks(a, other); n != 2 {
		t.Errorf("%d links are shared with a call of other arguments", n)
	}
}

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, rule string }{
		{"no messages load the model", `{"messages":[]}`, ""},
		{"messages of one role in a row", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, ""},
		{"a result without a call", `{"messages":[{"role":"tool","content":"a"}]}`, ""},
		{"a call without a result", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]},{"role":"user","content":"b"}]}`, ""},
		{"an empty message", `{"messages":[{"role":"user"}]}`, ""},
		{"an assistant first", `{"messages":[{"role":"assistant","content":"a"}]}`, ""},
		{"a schema", `{"messages":[],"format":{"type":"object"}}`, ""},
		{"JSON", `{"messages":[],"format":"json"}`, ""},
		{"no format", `{"messages":[],"format":""}`, ""},
		{"another format", `{"messages":[],"format":"xml"}`, ollama.RuleType},
		{"arguments in a text", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`, ollama.RuleType},
		{"a call that is no object", `{"messages":[{"role":"assistant","tool_calls":["f"]}]}`, ollama.RuleType},
		{"a picture", `{"messages":[{"role":"user","images":["iVBORw0KGgo="]}]}`, ""},
		{"a picture that is a number", `{"messages":[{"role":"user","images":[1]}]}`, ollama.RuleType},
		{"a data URL", `{"messages":[{"role":"user","images":["data:image/png;base64,iVBORw0KGgo="]}]}`, ollama.RuleImage},
		{"an address", `{"messages":[{"role":"user","images":["https:\/\/example.com/a.png"]}]}`, ollama.RuleImage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wiretest.ExpectRule(t, wire.Check(decode(t, tt.body)), tt.rule)
		})
	}
}

func TestBadBodiesAreErrorsWithAPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, path string }{
		{"no messages", `{"model":"m"}`, "messages"},
		{"messages that are no list", `{"messages":"hi"}`, "messages"},
		{"a message that is no object", `{"messages":["hi"]}`, "messages[0]"},
		{"a message without a role", `{"messages":[{"role":"user"},{"content":"hi"}]}`, "messages[1].role"},
		{"content in a list", `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`, "messages[0].content"},
		{"a list", `[]`, ""},
		{"broken JSON", `{"messages":[{"role":"user","content":"hi"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if bad := wiretest.DecodeError(t, ollama.Codec{}, tt.body); bad.Path != tt.path {
				t.Errorf("path %q, want %q: %v", bad.Path, tt.path, bad)
			}
		})
	}
}
