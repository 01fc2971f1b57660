package openai_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, openai.Codec{})
}

func TestC02_ACompleteAnswerIsRead(t *testing.T) {
	t.Parallel()
	got, err := openai.Codec{}.ReadResponse([]byte(`{"id":"x","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"hi",
	  "tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
	  "usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":64}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := plimsoll.Usage{Input: 36, CacheRead: 64, Output: 7}
	if got.Usage != want || got.Usage.Total() != 107 || got.Stop != wire.StopTools || got.Message.Text() == "" {
		t.Errorf("response %+v", got)
	}
	if !plimsoll.Has[plimsoll.ToolCall](got.Message) {
		t.Error("the call is missing")
	}
}

func TestOddAnswersAreReadAsFarAsTheyGo(t *testing.T) {
	t.Parallel()
	const usage = `,"usage":{"prompt_tokens":100,"completion_tokens":7}}`
	for _, tt := range []struct {
		name, message string
		want          []plimsoll.Part
	}{
		{"content in a list", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, []plimsoll.Part{plimsoll.Text{Text: "ab"}}},
		{"content that is an object", `{"content":{"x":1},"reasoning":"hm"}`, []plimsoll.Part{plimsoll.Reasoning{Text: "hm"}}},
		{"calls that are no list", `{"content":"a","tool_calls":"none"}`, []plimsoll.Part{plimsoll.Text{Text: "a"}}},
		{"a custom call", `{"tool_calls":[{"id":"1","type":"custom","custom":{"name":"patch","input":"x"}}]}`, []plimsoll.Part{plimsoll.ToolCall{ID: "1", Name: "patch", Arguments: "x"}}},
		{"calls without ids", `{"tool_calls":[{"function":{"name":"f","arguments":"1"}},{"function":{"name":"f","arguments":"2"}}]}`, []plimsoll.Part{plimsoll.ToolCall{Name: "f", Arguments: "1"}, plimsoll.ToolCall{Name: "f", Arguments: "2"}}},
		{"calls that share an id", `{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"1"}},{"id":"1","function":{"name":"g","arguments":"2"}}]}`, []plimsoll.Part{plimsoll.ToolCall{ID: "1", Name: "f", Arguments: "1"}, plimsoll.ToolCall{ID: "1", Name: "g", Arguments: "2"}}},
		{"a call whose arguments are null", `{"tool_calls":[{"id":"1","function":{"name":"f","arguments":null}}]}`, []plimsoll.Part{plimsoll.ToolCall{ID: "1", Name: "f"}}},
		{"the call of older servers", `{"content":null,"function_call":{"name":"old","arguments":"{}"}}`, []plimsoll.Part{plimsoll.ToolCall{Name: "old", Arguments: "{}"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := openai.Codec{}.ReadResponse([]byte(`{"choices":[{"index":0,"message":` + tt.message + `}]` + usage))
			if err != nil || got.Usage != (plimsoll.Usage{Input: 100, Output: 7}) {
				t.Errorf("usage %+v, %v", got.Usage, err)
			}
			if diff := cmp.Diff(tt.want, got.Message.Parts.Slice()); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAnswerThatIsNoObjectIsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `"hi"`, ``, `{"choices":[`} {
		if _, err := (openai.Codec{}).ReadResponse([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

// What a stream allocates grows with its length; to join strings would take some
// two thousand times as much.
func TestALongCallIsPutTogetherInLinearSpace(t *testing.T) {
	const deltas, size = 4_000, 100
	chunk := []byte(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"` + strings.Repeat("x", size) + `"}}]}}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := openai.Codec{}.NewAssembler()
	for range deltas {
		s.Event("", chunk)
	}
	call := s.Response().Message.Parts.At(0).(plimsoll.ToolCall)
	runtime.ReadMemStats(&after)
	if len(call.Arguments) != deltas*size {
		t.Errorf("%d bytes of arguments", len(call.Arguments))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 200*deltas*size {
		t.Errorf("%d bytes allocated for %d", used, deltas*size)
	}
}

func TestF10_ARefusalIsOneThatSDKsKnow(t *testing.T) {
	t.Parallel()
	over := &plimsoll.Error{Op: "fit", Hint: "shorten the newest message", Err: plimsoll.ErrOverLimit}
	status, body := openai.Codec{}.Refusal(over)
	if o, ok := wire.FindOverflow(status, body); status != 400 || !ok || !strings.Contains(o.Message, "shorten") {
		t.Errorf("status %d, body %s", status, body)
	}
	var shape struct {
		Error struct{ Message, Type, Param, Code string }
	}
	if err := json.Unmarshal(body, &shape); err != nil || shape.Error.Code != "context_length_exceeded" || shape.Error.Type != "invalid_request_error" {
		t.Errorf("shape %+v, %v", shape, err)
	}
	status, body = openai.Codec{}.Refusal(errors.New("disk full"))
	if _, ok := wire.FindOverflow(status, body); status != 500 || ok {
		t.Errorf("another error becomes %d %s", status, body)
	}
}

func FuzzStream(f *testing.F) { wiretest.Answers(f, openai.Codec{}) }
