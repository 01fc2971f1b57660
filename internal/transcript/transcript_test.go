package transcript_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestAFileIsTakenForWhatItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		format   transcript.Format
		messages []int // per conversation
	}{
		{"a list of messages", `[{"role":"user","content":"hi"},{"role":"assistant","content":null}]`, transcript.JSON, []int{2}},
		{"an empty list is a conversation without messages", `[]`, transcript.JSON, []int{0}},
		{"a request body", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`, transcript.JSON, []int{1}},
		{"a byte order mark before JSON", "\ufeff[{\"role\":\"user\",\"content\":\"hi\"}]", transcript.JSON, []int{1}},
		{"lines of messages are one conversation", "{\"role\":\"user\",\"content\":\"a\"}\n\n{\"role\":\"assistant\",\"content\":\"b\"}\n", transcript.JSONL, []int{2}},
		{"lines of conversations are one each", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[]}\n", transcript.JSONL, []int{1, 0}},
		{"a Gemini request", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, transcript.JSON, []int{1}},
		{"a Responses request", `{"model":"gpt-5","input":"hi"}`, transcript.JSON, []int{1}},
		{"lines of requests", "{\"contents\":[{\"parts\":[{\"text\":\"a\"}]}]}\n{\"input\":\"b\"}\n", transcript.JSONL, []int{1, 1}},
		{"an agent's session", "{\"type\":\"session\",\"id\":\"x\"}\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}\n{\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"1\",\"content\":[]}}\n", transcript.JSONL, []int{2}},
		{"a session whose entries are named for the speaker", "{\"type\":\"summary\",\"summary\":\"x\"}\n{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n{\"type\":\"progress\",\"message\":{\"id\":1}}\n{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}}\n", transcript.JSONL, []int{2}},
		{"prose", "Dear diary", transcript.Text, nil},
		{"nothing", "", transcript.Text, nil},
		{"JSON that is no conversation", `{"name":"plimsoll"}`, transcript.Text, nil},
		{"a list of numbers", `[1,2,3]`, transcript.Text, nil},
		{"a code block that begins with a brace", "{\n  return 1;\n}", transcript.Text, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(tt.in), transcript.Auto)
			if err != nil {
				t.Fatal(err)
			}
			var messages []int
			for _, c := range got.Conversations {
				messages = append(messages, c.Messages.Len())
			}
			if diff := cmp.Diff(tt.messages, messages); diff != "" || got.Format != tt.format {
				t.Errorf("format %s, want %s; messages (-want +got):\n%s", got.Format, tt.format, diff)
			}
			if got.Format == transcript.Text && got.Text != tt.in {
				t.Errorf("text is %q", got.Text)
			}
		})
	}
}

func TestABrokenConversationIsAnErrorThatSaysWhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		format   transcript.Format
		want     string
	}{
		{"a line that is cut off", "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":", transcript.Auto, "line 2"},
		{"a message without a role", `{"messages":[{"role":"user","content":"a"},{"content":"b"}]}`, transcript.Auto, "message 1: invalid input: role is missing"},
		{"content that is a number", `[{"role":"user","content":7}]`, transcript.Auto, "message 0"},
		{"mixed lines", "{\"role\":\"user\",\"content\":\"a\"}\n{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}", transcript.Auto, "line 2"},
		{"messages that are no list", `{"messages":"hi"}`, transcript.Auto, "messages must be a list, not a string"},
		{"a model that is no name", `{"model":3,"messages":[]}`, transcript.Auto, "model must be a string, not a number"},
		{"a message that is no object", `[{"role":"user","content":"a"},"b"]`, transcript.Auto, "message 1: invalid input: this must be an object, not a string"},
		{"a role that is no name", `{"messages":[{"role":{}}]}`, transcript.Auto, "message 0: invalid input: role must be a string, not an object"},
		{"a tool call that is no object", `{"messages":[{"role":"assistant","tool_calls":{}}]}`, transcript.Auto, "tool_calls must be a list, not an object"},
		{"a session's message with a wrong member", "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"tool_calls\":true}}\n{}", transcript.Auto, "line 1: invalid input: tool_calls must be a list, not true or false"},
		{"a line of another kind among messages", "{\"role\":\"user\",\"content\":\"a\"}\n{\"depth\":8}", transcript.Auto, "line 2: invalid input: neither a message (role) nor a conversation (messages)"},
		{"text where JSON was asked for", "hello", transcript.JSON, "at byte 1"},
		{"a format that does not exist", "x", "yaml", "want auto, json, jsonl or text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse([]byte(tt.in), tt.format)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one that says %q", err, tt.want)
			}
			if code := plimsoll.CodeOf(err); code.ExitStatus() != 2 {
				t.Errorf("%v has exit status %d, want 2: the user can correct it", err, code.ExitStatus())
			}
		})
	}
}

func TestJSONWithoutAConversationIsTextThatIsSaidToBe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     bool
	}{
		{"an object", `{"depth":8.9}`, true},
		{"an object whose model is no name", `{"model":{"depth":1}}`, true},
		{"a list", `[1,2,3]`, true},
		{"lines of objects", "{\"depth\":8}\n{\"role_of\":1}\n", true},
		{"lines of lists", "[1]\n[2]\n", true},
		{"events only", "{\"type\":\"a\"}\n{\"type\":\"b\"}\n", true},
		{"prose", "Dear diary", false},
		{"a code block", "{\n  return 1;\n}", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(tt.in), transcript.Auto)
			if err != nil || got.Format != transcript.Text || got.Structured != tt.want {
				t.Errorf("%v: format %s, structured %v, want text, %v", err, got.Format, got.Structured, tt.want)
			}
		})
	}
}

func TestTheDialectAndTheModelAreTheFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		dialect  plimsoll.Dialect
		model    string
	}{
		{"messages alone", `[{"role":"user","content":"a"}]`, plimsoll.OpenAI, ""},
		{"a member that only Anthropic has", `{"stop_sequences":[],"messages":[{"role":"user","content":"a"}]}`, plimsoll.Anthropic, ""},
		{"a call as Anthropic writes it", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]}`, plimsoll.Anthropic, ""},
		{"a session names the model it ended with", "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n" +
			"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"model\":\"claude-opus-4-5\",\"content\":\"b\"}}\n" +
			"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"model\":\"<synthetic>\",\"content\":\"c\"}}\n", plimsoll.Anthropic, "claude-opus-4-5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(tt.in), transcript.Auto)
			if err != nil {
				t.Fatal(err)
			}
			if c := got.Conversations[0]; c.Dialect != tt.dialect || c.Model != tt.model {
				t.Errorf("dialect %q, model %q, want %q, %q", c.Dialect, c.Model, tt.dialect, tt.model)
			}
		})
	}
}

