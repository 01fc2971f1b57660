package anthropic_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

// named makes a stream of events that are named by their types.
func named(data ...string) []byte {
	var out []byte
	for _, d := range data {
		out = sse.Append(out, rawjson.MemberText([]byte(d), "type"), []byte(d))
	}
	return out
}

func TestAnthropicEventsOfOneReply(t *testing.T) {
	t.Parallel()
	r := anthropic.Codec{}.NewReply("text/event-stream", isHidden)
	start := named(
		`{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":1}}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a\u00e9"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S/1"}}`,
		`{"type":"content_block_stop","index":0}`,
	)
	view, first := feed(r, append(bytes.Clone(start), named(
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"ref_id\": "}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"r\"}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"hm"}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":10}}`,
		`{"type":"message_stop"}`,
	)...))
	want := string(start) + string(named(
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hm"}}`,
		`{"type":"content_block_stop","index":1}`,
	))
	if diff := cmp.Diff(want, view); diff != "" {
		t.Errorf("first answer (-want +got):\n%s", diff)
	}
	said := `{"role":"assistant","content":[{"type":"thinking","thinking":"a\u00e9","signature":"S/1"},` +
		`{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{"ref_id": "r"}},{"type":"text","text":"hm"}]}`
	if diff := cmp.Diff(wire.Round{
		Calls: []plimsoll.ToolCall{{ID: "o1", Name: "tool_output_cache", Arguments: `{"ref_id": "r"}`}},
		Said:  [][]byte{[]byte(said)},
	}, first); diff != "" {
		t.Errorf("first round (-want +got):\n%s", diff)
	}
	r.Again()
	view, _ = feed(r, named(
		`{"type":"message_start","message":{"id":"msg_2","usage":{"input_tokens":50,"cache_read_input_tokens":70,"output_tokens":2}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"shell","input":{}}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":20}}`,
		`{"type":"message_stop"}`,
	))
	view += string(r.Finish())
	want = string(named(
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"shell","input":{}}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30,"input_tokens":50,"cache_read_input_tokens":70}}`,
		`{"type":"message_stop"}`,
	))
	if diff := cmp.Diff(want, view); diff != "" {
		t.Errorf("second answer (-want +got):\n%s", diff)
	}
}

// ourBlock is a call of ours in a stream.
func ourBlock(index string) []string {
	return []string{
		`{"type":"content_block_start","index":` + index + `,"content_block":{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{}}}`,
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
		`{"type":"content_block_stop","index":` + index + `}`,
	}
}

func TestAnthropicAnswersThatDoNotEndWell(t *testing.T) {
	t.Parallel()
	const begin, stop = `{"type":"message_start","message":{"id":"msg_1"}}`, `{"type":"message_stop"}`
	const fault = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	for _, tt := range []struct {
		name   string
		events []string
		cut    int // bytes that are missing at the end
		view   []string
		broken bool
		calls  int
	}{
		{"the end of the rounds is the end of the turn", append(append([]string{begin}, ourBlock("0")...), `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, stop), 0, []string{begin, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, stop}, false, 1},
		{"a call that is cut off is not completed", append([]string{begin}, ourBlock("0")[:2]...), 0, []string{begin}, true, 1},
		{"what came of the end is handed on", append(append([]string{begin}, ourBlock("0")...), `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`), 0, []string{begin, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`}, true, 1},
		{"an error passes at once", append(append([]string{begin}, ourBlock("0")...), fault), 0, []string{begin, fault}, true, 1},
		{"a call without its end is none if there is no room for it", []string{begin, ourBlock("0")[0], `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, stop}, 0, []string{begin, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, stop}, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := anthropic.Codec{}.NewReply("text/event-stream", isHidden)
			view, round := feed(r, named(tt.events...))
			view += string(r.Finish())
			if diff := cmp.Diff(string(named(tt.view...)), view); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if round.Broken != tt.broken || len(round.Calls) != tt.calls {
				t.Errorf("broken %v, calls %v", round.Broken, round.Calls)
			}
			if _, hidden := r.Record([][]wire.Result{replytest.ResultsFor(round.Calls)}); hidden != (!tt.broken && tt.calls > 0) {
				t.Errorf("there is a record: %v", hidden)
			}
		})
	}
}

