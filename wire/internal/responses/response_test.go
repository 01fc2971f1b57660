package responses_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, responses.Codec{})
}

func TestTheNameOfAnEventStandsInForItsType(t *testing.T) {
	t.Parallel()
	s := responses.Codec{}.NewAssembler()
	s.Event("response.output_text.delta", []byte(`{"output_index":0,"delta":"hi"}`))
	s.Event("error", []byte(`{"message":"Your input exceeds the context window of this model."}`))
	if r := s.Response(); r.Message.Text() != "hi" || r.Error == nil || !r.Error.Overflows() || !s.Done() {
		t.Errorf("%+v", r)
	}
}

func TestAStreamCannotMakeUsKeepMoreThanItSends(t *testing.T) {
	t.Parallel()
	s := responses.Codec{}.NewAssembler()
	for _, index := range []string{"-1", "9223372036854775807", "1e99"} {
		s.Event("", []byte(`{"type":"response.output_text.delta","delta":"x","output_index":`+index+`}`))
	}
	if got := s.Response().Message.Parts.Len(); got != 2 {
		t.Errorf("%d parts", got)
	}
}

func TestC02_ACompleteAnswerIsRead(t *testing.T) {
	t.Parallel()
	got, err := responses.Codec{}.ReadResponse([]byte(`{"id":"resp_1","object":"response","status":"completed","model":"gpt-5","error":null,"incomplete_details":null,
	  "output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAA"},
	    {"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}]},
	    {"id":"ws_1","type":"web_search_call","status":"completed"},
	    {"id":"fc_1","type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}],
	  "usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":64,"cache_write_tokens":6},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":107}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := plimsoll.Usage{Input: 30, CacheRead: 64, CacheCreation: 6, Output: 7, Reasoning: 5}
	if !got.HasUsage || got.Usage != want || got.Usage.Total() != 107 {
		t.Errorf("usage %+v, total %d", got.Usage, got.Usage.Total())
	}
	said := `assistant: reasoning "hm" "gAAA" redacted false, text hi, opaque web_search_call, call c f({"a":1})`
	if describe(got.Message) != said || got.Stop != wire.StopTools || got.Model != "gpt-5" || got.Error != nil {
		t.Errorf("%s, stop %q, model %q, error %v", describe(got.Message), got.Stop, got.Model, got.Error)
	}
}

func TestC02_UsageOfAStreamCountsOnce(t *testing.T) {
	t.Parallel()
	usage := `"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":3}`
	r := wiretest.Assemble(responses.Codec{}, []string{
		`{"type":"response.in_progress","response":{"status":"in_progress",` + usage + `}}`,
		`{"type":"response.completed","response":{"status":"completed",` + usage + `}}`,
	}).Response()
	if want := (plimsoll.Usage{Input: 6, CacheRead: 4, Output: 3}); r.Usage != want {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestAnswersThatAreErrorsAreRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       wire.APIError
	}{
		{
			"a refused request", `{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item.","type":"invalid_request_error","param":"input","code":null}}`,
			wire.APIError{Type: "invalid_request_error", Message: "Item 'rs_1' of type 'reasoning' was provided without its required following item."},
		},
		{"a failed answer", `{"status":"failed","error":{"code":"server_error","message":"no"},"output":[]}`, wire.APIError{Code: "server_error", Message: "no"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := responses.Codec{}.ReadResponse([]byte(tt.body))
			if err != nil || r.Error == nil {
				t.Fatalf("%+v, %v", r, err)
			}
			if diff := cmp.Diff(tt.want, *r.Error); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, body := range []string{``, `[]`, `{"output":[`, `{"output":[7]}`, `<html>`} {
		if _, err := (responses.Codec{}).ReadResponse([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

var tooLong = &plimsoll.Error{Op: "fit", Hint: "shorten the newest message", Err: plimsoll.ErrOverLimit}

func TestF10_ARefusalIsOneThatSDKsKnow(t *testing.T) {
	t.Parallel()
	status, body := responses.Codec{}.Refusal(tooLong)
	if o, ok := wire.FindOverflow(status, body); status != 400 || !ok || !strings.Contains(o.Message, "shorten") {
		t.Errorf("status %d, body %s", status, body)
	}
	var shape struct {
		Error struct{ Message, Type, Param, Code string }
	}
	if err := json.Unmarshal(body, &shape); err != nil || shape.Error.Code != "context_length_exceeded" || shape.Error.Type != "invalid_request_error" || shape.Error.Param != "input" {
		t.Errorf("shape %+v, %v", shape, err)
	}
	status, body = responses.Codec{}.Refusal(errors.New("disk full"))
	if _, ok := wire.FindOverflow(status, body); status != 500 || ok || !strings.Contains(string(body), "server_error") {
		t.Errorf("another error becomes %d %s", status, body)
	}
}

func FuzzStream(f *testing.F) { wiretest.Answers(f, responses.Codec{}) }