func TestPartsOfBothDialectsAreRead(t *testing.T) {
	t.Parallel()
	openAI := `{"model":"gpt-4o","messages":[
	  {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},{"type":"video_thing","x":1}]},
	  {"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},
	  {"role":"tool","tool_call_id":"1","content":"done"}],
	  "tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]}`
	got, err := transcript.Parse([]byte(openAI), transcript.Auto)
	if err != nil {
		t.Fatal(err)
	}
	c := got.Conversations[0]
	want := []plimsoll.Part{
		plimsoll.Text{Text: "look"},
		plimsoll.Media{Kind: plimsoll.Image, Data: "data:image/png;base64,AAAA", Detail: "low"},
		plimsoll.Opaque{Kind: "video_thing", Raw: `{"type":"video_thing","x":1}`},
	}
	if diff := cmp.Diff(want, c.Messages.At(0).Parts.Slice()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if call := c.Messages.At(1).Parts.At(0); call != (plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `{"a": 1}`}) {
		t.Errorf("call %+v", call)
	}
	if c.Dialect != plimsoll.OpenAI || c.Tools.At(0) != (plimsoll.Tool{Name: "f", Description: "d", Schema: `{"type":"object"}`}) {
		t.Errorf("dialect %s, tools %+v", c.Dialect, c.Tools.Slice())
	}

	anthropic := `{"model":"claude-opus-4-5","system":"be brief","messages":[
	  {"role":"user","content":"hi"},
	  {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]},
	  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"done"}],"is_error":true}]}],
	  "tools":[{"name":"f","description":"d","input_schema":{"type":"object"}}]}`
	got, err = transcript.Parse([]byte(anthropic), transcript.Auto)
	if err != nil {
		t.Fatal(err)
	}
	c = got.Conversations[0]
	if c.Dialect != plimsoll.Anthropic || plimsoll.TextOf(c.System) != "be brief" || len(c.Outline().Pairs) != 1 {
		t.Errorf("dialect %s, system %q, outline %+v", c.Dialect, plimsoll.TextOf(c.System), c.Outline())
	}
	result := c.Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	if !result.IsError || plimsoll.TextOf(result.Content) != "done" {
		t.Errorf("result %+v", result)
	}
}

func TestAFileWeighsWhatTheSameRequestWeighs(t *testing.T) {
	t.Parallel()
	sound := strings.Repeat("A", 80_000)
	message := `{"role":"user","content":[{"type":"text","text":"listen"},{"type":"input_audio","input_audio":{"data":"` + sound + `","format":"wav"}}]}`
	call := `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"` + strings.Repeat("word ", 100) + `"}}`
	body := `{"model":"gpt-4o","messages":[` + message + `,` + call + `]}`
	r, err := dialects.Codec(plimsoll.OpenAI).Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	meter := token.NewMeter(nil)
	want := meter.Weigh(r.Conversation()).Messages
	for name, in := range map[string]string{
		"a body": body, "a list": "[" + message + "," + call + "]", "lines": message + "\n" + call + "\n",
	} {
		got, err := transcript.Parse([]byte(in), transcript.Auto)
		if err != nil {
			t.Fatal(err)
		}
		c := got.Conversations[0]
		c.Model = "gpt-4o"
		if diff := cmp.Diff(want, meter.Weigh(c).Messages); diff != "" {
			t.Errorf("%s (-request +file):\n%s", name, diff)
		}
	}
}

func TestALineWithARoleIsAMessageWhateverItsType(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("{\"role\":\"user\",\"content\":\"a\"}\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"b\"}\n"), transcript.Auto)
	if err != nil || got.Conversations[0].Messages.Len() != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"hi"}]`,
		`{"messages":[{"role":"tool","tool_call_id":"1","content":[{"type":"text"}]}],"system":[{}]}`,
		"{\"role\":\"user\"}\n{\"role\":\"assistant\",\"tool_calls\":[{}]}",
		`[{"role":"user","content":["x",{"type":5}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := transcript.Parse(data, transcript.Auto)
		if err == nil && (got.Format == transcript.Text) != (len(got.Conversations) == 0) {
			t.Errorf("format %s with %d conversations", got.Format, len(got.Conversations))
		}
		for _, c := range got.Conversations {
			c.Outline()
		}
	})
}
