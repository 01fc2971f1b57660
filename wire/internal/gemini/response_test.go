package gemini_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, gemini.Codec{})
}

const complete = `{"candidates":[{"content":{"role":"model","parts":[
    {"thought":true,"text":"hm","thoughtSignature":"c2ln"},{"text":"a"},{"text":"b"},{"functionCall":{"id":"1","name":"f","args":{"x": 1.0}},"thoughtSignature":"y"}]},
    "finishReason":"STOP","index":0},{"index":1,"content":{"parts":[{"text":"other"}]},"finishReason":"SAFETY"}],
  "usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":64,"candidatesTokenCount":7,"thoughtsTokenCount":20,"toolUsePromptTokenCount":3,"totalTokenCount":130},
  "modelVersion":"gemini-2.5-pro"}`

func TestC02_ACompleteAnswerIsRead(t *testing.T) {
	t.Parallel()
	got, err := gemini.Codec{}.ReadResponse([]byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	if want := (plimsoll.Usage{Input: 39, CacheRead: 64, Output: 27, Reasoning: 20}); got.Usage != want || got.Usage.Total() != 130 {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
	if got.Stop != wire.StopTools || got.Model != "gemini-2.5-pro" || got.Error != nil {
		t.Errorf("response %+v", got)
	}
	want := []plimsoll.Part{
		plimsoll.Reasoning{Text: "hm", Signature: "c2ln"},
		plimsoll.Text{Text: "a"},
		plimsoll.Text{Text: "b"},
		plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `{"x": 1.0}`, Signature: "y"},
	}
	if diff := cmp.Diff(want, flat(got.Message)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnAnswerReadsAsItStandsInTheNextRequest(t *testing.T) {
	t.Parallel()
	got, err := gemini.Codec{}.ReadResponse([]byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Candidates []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal([]byte(complete), &answer); err != nil {
		t.Fatal(err)
	}
	next := decode(t, `{"contents":[`+string(answer.Candidates[0].Content)+`]}`).Conversation().Messages.At(0)
	if diff := cmp.Diff(flat(next), flat(got.Message)); diff != "" || got.Message.Role != next.Role {
		t.Errorf("(-next request +answer):\n%s", diff)
	}
}

func TestC02_AListIsReadAsTheStreamThatItIs(t *testing.T) {
	t.Parallel()
	got, err := gemini.Codec{}.ReadResponse([]byte(` [{"candidates":[{"content":{"role":"model","parts":[{"text":"The "}]}}],"usageMetadata":{"promptTokenCount":10,"totalTokenCount":10}},
	  {"candidates":[{"content":{"parts":[{"text":"line"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12}}]`))
	if err != nil || got.Message.Text() != "The line" || got.Stop != wire.StopLength || got.Usage.Total() != 12 {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestErrorsInAnswersAreRead(t *testing.T) {
	t.Parallel()
	const over = `{"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`
	for _, tt := range []struct {
		name, body string
		overflows  bool
	}{
		{"an overflow", over, true},
		{"an overflow in a list, as streams have it", `[` + over + `]`, true},
		{"something else", `{"error":{"code":400,"message":"Please use a valid role: user, model.","status":"INVALID_ARGUMENT"}}`, false},
	} {
		got, err := gemini.Codec{}.ReadResponse([]byte(tt.body))
		if err != nil || got.Error == nil || got.Error.Status != 400 || got.Error.Type != "INVALID_ARGUMENT" || got.Error.Overflows() != tt.overflows {
			t.Errorf("%s: %v, %+v", tt.name, err, got.Error)
		}
	}
	for _, body := range []string{``, `{"candidates":`, `{"candidates":7}`, `[1]`} {
		if _, err := (gemini.Codec{}).ReadResponse([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%q: error %v", body, err)
		}
	}
}

func TestReasonsToStopAreTranslated(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]wire.Stop{
		"STOP": wire.StopEnd, "MAX_TOKENS": wire.StopLength, "SAFETY": wire.StopFiltered, "PROHIBITED_CONTENT": wire.StopFiltered,
		"RECITATION": wire.StopFiltered, "SPII": wire.StopFiltered, "BLOCKLIST": wire.StopFiltered, "IMAGE_SAFETY": wire.StopFiltered,
		"MALFORMED_FUNCTION_CALL": wire.StopUnknown, "OTHER": wire.StopUnknown,
	} {
		got, err := gemini.Codec{}.ReadResponse([]byte(`{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"` + reason + `"}]}`))
		if err != nil || got.Stop != want {
			t.Errorf("%s: %q, want %q; %v", reason, got.Stop, want, err)
		}
	}
}

func TestF10_ARefusalIsOneThatSDKsKnow(t *testing.T) {
	t.Parallel()
	over := &plimsoll.Error{Op: "fit", Hint: "shorten the newest message", Err: plimsoll.ErrOverLimit}
	for _, tt := range []struct {
		name   string
		err    error
		status int
		known  string
	}{
		{"an overflow", over, 400, "INVALID_ARGUMENT"},
		{"bad input", plimsoll.ErrInvalid, 400, "INVALID_ARGUMENT"},
		{"something missing", plimsoll.ErrNotFound, 404, "NOT_FOUND"},
		{"a store that is down", &plimsoll.Error{Code: plimsoll.CodeUnavailable, Err: errors.New("down")}, 503, "UNAVAILABLE"},
		{"anything else", errors.New("disk full"), 500, "INTERNAL"},
	} {
		status, body := gemini.Codec{}.Refusal(tt.err)
		var shape struct {
			Error struct {
				Code            int
				Message, Status string
			}
		}
		if err := json.Unmarshal(body, &shape); err != nil || status != tt.status || shape.Error.Code != tt.status || shape.Error.Status != tt.known {
			t.Errorf("%s: %v, status %d, body %s", tt.name, err, status, body)
		}
		if _, ok := wire.FindOverflow(status, body); ok != (tt.err == over) {
			t.Errorf("%s: overflow %v: %s", tt.name, ok, body)
		}
	}
	_, body := gemini.Codec{}.Refusal(over)
	for _, words := range []string{"The input token count", "exceeds the maximum number of tokens allowed", "shorten the newest message"} {
		if !strings.Contains(string(body), words) {
			t.Errorf("%q is missing in %s", words, body)
		}
	}
}

func FuzzStream(f *testing.F) { wiretest.Answers(f, gemini.Codec{}, complete) }