// What the API wants back is all there, whatever kind of block it is.
func TestAnthropicBlocksAreSaidAsTheyCame(t *testing.T) {
	t.Parallel()
	r := anthropic.Codec{}.NewReply("text/event-stream", isHidden)
	_, round := feed(r, named(append([]string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"XYZ"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"ships\"}"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","encrypted_content":"E"}]}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"text","text":"A ","citations":[]}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"cited_text":"x"}}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"\ud83d"}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"\udea2"}}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"compaction"}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"compaction_delta","content":"short","encrypted_content":"E2"}}`,
		`{"type":"content_block_start","index":5,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"\n\n"}}`,
	}, ourBlock("6")...)...))
	want := `{"role":"assistant","content":[{"type":"redacted_thinking","data":"XYZ"},` +
		`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"ships"}},` +
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","encrypted_content":"E"}]},` +
		`{"type":"text","text":"A \ud83d\udea2","citations":[{"cited_text":"x"}]},` +
		`{"type":"compaction","content":"short","encrypted_content":"E2"},` +
		`{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{"a":1}}]}`
	if diff := cmp.Diff(want, string(bytes.Join(round.Said, nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if round.Foreign {
		t.Error("the server's own tools are not the client's")
	}
}

func TestAnthropicMessagesAreJoined(t *testing.T) {
	t.Parallel()
	r := anthropic.Codec{}.NewReply("", isHidden)
	if view, round := feed(r, []byte(`{"id":"msg_1","type":"message","content":[{"type":"text","text":"Look."},{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{}}],`+
		`"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":10,"output_tokens_details":{"thinking_tokens":4}}}`)); view != "" || len(round.Calls) != 1 {
		t.Fatalf("%s, %v", view, round)
	}
	r.Again()
	feed(r, []byte(` {"id":"msg_2","type":"message","model":"m","content":[ {"type":"text","text":"x"} ],"stop_reason":"end_turn","usage":{"input_tokens":50,"output_tokens":20,"output_tokens_details":{"thinking_tokens":1}}}`))
	want := `{"id":"msg_1","type":"message","model":"m","content":[{"type":"text","text":"Look."},{"type":"text","text":"x"}],"stop_reason":"end_turn",` +
		`"usage":{"input_tokens":50,"output_tokens":30,"output_tokens_details":{"thinking_tokens":5}}}`
	if diff := cmp.Diff(want, string(r.Finish())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnthropicBodiesThatAreNoMessagePass(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{"type":"error","error":{}}`, `{"type":"message","content":[`, "[1]"} {
		r := anthropic.Codec{}.NewReply("", isHidden)
		_, round := feed(r, []byte(body))
		if got := string(r.Finish()); !round.Broken || got != body {
			t.Errorf("%q came as %q, broken %v", body, got, round.Broken)
		}
	}
}

func TestAnthropicResultsCarryPicturesAndErrors(t *testing.T) {
	t.Parallel()
	picture := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "aWM="}
	body := []byte(`{"messages":[{"role":"user","content":"hi"}],"max_tokens":1}`)
	r, err := anthropic.Codec{}.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	said := [][]byte{[]byte(`{"role":"assistant","content":[]}`)}
	got, err := wire.Continue(anthropic.Codec{}, r, said, []wire.Result{
		{Call: plimsoll.ToolCall{ID: "o1"}, Text: "see", Parts: []plimsoll.Part{picture}},
		{Call: plimsoll.ToolCall{ID: "o2"}, Parts: []plimsoll.Part{picture}},
		{Call: plimsoll.ToolCall{ID: "o3"}, Text: "no such ref", IsError: true},
	})
	if err != nil || !json.Valid(got) {
		t.Fatalf("%v in %s", err, got)
	}
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aWM="}}`
	want := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[]},{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"o1","content":[{"type":"text","text":"see"},` + image + `]},` +
		`{"type":"tool_result","tool_use_id":"o2","content":[` + image + `]},` +
		`{"type":"tool_result","tool_use_id":"o3","content":"no such ref","is_error":true}]}],"max_tokens":1}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(said) != 1 || !strings.HasSuffix(string(said[0]), "[]}") {
		t.Error("what was said is the caller's")
	}
}

// feed writes an answer whole.
func feed(r wire.Reply, answer []byte) (view string, round wire.Round) {
	view = string(r.Write(answer))
	return view, r.End()
}

func isHidden(name string) bool { return name == "tool_output_cache" }
