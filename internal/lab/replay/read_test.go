package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

func readAll(t *testing.T, text string) ([]*Session, error) {
	t.Helper()
	r, err := NewReader("log.jsonl", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	var all []*Session
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r.Close()
		}
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
}

// told writes down who says what in a session.
func told(s *Session) []string {
	var all []string
	for _, e := range s.Entries {
		var parts []string
		for _, p := range e.Message.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				parts = append(parts, p.Text)
			case plimsoll.ToolCall:
				parts = append(parts, "call "+p.ID+" "+p.Name+" "+p.Arguments)
			case plimsoll.ToolResult:
				parts = append(parts, "result "+p.CallID+" "+plimsoll.TextOf(p.Content))
			case plimsoll.Reasoning:
				parts = append(parts, "thinks "+p.Text)
			}
		}
		line := string(e.Message.Role) + ": " + strings.Join(parts, " | ")
		if e.Summary {
			line = "(summary) " + line
		}
		all = append(all, line)
	}
	return all
}

const (
	claudeCode = `{"type":"summary","summary":"Course to Saltmere","leafUuid":"x"}
{"type":"user","sessionId":"s-1","timestamp":"2026-11-15T12:00:00Z","message":{"role":"user","content":"plot it"}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-11-15T12:00:02Z","message":{"id":"msg_1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Two charts."}],"usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":900,"output_tokens":1}}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-11-15T12:00:03Z","message":{"id":"msg_1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t1","name":"read","input":{"n":1}}],"usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":900,"output_tokens":30}}}
{"type":"user","sessionId":"s-1","timestamp":"2026-11-15T12:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"chart one"}]}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-11-15T12:00:05Z","message":{"id":"msg_1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t2","name":"read","input":{"n":2}}],"usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":900,"output_tokens":60}}}
{"type":"user","sessionId":"s-1","timestamp":"2026-11-15T12:00:06Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"chart two"}]}}
{"type":"user","isSidechain":true,"sessionId":"s-1","message":{"role":"user","content":"a helper's question"}}
{"type":"user","isCompactSummary":true,"sessionId":"s-1","timestamp":"2026-11-15T12:09:00Z","message":{"role":"user","content":"so far: two charts"}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-11-15T12:09:09Z","message":{"id":"msg_2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"Done."}]}}
`
	pi = `{"type":"session","id":"pi-1","timestamp":"2026-11-15T12:00:00Z","modelId":"claude-opus-4-5"}
{"type":"message","timestamp":"2026-11-15T12:00:00Z","message":{"role":"user","content":[{"type":"text","text":"plot it"}]}}
{"type":"message","timestamp":"2026-11-15T12:00:01Z","message":{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"toolCall","id":"a","name":"read","arguments":{"n":1}},{"type":"toolCall","id":"b","name":"read","arguments":{"n":2}}],"usage":{"input":10,"output":5,"cacheRead":200,"cacheWrite":30}}}
{"type":"message","timestamp":"2026-11-15T12:00:02Z","message":{"role":"toolResult","toolCallId":"a","toolName":"read","content":[{"type":"text","text":"one"}]}}
{"type":"message","timestamp":"2026-11-15T12:00:03Z","message":{"role":"toolResult","toolCallId":"b","toolName":"read","content":[{"type":"text","text":"two"}]}}
{"type":"thinking_level_change","thinkingLevel":"off"}
{"type":"message","timestamp":"2026-11-15T12:00:04Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}
`
	codex = `{"timestamp":"2026-11-15T12:00:00Z","type":"session_meta","payload":{"id":"cx-1","cwd":"/harbour"}}
{"timestamp":"2026-11-15T12:00:00Z","type":"turn_context","payload":{"model":"gpt-5-codex"}}
{"timestamp":"2026-11-15T12:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"plot it"}]}}
{"timestamp":"2026-11-15T12:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A chart."}]}}
{"timestamp":"2026-11-15T12:00:03Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"n\":1}","call_id":"c1"}}
{"timestamp":"2026-11-15T12:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1000,"cached_input_tokens":900,"output_tokens":20}}}}
{"timestamp":"2026-11-15T12:00:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"one"}}
{"timestamp":"2026-11-15T12:00:05Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}
`
)

func TestEveryKindOfRecordIsRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in  string
		id, model string
		told      []string
	}{
		{"a session of Claude Code, answers and results put together", claudeCode, "s-1", "claude-sonnet-4-5", []string{
			"user: plot it", `assistant: Two charts. | call t1 read {"n":1} | call t2 read {"n":2}`,
			"user: result t1 chart one | result t2 chart two", "(summary) user: so far: two charts", "assistant: Done.",
		}},
		{"a session of pi", pi, "pi-1", "claude-opus-4-5", []string{
			"user: plot it", `assistant: call a read {"n":1} | call b read {"n":2}`, "user: result a one | result b two", "assistant: Done.",
		}},
		{"a session of Codex", codex, "cx-1", "gpt-5-codex", []string{
			"user: plot it", "assistant: A chart.", `assistant: call c1 shell {"n":1}`, "tool: result c1 one", "assistant: Done.",
		}},
		{
			"a conversation a line, without what a simulated user's tools said",
			`{"id":"c-1","model":"gpt-4o","format":"openai-chat","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"tool","tool_call_id":"u","content":"c","requestor":"user"},{"role":"notice","content":"d"}]}`,
			"c-1", "gpt-4o",
			[]string{"user: a", "assistant: b"},
		},
		{"messages a line", "{\"role\":\"user\",\"content\":\"a\"}\n\n{\"role\":\"assistant\",\"content\":\"b\"}\n", "log-1", "", []string{"user: a", "assistant: b"}},
		{
			"requests a line, each going on with the one before",
			`{"model":"gpt-4o","messages":[{"role":"user","content":"a"}]}` + "\n" +
				`{"model":"gpt-4o","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}` + "\n",
			"log-1", "gpt-4o",
			[]string{"user: a", "assistant: b", "user: c"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all, err := readAll(t, tt.in)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d sessions, %v", len(all), err)
			}
			if s := all[0]; s.ID != tt.id || s.Model != tt.model {
				t.Errorf("id %q, model %q", s.ID, s.Model)
			}
			if diff := cmp.Diff(tt.told, told(all[0])); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimesAndBillsAreRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		at       int
		time     time.Time
		bill     plimsoll.Usage
	}{
		{"of Claude Code, the last of an answer", claudeCode, 1, noon.Add(2 * time.Second), plimsoll.Usage{Input: 3, CacheCreation: 100, CacheRead: 900, Output: 60}},
		{"of pi", pi, 1, noon.Add(time.Second), plimsoll.Usage{Input: 10, Output: 5, CacheRead: 200, CacheCreation: 30}},
		{"of Codex, at the first item of the answer", codex, 1, noon.Add(2 * time.Second), plimsoll.Usage{Input: 100, CacheRead: 900, Output: 20}},
		{
			"of a conversation", `{"id":"x","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","ts":"2026-11-15T12:00:00.5","usage":{"prompt_tokens":7,"completion_tokens":2}}]}`,
			1, noon.Add(500 * time.Millisecond),
			plimsoll.Usage{Input: 7, Output: 2},
		},
		{"of a request, in milliseconds", `{"ts":1794744000000,"request":{"messages":[{"role":"user","content":"a"}]}}`, 0, noon, plimsoll.Usage{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all, err := readAll(t, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			e := all[0].Entries[tt.at]
			if !e.Time.Equal(tt.time) || e.Bill != tt.bill {
				t.Errorf("at %v with %+v, want %v with %+v", e.Time, e.Bill, tt.time, tt.bill)
			}
		})
	}
}

func TestRequestsOfSeveralConversationsAreToldApart(t *testing.T) {
	t.Parallel()
	request := func(texts ...string) string {
		var messages []string
		for i, text := range texts {
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			messages = append(messages, `{"role":"`+role+`","content":"`+text+`"}`)
		}
		return `{"model":"gpt-4o","messages":[` + strings.Join(messages, ",") + `]}` + "\n"
	}
	all, err := readAll(t, request("a")+request("x")+request("a", "b", "c")+request("x", "y", "z"))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for _, s := range all {
		if len(s.Entries) != 3 || !s.Unanswered {
			t.Errorf("%v, unanswered %v", told(s), s.Unanswered)
		}
	}
}

func TestACompressedFileIsReadAlike(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(pi))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := readAll(t, b.String())
	if err != nil || len(all) != 1 || len(all[0].Entries) != 4 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
}

func TestWhatIsNotUnderstoodIsNamedByItsLine(t *testing.T) {
	t.Parallel()
	good := `{"id":"x","messages":[{"role":"user","content":"a"}]}` + "\n"
	for name, tt := range map[string]struct{ in, want string }{
		"no JSON":                     {good + "\n" + "tide", "line 3"},
		"another kind of object":      {`{"colour":"red"}`, "line 1"},
		"a list":                      {`[1]`, "line 1"},
		"a message without a role":    {good + `{"id":"y","messages":[{"content":"a"}]}`, "line 2"},
		"a broken content of a block": {`{"type":"user","message":{"role":"user","content":7}}`, "line 1"},
	} {
		_, err := readAll(t, tt.in)
		if err == nil || !strings.Contains(err.Error(), tt.want) || plimsoll.CodeOf(err) != plimsoll.CodeInvalid || plimsoll.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, in := range []string{claudeCode, pi, codex, `{"id":"x","messages":[{"role":"user","content":"a"}]}`, `{"ts":1,"request":{"contents":[{"role":"user","parts":[{"text":"a"}]}]}}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := NewReader("log.jsonl", bytes.NewReader(in))
		if err != nil {
			return
		}
		for {
			s, err := r.Next()
			if err != nil {
				return
			}
			for _, e := range s.Entries {
				if e.Message.Digest != digestOf(e.Message) {
					t.Fatal("a message was changed after its digest was taken")
				}
			}
		}
	})
}
