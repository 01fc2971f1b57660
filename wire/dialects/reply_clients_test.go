package dialects_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// shape is how a dialect writes what the tests in this file need.
type shape struct {
	dialect plimsoll.Dialect
	// request makes a body of elements.
	request func(elements ...string) string
	// ours is an answer that calls our tool alone, with reasoning before it where the
	// dialect has it; calls is one that calls a tool of the client's.
	ours  string
	calls func(arguments string) string
	// called is that call as the client sends it back, with its result.
	called func(arguments string) []string
	// outputs answers calls of the client's.
	outputs func(calls []plimsoll.ToolCall) []string
}

// each makes one element of the outputs of several calls, or one of each.
func each(format string, frame func(all []string) []string) func(calls []plimsoll.ToolCall) []string {
	return func(calls []plimsoll.ToolCall) []string {
		var all []string
		for _, c := range calls {
			all = append(all, strings.NewReplacer("ID", c.ID, "NAME", c.Name).Replace(format))
		}
		return frame(all)
	}
}

const (
	userElement = `{"role":"user","content":"hello"}`
	itemOurs    = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"hidden_tool","arguments":"{}"}`
	itemThought = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}`
	itemText    = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Well."}]}`
)

// responsesOf makes a response object of items.
func responsesOf(id, status string, items ...string) string {
	return fmt.Sprintf(`{"id":%q,"status":%q,"output":[%s]}`, id, status, strings.Join(items, ","))
}

