package responses_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

const (
	itemOurs    = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"hidden_tool","arguments":"{}"}`
	itemTheirs  = `{"type":"function_call","id":"fc_2","call_id":"c2","name":"shell","arguments":"{}"}`
	itemThought = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}`
	itemText    = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Well."}]}`
)

// responsesOf makes a response object of items.
func responsesOf(id, status string, items ...string) string {
	return fmt.Sprintf(`{"id":%q,"status":%q,"output":[%s],"usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12}}`,
		id, status, strings.Join(items, ","))
}

// eventsFor streams items: for each that it is there and that it is complete.
func eventsFor(items ...string) (events []string) {
	for i, item := range items {
		for _, kind := range []string{"added", "done"} {
			events = append(events, fmt.Sprintf(`{"type":"response.output_item.%s","output_index":%d,"item":%s}`, kind, i, item))
		}
	}
	return events
}

func endOf(kind, response string) string {
	return fmt.Sprintf(`{"type":%q,"response":%s}`, kind, response)
}

// streamOf makes a stream of the data of its events.
func streamOf(data ...string) (stream []byte) {
	for _, d := range data {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(d), &e)
		stream = sse.Append(stream, e.Type, []byte(d))
	}
	return stream
}

// oneAnswer plays one answer, in one write.
func oneAnswer(streamed bool, data []byte) (r wire.Reply, round wire.Round, view string) {
	r = responses.Codec{}.NewReply(replytest.Rules{}.ContentType(streamed), replytest.IsHiddenTool)
	out := replytest.Drip(r, data, len(data)+1)
	round = r.End()
	return r, round, string(append(out, r.Finish()...))
}

