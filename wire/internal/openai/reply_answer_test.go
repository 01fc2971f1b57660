package openai_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

// unnamed makes a stream of events without names.
func unnamed(data ...string) []byte {
	var out []byte
	for _, d := range data {
		out = sse.Append(out, "", []byte(d))
	}
	return out
}

// delta is a chunk of the first answer.
func delta(members string) string {
	return `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func ended(reason string) string {
	return `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const (
	ourDelta  = `"tool_calls":[{"index":0,"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{\"a\":"}}]`
	ourDelta2 = `"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]`
	done      = "[DONE]"
)

func TestOpenAIChunksOfOneReply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		first, second []string
		view          []string
	}{
		{
			"ids, role and texts are those of one answer",
			[]string{delta(`"role":"assistant","content":""`), delta(`"content":"Look."`), delta(ourDelta), delta(ourDelta2), ended("tool_calls"), done},
			[]string{`{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`, `{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"content":"It"},"finish_reason":null}]}`, `{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"content":" is"},"finish_reason":null}]}`, ended("stop"), done},
			[]string{delta(`"role":"assistant","content":""`), delta(`"content":"Look."`), delta(`"content":"\n\nIt"`), delta(`"content":" is"`), ended("stop"), done},
		},
		{
			"the role may come with our call",
			[]string{delta(`"role":"assistant","content":null,` + ourDelta), ended("tool_calls"), done},
			[]string{delta(`"role":"assistant","content":"Yes"`), ended("stop"), done},
			[]string{delta(`"role":"assistant","content":null`), delta(`"content":"Yes"`), ended("stop"), done},
		},
		{
			"the client's calls are counted anew, also beside ours",
			[]string{
				delta(`"role":"assistant",` + ourDelta),
				delta(`"tool_calls":[{"index":1,"id":"x","function":{"name":"shell","arguments":""}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"function":{"arguments":"{}"}}]`),
				ended("tool_calls"), done,
			},
			nil,
			[]string{
				delta(`"role":"assistant"`),
				delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"shell","arguments":""}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`),
				ended("tool_calls"), done,
			},
		},
		{
			"calls that all have the number 0 keep it",
			[]string{
				delta(`"tool_calls":[{"index":0,"id":"o1","function":{"name":"tool_output_cache","arguments":"{}"}}]`),
				delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"shell","arguments":"{}"}}]`),
				ended("tool_calls"), done,
			},
			nil,
			[]string{delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"shell","arguments":"{}"}}]`), ended("tool_calls"), done},
		},
		{
			"calls without numbers have none",
			[]string{delta(`"tool_calls":[{"id":"o1","function":{"name":"tool_output_cache","arguments":{"a":1}}},{"id":"x","function":{"name":"shell","arguments":{}}}]`), ended("tool_calls"), done},
			nil,
			[]string{delta(`"tool_calls":[{"id":"x","function":{"name":"shell","arguments":{}}}]`), ended("tool_calls"), done},
		},
		{
			"a call waits for its name, and what comes behind it waits as well",
			[]string{delta(`"tool_calls":[{"index":0,"id":"o1"}]`), delta(`"content":"hm"`), delta(`"tool_calls":[{"index":0,"function":{"name":"tool_output_cache","arguments":"{}"}}]`), ended("tool_calls"), done},
			nil,
			[]string{delta(`"content":"hm"`), ended("stop"), done},
		},
		{
			"what stands beside the reason to stop is not lost, and usage is summed",
			[]string{delta(ourDelta), `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, done},
			[]string{`{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"content":" b"},"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`, done},
			[]string{
				delta(`"content":"a"`), delta(`"content":" b"`),
				`{"id":"c-1","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":22,"total_tokens":32}}`, done,
			},
		},
		{
			"usage of Groq is summed where it stands",
			[]string{delta(ourDelta), `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"id":"r1","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}}`, done},
			[]string{delta(`"content":"b"`), `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r2","usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}}`, done},
			[]string{delta(`"content":"b"`), `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r2","usage":{"prompt_tokens":10,"completion_tokens":22,"total_tokens":32}}}`, done},
		},
		{
			"a usage of zeros at the end replaces none",
			[]string{delta(ourDelta), ended("tool_calls"), `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, done},
			[]string{delta(`"content":"b"`), ended("stop"), `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20}}`, `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, done},
			[]string{delta(`"content":"b"`), ended("stop"), `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":22}}`, done},
		},
		{
			"usage may come with an empty delta, and reasoning tokens are summed",
			[]string{delta(ourDelta), ended("tool_calls"), `{"id":"c-1","created":1,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":1}}}`, done},
			[]string{delta(`"content":"b"`), ended("stop"), `{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":10,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":5}}}`, done},
			[]string{delta(`"content":"b"`), ended("stop"), `{"id":"c-1","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":10,"completion_tokens":22,"completion_tokens_details":{"reasoning_tokens":6}}}`, done},
		},
		{
			"an event about the request that has no id does not count",
			[]string{`{"id":"","created":0,"choices":[],"prompt_filter_results":[]}`, delta(ourDelta), ended("tool_calls"), done},
			[]string{`{"id":"c-2","created":2,"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":null}]}`, ended("stop"), done},
			[]string{`{"id":"","created":0,"choices":[],"prompt_filter_results":[]}`, delta(`"content":"b"`), ended("stop"), done},
		},
		{
			"an error passes at once, and nothing is made up behind it",
			[]string{delta(ourDelta), ended("tool_calls"), done},
			[]string{delta(`"content":"b"`), `{"error":{"message":"Overloaded"}}`},
			[]string{delta(`"content":"b"`), `{"error":{"message":"Overloaded"}}`},
		},
		{
			"an answer that breaks off is not completed",
			[]string{delta(ourDelta), ended("tool_calls"), done},
			[]string{delta(`"content":"b"`)},
			[]string{delta(`"content":"b"`)},
		},
		{
			"other choices pass",
			[]string{delta(`"content":"a"`), `{"choices":[{"index":1,"delta":{"content":"z"}}]}`, delta(ourDelta), `{"choices":[{"index":1,"delta":{"content":"y"}}]}`, ended("tool_calls"), done},
			nil,
			[]string{delta(`"content":"a"`), `{"choices":[{"index":1,"delta":{"content":"z"}}]}`, `{"choices":[{"index":1,"delta":{"content":"y"}}]}`, ended("stop"), done},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := openai.Codec{}.NewReply("text/event-stream", isHidden)
			view, _ := feed(r, unnamed(tt.first...))
			if tt.second != nil {
				r.Again()
				second, _ := feed(r, unnamed(tt.second...))
				view += second
			}
			view += string(r.Finish())
			if diff := cmp.Diff(strings.Split(string(unnamed(tt.view...)), "\n"), strings.Split(view, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What servers want back is all there.
func TestOpenAIAnswersAreSaidAsTheyCame(t *testing.T) {
	t.Parallel()
	ours := `"tool_calls":[{"index":0,"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{}"}}]`
	const said = `"tool_calls":[{"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{}"}}]`
	for _, tt := range []struct {
		name   string
		deltas []string
		want   string
	}{
		{"a text", []string{`"content":"a\u00e9"`, `"content":"b"`, ours}, `{"role":"assistant","content":"a\u00e9b",` + said + `}`},
		{"thoughts under either name", []string{`"reasoning_content":"x"`, `"reasoning_content":"y"`, `"reasoning":"z"`, ours}, `{"role":"assistant","content":null,"reasoning_content":"xy","reasoning":"z",` + said + `}`},
		{
			"signed thoughts, whose pieces are joined",
			[]string{
				`"reasoning_details":[{"type":"reasoning.text","text":"a","signature":null,"index":0}]`,
				`"reasoning_details":[{"type":"reasoning.text","text":"b","index":0},{"type":"reasoning.encrypted","data":"E","index":1}]`,
				`"reasoning_details":[{"type":"reasoning.text","text":"","signature":"S","index":2}]`, ours,
			},
			`{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"ab","signature":null,"index":0},{"type":"reasoning.encrypted","data":"E","index":1},{"type":"reasoning.text","text":"","signature":"S","index":2}],` + said + `}`,
		},
		{
			"what servers attach to a call",
			[]string{`"tool_calls":[{"index":0,"id":"o1","function":{"name":"tool_output_cache","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S"}}}]`},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S"}}}]}`,
		},
		{
			"the last word on what is attached, and arguments that come at once",
			[]string{
				`"tool_calls":[{"index":0,"id":"o1","function":{"name":"tool_output_cache"},"extra":{"a":1}}]`,
				`"tool_calls":[{"index":0,"id":"made up","function":{"name":null,"arguments":{"ref_id":"r"}},"extra":{"a":2}}]`,
			},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"made up","type":"function","function":{"name":"tool_output_cache","arguments":{"ref_id":"r"}},"extra":{"a":2}}]}`,
		},
		{
			"content in parts",
			[]string{`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`, `"content":"a"`, `"content":"b"`, `"content":[{"type":"text","text":"c"}]`, `"content":"d"`, ours},
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"ab"},{"type":"text","text":"c"},{"type":"text","text":"d"}],` + said + `}`,
		},
		{
			"custom tools beside ours, and arguments that are no object",
			[]string{`"tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"patch","input":"*** Begin"}},{"index":1,"id":"o1","function":{"name":"tool_output_cache","arguments":"{\"a"}}]`},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"patch","input":"*** Begin"}},{"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{}"}}]}`,
		},
		{"a refusal, but no empty one", []string{`"refusal":null`, `"refusal":""`, `"refusal":"no"`, ours}, `{"role":"assistant","content":null,"refusal":"no",` + said + `}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var chunks []string
			for _, d := range tt.deltas {
				chunks = append(chunks, delta(d))
			}
			_, round := feed(openai.Codec{}.NewReply("text/event-stream", isHidden), unnamed(append(chunks, ended("tool_calls"), done)...))
			if diff := cmp.Diff(tt.want, string(bytes.Join(round.Said, nil))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(round.Calls) != 1 || round.Broken {
				t.Errorf("%+v", round)
			}
		})
	}
}