// pieceOf makes an answer of Gemini's.
func pieceOf(finish string, parts ...string) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]},"finishReason":%q}]}`, strings.Join(parts, ","), finish)
}

func listIn(name string) func(elements ...string) string {
	return func(elements ...string) string {
		return fmt.Sprintf(`{"model":"m",%q:[%s]}`, name, strings.Join(elements, ","))
	}
}

func shapes() []shape {
	chat := func(name, id, arguments string) string {
		return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}`, id, name, arguments)
	}
	completion := func(message string) string {
		return `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":` + message + `,"finish_reason":"tool_calls"}]}`
	}
	use := func(name, id, arguments string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, name, arguments)
	}
	message := func(blocks string) string {
		return `{"id":"m","type":"message","role":"assistant","content":[` + blocks + `],"stop_reason":"tool_use"}`
	}
	item := func(name, id, arguments string) string {
		return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%q}`, id, name, arguments)
	}
	part := func(name, arguments string) string {
		return fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, name, arguments)
	}
	record := func(message string) string {
		return `{"model":"m","message":` + message + `,"done":true,"done_reason":"stop"}`
	}
	called := func(name, arguments string) string {
		return fmt.Sprintf(`{"role":"assistant","content":"","tool_calls":[{"function":{"name":%q,"arguments":%s}}]}`, name, arguments)
	}
	return []shape{
		{
			plimsoll.OpenAI, listIn("messages"), completion(chat(replytest.HiddenTool, "o1", "{}")),
			func(arguments string) string { return completion(chat("read", "c1", arguments)) },
			func(arguments string) []string {
				return []string{userElement, chat("read", "c1", arguments), `{"role":"tool","tool_call_id":"c1","content":"x"}`}
			},
			each(`{"role":"tool","tool_call_id":"ID","content":"theirs"}`, slices.Clone),
		},
		{
			plimsoll.Anthropic, listIn("messages"), message(use(replytest.HiddenTool, "o1", "{}")),
			func(arguments string) string { return message(use("read", "c1", arguments)) },
			func(arguments string) []string {
				return []string{userElement, `{"role":"assistant","content":[` + use("read", "c1", arguments) + `]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}`}
			},
			each(`{"type":"tool_result","tool_use_id":"ID","content":"theirs"}`, func(all []string) []string {
				return []string{`{"role":"user","content":[` + strings.Join(all, ",") + `]}`}
			}),
		},
		{
			plimsoll.Responses, listIn("input"), responsesOf("r", "completed", itemThought, item(replytest.HiddenTool, "o1", "{}")),
			func(arguments string) string { return responsesOf("r", "completed", item("read", "c1", arguments)) },
			func(arguments string) []string {
				return []string{userElement, item("read", "c1", arguments), `{"type":"function_call_output","call_id":"c1","output":"x"}`}
			},
			each(`{"type":"function_call_output","call_id":"ID","output":"theirs"}`, slices.Clone),
		},
		{
			plimsoll.Gemini, listIn("contents"), pieceOf("STOP", part(replytest.HiddenTool, "{}")),
			func(arguments string) string { return pieceOf("STOP", part("read", arguments)) },
			func(arguments string) []string {
				return []string{`{"role":"user","parts":[{"text":"hello"}]}`, `{"role":"model","parts":[` + part("read", arguments) + `]}`, `{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"x"}}}]}`}
			},
			each(`{"functionResponse":{"name":"NAME","id":"ID","response":{"output":"theirs"}}}`, func(all []string) []string {
				return []string{`{"role":"user","parts":[` + strings.Join(all, ",") + `]}`}
			}),
		},
		{
			plimsoll.Ollama, listIn("messages"), record(called(replytest.HiddenTool, "{}")),
			func(arguments string) string { return record(called("read", arguments)) },
			func(arguments string) []string {
				return []string{userElement, called("read", arguments), `{"role":"tool","tool_name":"read","content":"x"}`}
			},
			each(`{"role":"tool","tool_name":"NAME","content":"theirs"}`, slices.Clone),
		},
	}
}

// joined plays answers that are not streamed, and answers all calls of ours.
func (s shape) joined(answers ...string) (view string, record wire.Record, ok bool) {
	reply := dialects.Codec(s.dialect).NewReply("", replytest.IsHiddenTool)
	var results [][]wire.Result
	for i, a := range answers {
		if i > 0 {
			reply.Again()
		}
		reply.Write([]byte(a))
		results = append(results, replytest.ResultsFor(reply.End().Calls))
	}
	view = string(reply.Finish())
	record, ok = reply.Record(results)
	return view, record, ok
}

// restored puts a record into a request, and fails if the API would refuse it then.
func (s shape) restored(t *testing.T, record wire.Record, elements ...string) string {
	t.Helper()
	codec := dialects.Codec(s.dialect)
	body, err := wire.Restore(codec, replytest.MustDecode(t, codec, []byte(s.request(elements...))), map[int]wire.Record{1: record})
	if err != nil {
		t.Fatal(err)
	}
	if found := wire.Check(replytest.MustDecode(t, codec, body)); len(found) > 0 {
		t.Fatalf("%v in %s", found, body)
	}
	return string(body)
}

// A client may edit a call before it runs it, and in a dialect without ids nothing but
// the arguments tells two answers apart.
func TestARecordIsOfOneCallWithItsArguments(t *testing.T) {
	t.Parallel()
	const said = `{"path":"A","lines":[1,2.50],"all":null}`
	for _, s := range shapes() {
		for _, tt := range []struct {
			name, sent string
			want       bool
		}{
			{"as it was", said, true},
			{"written anew", `{"lines": [1, 2.5], "path": "\u0041"}`, true},
			{"edited", `{"path":"B","lines":[1,2.5]}`, false},
			{"without arguments", `{}`, false},
		} {
			t.Run(fmt.Sprint(s.dialect, " ", tt.name), func(t *testing.T) {
				t.Parallel()
				_, record, ok := s.joined(s.ours, s.calls(said))
				if !ok {
					t.Fatal("nothing was hidden")
				}
				elements := s.called(tt.sent)
				got := s.restored(t, record, elements...)
				if strings.Contains(got, replytest.HiddenTool) != tt.want || !tt.want && got != s.request(elements...) {
					t.Errorf("restored: want %v, got %s", tt.want, got)
				}
			})
		}
	}
}

func TestCallsOfOtherKindsAreFoundAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, item, sent, output string }{
		{
			"a custom tool", `{"type":"custom_tool_call","id":"ct","call_id":"c","name":"apply_patch","input":"*** Begin Patch"}`,
			`{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch"}`, `{"type":"custom_tool_call_output","call_id":"c","output":"x"}`,
		},
		{
			"a shell", `{"type":"local_shell_call","id":"l","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"],"user":null}}`,
			`{"type":"local_shell_call","id":"l","call_id":"c","status":"completed","action":{"command":["ls"],"type":"exec"}}`, `{"type":"local_shell_call_output","call_id":"c","output":"x"}`,
		},
		{
			"a question for approval", `{"type":"mcp_approval_request","id":"a","name":"x","server_label":"s","arguments":"{\"a\": 1}"}`,
			`{"type":"mcp_approval_request","id":"a","name":"x","server_label":"s","arguments":"{\"a\":1}"}`, `{"type":"mcp_approval_response","approval_request_id":"a","approve":true}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shapes()[2]
			_, record, _ := s.joined(s.ours, responsesOf("r", "completed", tt.item))
			if got := s.restored(t, record, userElement, tt.sent, tt.output); !strings.Contains(got, replytest.HiddenTool) {
				t.Errorf("not restored: %s", got)
			}
		})
	}
}

// Clients drop reasoning when they go on with another model, which may refuse it.
func TestReasoningThatTheClientHasDroppedStaysAway(t *testing.T) {
	t.Parallel()
	second := strings.NewReplacer("rs_1", "rs_2", "sealed", "sealed too").Replace(itemThought)
	text := func(id string) string { return strings.Replace(itemText, `"id":"msg_1",`, id, 1) }
	thought := `{"text":"Hm.","thought":true}`
	signed := `{"functionCall":{"name":"hidden_tool","args":{"n":1}},"thoughtSignature":"s"}`
	output := func(n string) string {
		return `{"type":"function_call_output","call_id":"c1","output":"answer to ` + n + `"}`
	}
	response := `{"role":"user","parts":[{"functionResponse":{"name":"hidden_tool","response":{"output":"answer to {\"n\":1}"}}}]}`
	for _, tt := range []struct {
		name    string
		dialect plimsoll.Dialect
		answers []string
		sent    []string
		want    []string
	}{
		{
			"Responses: kept", plimsoll.Responses,
			[]string{responsesOf("r", "completed", itemThought, itemOurs), responsesOf("r", "completed", second, itemText)},
			[]string{second, itemText},
			[]string{itemThought, itemOurs, output("{}"), second, itemText},
		},
		{
			"Responses: kept as a reference", plimsoll.Responses,
			[]string{responsesOf("r", "completed", itemThought, itemOurs), responsesOf("r", "completed", second, itemText)},
			[]string{`{"type":"item_reference","id":"rs_2"}`, text("")},
			[]string{itemThought, itemOurs, output("{}"), second, itemText},
		},
		{
			"Responses: dropped, and the ids of what it led to with it", plimsoll.Responses,
			[]string{responsesOf("r", "completed", itemThought, itemOurs), responsesOf("r", "completed", second, itemText)},
			[]string{text("")},
			[]string{strings.Replace(itemOurs, `"id":"fc_1",`, "", 1), output("{}"), text("")},
		},
		{
			"Responses: none was shown, so none was dropped", plimsoll.Responses,
			[]string{responsesOf("r", "completed", itemThought, itemOurs), responsesOf("r", "completed", itemText)},
			[]string{itemText},
			[]string{itemThought, itemOurs, output("{}"), itemText},
		},
		{
			"Responses: what no reasoning led to keeps its id", plimsoll.Responses,
			[]string{responsesOf("r", "completed", second, itemText, itemOurs), responsesOf("r", "completed", strings.Replace(itemText, "msg_1", "msg_2", 1))},
			[]string{text(""), text("")},
			[]string{text(""), strings.Replace(itemOurs, `"id":"fc_1",`, "", 1), output("{}"), strings.Replace(itemText, "msg_1", "msg_2", 1)},
		},
		{
			"Gemini: kept", plimsoll.Gemini,
			[]string{pieceOf("STOP", thought, signed), pieceOf("STOP", thought, `{"text":"A"}`)},
			[]string{`{"role":"model","parts":[` + thought + `,{"text":"A"}]}`},
			[]string{`{"role":"model","parts":[` + thought + `,` + signed + `]}`, response, `{"role":"model","parts":[` + thought + `,{"text":"A"}]}`},
		},
		{
			"Gemini: dropped, but for the signatures of calls", plimsoll.Gemini,
			[]string{pieceOf("STOP", thought, signed), pieceOf("STOP", thought, `{"text":"A"}`)},
			[]string{`{"role":"model","parts":[{"text":"A"}]}`},
			[]string{`{"role":"model","parts":[` + signed + `]}`, response, `{"role":"model","parts":[{"text":"A"}]}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(shapes(), func(s shape) bool { return s.dialect == tt.dialect })
			s := shapes()[i]
			user := s.called("{}")[0]
			_, record, _ := s.joined(tt.answers...)
			got := s.restored(t, record, slices.Concat([]string{user}, tt.sent, []string{user})...)
			want := s.request(slices.Concat([]string{user}, tt.want, []string{user})...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("restored (-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing is made up for a reply that ends before the model has said anything.
func TestAReplyWithNothingToShowIsEmptyAsTheAPIsOwnAre(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		view string
		// sent is the reply as a client that keeps it sends it; "" if there is nothing.
		sent string
	}{
		{`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, `{"role":"assistant","content":""}`},
		{`{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}`, `{"role":"assistant","content":[]}`},
		{responsesOf("r", "completed"), ""},
		{pieceOf("STOP", `{"text":""}`), `{"role":"model","parts":[{"text":""}]}`},
		{`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`, `{"role":"assistant","content":""}`},
	} {
		s := shapes()[i]
		t.Run(string(s.dialect), func(t *testing.T) {
			t.Parallel()
			view, record, ok := s.joined(s.ours)
			if diff := cmp.Diff(tt.view, view); diff != "" || !ok {
				t.Errorf("record %v, the client sees (-want +got):\n%s", ok, diff)
			}
			if tt.sent == "" {
				return
			}
			user := s.called("{}")[0]
			if got := s.restored(t, record, user, tt.sent, user); !strings.Contains(got, replytest.HiddenTool) || !strings.Contains(got, "answer to") {
				t.Errorf("a client that keeps it gets back %s", got)
			}
		})
	}
}