func TestResponsesThatAreNotCompleteAreNotGoneOnWith(t *testing.T) {
	t.Parallel()
	created := endOf("response.created", responsesOf("resp_1", "in_progress"))
	items := append([]string{created}, eventsFor(itemText, itemOurs)...)
	for _, tt := range []struct {
		name   string
		data   []string
		broken bool
		// end is what the client's stream ends with, "" for nothing.
		end string
	}{
		{"a stream that breaks off gets no end", items, true, ""},
		{
			"one that was cut short says so, and has no call",
			append(items, endOf("response.incomplete", responsesOf("resp_1", "incomplete", itemText, itemOurs))),
			false, endOf("response.incomplete", responsesOf("resp_1", "incomplete", itemText)),
		},
		{
			"one that failed says so",
			append(items, endOf("response.failed", responsesOf("resp_1", "failed", itemText, itemOurs))),
			true, endOf("response.failed", responsesOf("resp_1", "failed", itemText)),
		},
		{"an error passes", append(items, `{"type":"error","code":"server_error"}`), true, `{"type":"error","code":"server_error"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, round, view := oneAnswer(true, streamOf(tt.data...))
			if round.Broken != tt.broken || !tt.broken && len(round.Calls) > 0 {
				t.Errorf("broken %v, want %v, with calls %v", round.Broken, tt.broken, round.Calls)
			}
			want := append([]string{created}, eventsFor(itemText)...)
			if tt.end != "" {
				want = append(want, tt.end)
			}
			if diff := cmp.Diff(string(streamOf(want...)), view); diff != "" {
				t.Errorf("the client's stream (-want +got):\n%s", diff)
			}
		})
	}
}

func TestItemsThatServersSayOnlyOnceAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		data []string
		want []string
	}{
		{
			"at the end alone",
			[]string{endOf("response.completed", responsesOf("r", "completed", itemThought, itemOurs, itemText))},
			[]string{endOf("response.completed", responsesOf("r", "completed", itemThought, itemText))},
		},
		{
			"before the end alone",
			append(eventsFor(itemThought, itemOurs, itemText), endOf("response.completed", responsesOf("r", "completed")), "[DONE]"),
			append(eventsFor(itemThought, itemText), endOf("response.completed", responsesOf("r", "completed", itemThought, itemText)), "[DONE]"),
		},
		{
			"at one place, one after the other",
			slices.Concat(eventsFor(itemThought), eventsFor(itemOurs), eventsFor(itemText), []string{endOf("response.completed", responsesOf("r", "completed"))}),
			slices.Concat(eventsFor(itemThought), eventsFor(itemText), []string{endOf("response.completed", responsesOf("r", "completed", itemThought, itemText))}),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, round, view := oneAnswer(true, streamOf(tt.data...))
			if diff := cmp.Diff(string(streamOf(tt.want...)), view); diff != "" {
				t.Errorf("the client's stream (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{itemThought, itemOurs, itemText}, replytest.Strings(round.Said)); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheClientIsAskedForWhatOnlyItCanAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		items   []string
		foreign bool
		ours    int
	}{
		{"a function of its own", []string{itemTheirs, itemOurs}, true, 1},
		{"a function of ours", []string{itemOurs}, false, 1},
		{"a function with a name of ours in a namespace", []string{strings.Replace(itemOurs, `"id"`, `"namespace":"x","id"`, 1)}, true, 0},
		{"a custom tool with a name of ours", []string{strings.Replace(itemOurs, "function_call", "custom_tool_call", 1)}, true, 0},
		{"a shell", []string{`{"type":"local_shell_call","id":"l","call_id":"c","action":{}}`}, true, 0},
		{"a shell that the server ran", []string{
			`{"type":"shell_call","id":"s","call_id":"c","action":{}}`, `{"type":"shell_call_output","call_id":"c","output":[]}`,
		}, false, 0},
		{"a search that the server made", []string{`{"type":"web_search_call","id":"w"}`}, false, 0},
		{"a question for approval", []string{`{"type":"mcp_approval_request","id":"a","name":"x","arguments":"{}"}`}, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, round, _ := oneAnswer(false, []byte(responsesOf("r", "completed", tt.items...)))
			if round.Broken || round.Foreign != tt.foreign || len(round.Calls) != tt.ours {
				t.Errorf("%+v", round)
			}
		})
	}
}

func TestReasoningThatNobodyKeepsIsNotSentBack(t *testing.T) {
	t.Parallel()
	open := strings.Replace(itemThought, `"sealed"`, "null", 1)
	for _, tt := range []struct {
		name, thought, store string
		want                 []string
	}{
		{"by value", itemThought, "false", []string{itemThought, itemOurs}},
		{"by its id, if the server keeps it", open, "true", []string{open, itemOurs}},
		{"not at all", open, "false", []string{strings.Replace(itemOurs, `"id":"fc_1",`, "", 1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := strings.Replace(responsesOf("r", "completed", tt.thought, itemOurs), `"id"`, `"store":`+tt.store+`,"id"`, 1)
			_, round, _ := oneAnswer(false, []byte(body))
			if diff := cmp.Diff(tt.want, replytest.Strings(round.Said)); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBodiesThatAreNoAnswerOfResponsesPass(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "not json", `{"error":{"message":"no"}}`, `[]`, responsesOf("r", "completed", itemOurs)[:80],
		responsesOf("r", "in_progress"), responsesOf("r", "failed", itemText),
	} {
		_, round, view := oneAnswer(false, []byte(body))
		if view != body || !round.Broken {
			t.Errorf("%s became %s, broken %v", body, view, round.Broken)
		}
	}
}

func TestABareInputIsContinued(t *testing.T) {
	t.Parallel()
	r, err := responses.Codec{}.Decode([]byte(`{"model":"m","input":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, round, _ := oneAnswer(false, []byte(responsesOf("r", "completed", itemOurs)))
	picture := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "AAAA"}
	body, err := wire.Continue(responses.Codec{}, r, round.Said, []wire.Result{{Call: round.Calls[0], Text: "here", Parts: []plimsoll.Part{picture}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","input":[{"type":"message","role":"user","content":"hello"},` + itemOurs +
		`,{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"here"},` +
		`{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}]}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("continued (-want +got):\n%s", diff)
	}
}

func TestTheIDOfTheFirstResponseStays(t *testing.T) {
	t.Parallel()
	first, last := responsesOf("resp_1", "completed", itemOurs), responsesOf("resp_2", "completed", itemText)
	for _, streamed := range []bool{false, true} {
		r := responses.Codec{}.NewReply(replytest.Rules{}.ContentType(streamed), replytest.IsHiddenTool)
		for i, body := range []string{first, last} {
			data := []byte(body)
			if streamed {
				data = streamOf(endOf("response.completed", body))
			}
			if i > 0 {
				r.Again()
			}
			r.Write(data)
			r.End()
		}
		if out := string(r.Finish()); !strings.Contains(out, `"id":"resp_1"`) || strings.Contains(out, "resp_2") {
			t.Errorf("streamed %v: the client sees %s", streamed, out)
		}
	}
}

func TestResponsesAreNotRestoredWhereTheyDoNotBelong(t *testing.T) {
	t.Parallel()
	search := `{"type":"tool_search_call","id":"ts_1","call_id":"t1","execution":"client","arguments":{}}`
	output := `{"type":"function_call_output","call_id":"c2","output":"theirs"}`
	for _, tt := range []struct {
		name  string
		items []string
		next  []string
		want  bool
	}{
		{"the client's results follow", []string{itemOurs, itemTheirs}, []string{itemTheirs, output}, true},
		{"items without ids", []string{itemText, itemOurs, itemTheirs}, []string{`{"role":"assistant","content":"Well. "}`, strings.Replace(itemTheirs, `"id":"fc_2",`, "", 1), output}, true},
		{"the client has not answered", []string{itemOurs, itemTheirs}, []string{itemTheirs, `{"role":"user","content":"stop"}`}, false},
		{"other arguments", []string{itemOurs, itemTheirs}, []string{strings.Replace(itemTheirs, "{}", `{\"a\":1}`, 1), output}, false},
		{"another call", []string{itemOurs, itemTheirs}, []string{strings.Replace(itemTheirs, "c2", "c3", 1), strings.Replace(output, "c2", "c3", 1)}, false},
		{"another text", []string{itemText, itemOurs, itemTheirs}, []string{strings.Replace(itemText, "Well", "Ill", 1), itemTheirs, output}, false},
		{"the client searches for tools", []string{itemOurs, search}, []string{search, `{"type":"tool_search_output","call_id":"t1","tools":[]}`}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reply, round, _ := oneAnswer(false, []byte(responsesOf("r", "completed", tt.items...)))
			record, _ := reply.Record([][]wire.Result{replytest.ResultsFor(round.Calls)})
			body := server{}.Request(append([]string{server{}.User("hello")}, tt.next...)...)
			r := replytest.MustDecode(t, responses.Codec{}, body)
			restored, err := wire.Restore(responses.Codec{}, r, map[int]wire.Record{1: record})
			if err != nil {
				t.Fatal(err)
			}
			if got := !bytes.Equal(body, restored); got != tt.want {
				t.Fatalf("restored %v, want %v: %s", got, tt.want, restored)
			}
			if found := wire.Check(replytest.MustDecode(t, responses.Codec{}, restored)); tt.want && len(found) > 0 {
				t.Errorf("%v in %s", found, restored)
			}
		})
	}
}

func TestUnansweredCallsTakeTheirReasoningWithThem(t *testing.T) {
	t.Parallel()
	reply, _, view := oneAnswer(false, []byte(responsesOf("r", "completed", itemText, itemThought, itemOurs)))
	record, ok := reply.Record(nil)
	if !ok || !slices.EqualFunc(record.Elements, []string{itemText}, func(e []byte, want string) bool { return string(e) == want }) {
		t.Errorf("record %s, %v", record.Elements, ok)
	}
	if want := responsesOf("r", "completed", itemText); view != want {
		t.Errorf("the client sees %s, want %s", view, want)
	}
}
