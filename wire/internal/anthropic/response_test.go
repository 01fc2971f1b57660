package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, anthropic.Codec{})
}

func TestAnEventIsKnownByItsNameToo(t *testing.T) {
	t.Parallel()
	s := anthropic.Codec{}.NewAssembler()
	s.Event("content_block_start", []byte(`{"index":0,"content_block":{"type":"text","text":"a"}}`))
	s.Event("message_stop", []byte(`{}`))
	if s.Response().Message.Text() != "a" || !s.Done() {
		t.Errorf("response %+v, done %v", s.Response(), s.Done())
	}
}

const answer = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
  {"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"caf\u00e9","citations":null},
  {"type":"server_tool_use","id":"s1","name":"web_search","input":{"q": "x"}},
  {"type":"tool_use","id":"t1","name":"read","input":{"path": "a"}}],
  "stop_reason":"tool_use","stop_sequence":null,
  "usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":50,
    "cache_creation":{"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":0},"output_tokens_details":{"thinking_tokens":20},"service_tier":"standard"}}`

func TestC02_ACompleteAnswerIsReadAndNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	body := []byte(answer)
	got, err := anthropic.Codec{}.ReadResponse(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body) // the caller's buffer is the caller's
	if want := (plimsoll.Usage{Input: 10, CacheCreation: 200, CacheRead: 3000, Output: 50, Reasoning: 20}); got.Usage != want || got.Usage.Total() != 3260 || !got.HasUsage {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
	want := []any{
		plimsoll.Reasoning{Text: "hm", Signature: "S"},
		plimsoll.Text{Text: "café"},
		plimsoll.Opaque{Kind: "server_tool_use", Raw: `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q": "x"}}`},
		plimsoll.ToolCall{ID: "t1", Name: "read", Arguments: `{"path": "a"}`},
	}
	if diff := cmp.Diff(want, partsOf(got.Message.Parts)); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got.Model != "claude-sonnet-4-5" || got.Stop != wire.StopTools || got.Message.Role != plimsoll.Assistant || got.Error != nil {
		t.Errorf("response %+v", got)
	}
}

func TestAnAnswerCanBeSentBack(t *testing.T) {
	t.Parallel()
	got, err := anthropic.Codec{}.ReadResponse([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	body := edited(t, `{"messages":[`+user+`]}`, func(d *plimsoll.Draft) error {
		_, err := d.Insert(1, got.Message, because)
		return err
	})
	back := decode(t, body).Conversation().Messages.At(1)
	if diff := cmp.Diff(partsOf(got.Message.Parts), partsOf(back.Parts)); diff != "" {
		t.Errorf("(-answer +request):\n%s", diff)
	}
}

func TestStopReasonsAreTranslated(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]wire.Stop{
		`"end_turn"`: wire.StopEnd, `"tool_use"`: wire.StopTools, `"max_tokens"`: wire.StopLength, `"stop_sequence"`: wire.StopSequence,
		`"pause_turn"`: wire.StopPaused, `"compaction"`: wire.StopPaused, `"refusal"`: wire.StopFiltered,
		`"model_context_window_exceeded"`: wire.StopContext, `null`: wire.StopUnknown, `"of tomorrow"`: wire.StopUnknown,
	} {
		got, err := anthropic.Codec{}.ReadResponse([]byte(`{"content":[],"stop_reason":` + reason + `}`))
		if err != nil || got.Stop != want || got.HasUsage {
			t.Errorf("%s is %q, want %q (%v, usage %v)", reason, got.Stop, want, err, got.HasUsage)
		}
	}
}

func TestErrorsInThePlaceOfAnAnswerAreRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       wire.APIError
		overflow   bool
	}{
		{
			"a full context", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 201234 tokens > 200000 maximum"},"request_id":"req_1"}`,
			wire.APIError{Type: "invalid_request_error", Message: "prompt is too long: 201234 tokens > 200000 maximum"},
			true,
		},
		{"overload", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, wire.APIError{Type: "overloaded_error", Message: "Overloaded"}, false},
		{
			"a cause by name", `{"type":"error","error":{"type":"invalid_request_error","message":"no","details":{"error_code":"thinking_mismatch"}}}`,
			wire.APIError{Type: "invalid_request_error", Code: "thinking_mismatch", Message: "no"},
			false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := anthropic.Codec{}.ReadResponse([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tt.want, got.Error); diff != "" || got.Error.Overflows() != tt.overflow {
				t.Errorf("overflow %v (-want +got):\n%s", got.Error.Overflows(), diff)
			}
		})
	}
	for _, body := range []string{``, `[]`, `{"content":[`, `{} {}`} {
		if _, err := (anthropic.Codec{}).ReadResponse([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%q: error %v", body, err)
		}
	}
}

func TestF10_ARefusalIsOneThatClientsKnow(t *testing.T) {
	t.Parallel()
	over := fmt.Errorf("%w: 210,500 of 200,000 tokens", plimsoll.ErrOverLimit)
	for _, tt := range []struct {
		name   string
		err    error
		status int
		kind   string
		begins string
	}{
		{"a conversation that does not fit", over, 400, "invalid_request_error", "prompt is too long: 210500 tokens > 200000 maximum"},
		{"one without figures", plimsoll.ErrOverLimit, 400, "invalid_request_error", "prompt is too long: "},
		{"bad input", plimsoll.ErrInvalid, 400, "invalid_request_error", "invalid input"},
		{"something that is not there", plimsoll.ErrNotFound, 404, "not_found_error", "not found"},
		{"a broken disk", errors.New("disk \"full\""), 500, "api_error", `disk "full"`},
		{"a store that is down", &plimsoll.Error{Op: "store", Code: plimsoll.CodeUnavailable}, 503, "overloaded_error", "store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, body := anthropic.Codec{}.Refusal(&plimsoll.Error{Hint: "shorten the newest message", Err: tt.err})
			var shape struct {
				Type  string
				Error struct{ Type, Message string }
			}
			if err := json.Unmarshal(body, &shape); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if status != tt.status || shape.Type != "error" || shape.Error.Type != tt.kind || !strings.HasPrefix(shape.Error.Message, tt.begins) {
				t.Errorf("status %d, body %s", status, body)
			}
			if !strings.Contains(shape.Error.Message, "shorten the newest message") {
				t.Errorf("no hint in %s", body)
			}
			if _, full := wire.FindOverflow(status, body); full != errors.Is(tt.err, plimsoll.ErrOverLimit) {
				t.Errorf("overflow %v: %s", full, body)
			}
		})
	}
}

func FuzzStream(f *testing.F) { wiretest.Answers(f, anthropic.Codec{}, answer) }
