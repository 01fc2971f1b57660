package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

func decode(t wiretest.TB, body string) *wire.Request {
	t.Helper()
	return wiretest.Decode(t, openai.Codec{}, body)
}

// edited returns the body with the edits that a test makes.
func edited(t testing.TB, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	return wiretest.Edited(t, openai.Codec{}, body, edit)
}

var textOf = wiretest.TextOf

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

func TestPartsOfEveryKindAreRead(t *testing.T) {
	t.Parallel()
	c := decode(t, `{"model":"gpt-4o","stream":true,"max_completion_tokens":500,"messages":[
	  {"role":"developer","content":"be brief"},
	  {"role":"user","name":"ada","content":[
	    {"type":"text","text":"caf\u00e9 \ud83d\ude42"},
	    {"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}},
	    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},
	    {"type":"input_audio","input_audio":{"data":"BBBB","format":"wav"}},
	    {"type":"file","file":{"file_data":"CCCC"}},
	    {"type":"file","file":{"file_id":"file-1"}},
	    {"type":"hologram","depth":3}]},
	  {"role":"assistant","content":"on it","reasoning_content":"hm","tool_calls":[
	    {"id":"1","type":"function","function":{"name":"read","arguments":"{\"p\": 1.0}"}},
	    {"id":"2","type":"custom","custom":{"name":"patch","input":"*** x"}}]},
	  {"role":"tool","tool_call_id":"1","content":"one"},
	  {"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"two"}]},
	  {"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{}"}},
	  {"role":"function","name":"old","content":"result"}]}`).Conversation()
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
		plimsoll.Text{Text: "be brief"},
		plimsoll.Text{Text: "café 🙂"},
		plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png", Detail: "low"},
		plimsoll.Media{Kind: plimsoll.Image, Data: "data:image/png;base64,AAAA"},
		plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/wav", Data: "BBBB"},
		plimsoll.Media{Kind: plimsoll.Document, Data: "CCCC"},
		plimsoll.Media{Kind: plimsoll.Document, URL: "file-1"},
		plimsoll.Opaque{Kind: "hologram", Raw: `{"type":"hologram","depth":3}`},
		plimsoll.Reasoning{Text: "hm"},
		plimsoll.Text{Text: "on it"},
		plimsoll.ToolCall{ID: "1", Name: "read", Arguments: `{"p": 1.0}`},
		plimsoll.ToolCall{ID: "2", Name: "patch", Arguments: "*** x"},
		plimsoll.Text{Text: `result of "1" "": one`},
		plimsoll.Text{Text: `result of "2" "": two`},
		plimsoll.ToolCall{Name: "old", Arguments: "{}"},
		plimsoll.Text{Text: `result of "" "old": result`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if o := c.Outline(); len(o.Pairs) != 3 || o.Head != 1 {
		t.Errorf("outline %+v", o)
	}
	if c.Model != "gpt-4o" || c.Messages.At(1).Name != "ada" {
		t.Errorf("model %q, name %q", c.Model, c.Messages.At(1).Name)
	}
}

func TestO13_ATrimmedResultIsSerialisedAsItsPlaceholder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content, want string }{
		{"a string stays a string", `"long output"`, `"[tool output trimmed; ref=r1]"`},
		{"a list stays a list", `[ {"type":"text","text":"a"}, {"type":"text","text":"b"} ]`, `[{"type":"text","text":"[tool output trimmed; ref=r1]"}]`},
		{"null becomes a string", `null`, `"[tool output trimmed; ref=r1]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const before = `{ "messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool", "x":1.0, "content": `
			const after = ` ,"tool_call_id":"1"}], "seed": 9007199254740993 }`
			got := edited(t, before+tt.content+after, func(d *plimsoll.Draft) error {
				why := plimsoll.Why{Rung: "clear", Ref: &plimsoll.Ref{ID: "r1"}}
				return d.ReplaceResult(plimsoll.PartRef{Message: 2}, textOf("[tool output trimmed; ref=r1]"), why)
			})
			if diff := cmp.Diff(before+tt.want+after, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOfSeveralReplacementsTheLastIsWritten(t *testing.T) {
	t.Parallel()
	got := edited(t, `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a"},{"role":"tool","tool_call_id":"2","content":"b"}]}`, func(d *plimsoll.Draft) error {
		return errors.Join(
			d.ReplaceResult(plimsoll.PartRef{Message: 1}, textOf("first"), because),
			d.ReplaceResult(plimsoll.PartRef{Message: 2}, textOf("other"), because),
			d.ReplaceResult(plimsoll.PartRef{Message: 1}, textOf("last"), because),
		)
	})
	if !strings.HasSuffix(got, `{"role":"tool","tool_call_id":"1","content":"last"},{"role":"tool","tool_call_id":"2","content":"other"}]}`) {
		t.Errorf("body %s", got)
	}
}