func TestOpenAIFunctionsOfOldClientsAreTheirs(t *testing.T) {
	t.Parallel()
	_, round := feed(openai.Codec{}.NewReply("text/event-stream", isHidden), unnamed(delta(`"function_call":{"name":"tool_output_cache","arguments":"{}"}`), ended("function_call"), done))
	if !round.Foreign || len(round.Calls) > 0 {
		t.Errorf("%+v", round)
	}
}

func TestOpenAIMessagesAreJoined(t *testing.T) {
	t.Parallel()
	const mine = `{"id":"o1","type":"function","function":{"name":"tool_output_cache","arguments":"{}"}}`
	const theirs = `{"id":"x","type":"function","function":{"name":"shell","arguments":"{}"}}`
	message := func(id, message, reason string) string {
		return `{"id":"` + id + `","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"` + reason + `"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`
	}
	for _, tt := range []struct {
		name    string
		answers []string
		want    string
	}{
		{
			"texts and thoughts of all",
			[]string{message("c-1", `"content":"Look.","reasoning_content":"hm","tool_calls":[`+mine+`]`, "tool_calls"), message("c-2", `"content":"It is.","refusal":null`, "stop")},
			`{"id":"c-1","choices":[{"index":0,"message":{"role":"assistant","content":"Look.\n\nIt is.","refusal":null,"reasoning_content":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":4,"total_tokens":9}}`,
		},
		{
			"only the client's calls",
			[]string{message("c-1", `"content":null,"tool_calls":[`+theirs+`,`+mine+`]`, "tool_calls")},
			message("c-1", `"content":null,"tool_calls":[`+theirs+`]`, "tool_calls"),
		},
		{
			"the end of the rounds is a stop",
			[]string{message("c-1", `"content":null,"tool_calls":[`+mine+`]`, "tool_calls")},
			message("c-1", `"content":""`, "stop"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := openai.Codec{}.NewReply("", isHidden)
			for i, a := range tt.answers {
				if i > 0 {
					r.Again()
				}
				if view, _ := feed(r, []byte(a)); view != "" {
					t.Errorf("%s came too early", view)
				}
			}
			if diff := cmp.Diff(tt.want, string(r.Finish())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenAIBodiesThatAreNoAnswerPass(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "upstream timed out", `{"error":{"message":"no"}}`, `{"choices":[]}`, `{"choices":[{"message":{}},{"message":{}}]}`, `{"choices":[{"text":"old"}]}`} {
		r := openai.Codec{}.NewReply("", isHidden)
		_, round := feed(r, []byte(body))
		if got := string(r.Finish()); !round.Broken || got != body {
			t.Errorf("%q came as %q, broken %v", body, got, round.Broken)
		}
	}
}

// feed writes an answer whole.
func feed(r wire.Reply, answer []byte) (view string, round wire.Round) {
	view = string(r.Write(answer))
	return view, r.End()
}

func isHidden(name string) bool { return name == "tool_output_cache" }