func TestEditsTouchOnlyTheirSpans(t *testing.T) {
	t.Parallel()
	const body = `{"messages": [ {"role":"system","content":"s"} , {"role":"user","content":"u1"}, {"role":"assistant","content":"a1", "reasoning_content" : "old"} , {"role":"user","content":"u2"} ], "n":1 }`
	for _, tt := range []struct {
		name string
		edit func(*plimsoll.Draft) error
		want string
	}{
		{
			"dropping the oldest turn", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 1, End: 3}, because) },
			`{"messages": [ {"role":"system","content":"s"},{"role":"user","content":"u2"} ], "n":1 }`,
		},
		{
			"dropping the newest turn", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 3, End: 4}, because) },
			`{"messages": [ {"role":"system","content":"s"} , {"role":"user","content":"u1"}, {"role":"assistant","content":"a1", "reasoning_content" : "old"} ], "n":1 }`,
		},
		{
			"dropping everything", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 0, End: 4}, because) },
			`{"messages": [  ], "n":1 }`,
		},
		{
			"removing reasoning", func(d *plimsoll.Draft) error { return d.RemovePart(plimsoll.PartRef{Message: 2}, because) },
			`{"messages": [ {"role":"system","content":"s"} , {"role":"user","content":"u1"}, {"role":"assistant","content":"a1"} , {"role":"user","content":"u2"} ], "n":1 }`,
		},
		{
			"adding instructions behind the system prompt", func(d *plimsoll.Draft) error { d.AddSystem(plimsoll.Text{Text: "more"}, because); return nil },
			`{"messages": [ {"role":"system","content":"s"},{"role":"system","content":"more"},{"role":"user","content":"u1"}, {"role":"assistant","content":"a1", "reasoning_content" : "old"} , {"role":"user","content":"u2"} ], "n":1 }`,
		},
		{"adding a tool where there was none", func(d *plimsoll.Draft) error {
			d.AddTool(plimsoll.Tool{Name: "t", Description: "d", Schema: `{"type":"object"}`}, because)
			return nil
		}, `{"messages": [ {"role":"system","content":"s"} , {"role":"user","content":"u1"}, {"role":"assistant","content":"a1", "reasoning_content" : "old"} , {"role":"user","content":"u2"} ], "n":1,"tools":[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}] }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, edited(t, body, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAContentThatIsEmptiedBesideCallsIsNull(t *testing.T) {
	t.Parallel()
	const before, after = `{"messages":[{"role":"assistant","content": `, ` ,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]}`
	got := edited(t, before+`[ {"type":"text","text":"a"} ]`+after, func(d *plimsoll.Draft) error {
		return d.RemovePart(plimsoll.PartRef{}, because)
	})
	if diff := cmp.Diff(before+"null"+after, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestADraftOfAnotherConversationIsNotWritten(t *testing.T) {
	t.Parallel()
	r, other := decode(t, `{"messages":[{"role":"user","content":"a"}]}`), decode(t, `{"messages":[]}`)
	d := plimsoll.NewDraft(other.Conversation(), nil)
	d.AddSystem(plimsoll.Text{Text: "s"}, because)
	if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("%v, body %s", err, out)
	}
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	base := decode(t, `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"f"}}]}`)
	for _, tt := range []struct {
		name, body string
		same       int
	}{
		{"a text as a list with a cache mark", `{"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral"}}]}`, 3},
		{"a null member more", `{"messages":[{"role":"user","content":"hi","refusal":null},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"f"}}]}`, 3},
		{"other sampling parameters", `{"temperature":0,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"f"}}],"stream":true}`, 3},
		{"another answer", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo!"}],"tools":[{"type":"function","function":{"name":"f"}}]}`, 2},
		{"other tools", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"g"}}]}`, 0},
		{"another role", `{"messages":[{"role":"system","content":"hi"},{"role":"assistant","content":"yo"}],"tools":[{"type":"function","function":{"name":"f"}}]}`, 1},
	} {
		if same := wiretest.SharedLinks(base, decode(t, tt.body)); same != tt.same {
			t.Errorf("%s: %d links are equal, want %d", tt.name, same, tt.same)
		}
	}
}

func TestToolsAndFunctionsAreBothPartOfTheIdentity(t *testing.T) {
	t.Parallel()
	const f, g = `[{"type":"function","function":{"name":"f"}}]`, `[{"name":"g"}]`
	chain := func(members string) plimsoll.Digest { return decode(t, `{"messages":[],`+members+`}`).Chain()[0] }
	both := chain(`"tools":` + f + `,"functions":` + g)
	for _, tt := range []struct {
		name, members string
		same          bool
	}{
		{"the other way round", `"functions":` + g + `,"tools":` + f, true},
		{"tools given twice", `"tools":` + g + `,"tools":` + f + `,"functions":` + g, true},
		{"tools alone", `"tools":` + f, false},
		{"functions alone", `"functions":` + g, false},
		{"other tools", `"tools":` + g + `,"functions":` + g, false},
		{"other functions", `"tools":` + f + `,"functions":[{"name":"h"}]`, false},
		{"tools taken back", `"tools":` + f + `,"functions":` + g + `,"tools":null`, false},
	} {
		if same := chain(tt.members) == both; same != tt.same {
			t.Errorf("%s: same identity is %v", tt.name, same)
		}
	}
	tools := decode(t, `{"messages":[],"tools":[{"function":{"name":"x"}}],"functions":`+g+`,"tools":`+f+`}`).Conversation().Tools.Slice()
	if diff := cmp.Diff([]plimsoll.Tool{{Name: "f"}, {Name: "g"}}, tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"1","content":"x"}`
	const user = `{"role":"user","content":"hi"}`
	for _, tt := range []struct{ name, messages, rule string }{
		{"a good conversation", user + "," + call + "," + result, ""},
		{"no messages", "", wire.RuleEmpty},
		{"a result without a call", user + "," + result, wire.RuleOrphanResult},
		{"a call that never got its result", user + "," + call + "," + user, wire.RuleNoResult},
		{"a call at the end", user + "," + call, wire.RuleNoResult},
		{"something between call and result", user + "," + call + "," + user + "," + result, wire.RuleOrder},
		{"an assistant that says nothing", user + `,{"role":"assistant","content":null}`, wire.RuleEmpty},
		{"an assistant that only refuses", user + `,{"role":"assistant","content":null,"refusal":"no"}`, ""},
		{"an assistant that only speaks", user + `,{"role":"assistant","content":null,"audio":{"id":"a1"}}`, ""},
		{"an assistant that only thinks", user + `,{"role":"assistant","content":null,"reasoning_details":[{"text":"hm"}]}`, wire.RuleEmpty},
		{"a refusal that is empty", user + `,{"role":"assistant","content":null,"refusal":""}`, wire.RuleEmpty},
		{"a role that does not exist", user + `,{"role":"narrator","content":"x"}`, wire.RuleRole},
		{"a user who calls tools", `{"role":"user","content":"x","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},` + result, wire.RuleRole},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wiretest.ExpectRule(t, wire.Check(decode(t, `{"messages":[`+tt.messages+`]}`)), tt.rule)
		})
	}
}

func TestBadBodiesAreErrorsWithAPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, path string }{
		{"no object", `[]`, ""},
		{"no messages", `{"model":"x"}`, "messages"},
		{"messages that are no list", `{"messages":"hi"}`, "messages"},
		{"a message that is no object", `{"messages":[1]}`, "messages[0]"},
		{"a message without a role", `{"messages":[{"role":"user","content":"a"},{"content":"b"}]}`, "messages[1].role"},
		{"content that is a number", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":7}]}`, "messages[1].content"},
		{"a body that is cut off", `{"messages":[{"role":"user","content":"a`, ""},
		{"something behind the body", `{"messages":[]} x`, ""},
		{"a depth bomb", `{"messages":` + strings.Repeat("[", 100_000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := wiretest.DecodeError(t, openai.Codec{}, tt.body)
			if bad.Path != tt.path {
				t.Errorf("path %q, want %q: %v", bad.Path, tt.path, bad)
			}
		})
	}
}
