package ollama_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, ollama.Codec{})
}

func TestC02_ACompleteAnswerIsRead(t *testing.T) {
	t.Parallel()
	got, err := ollama.Codec{}.ReadResponse([]byte(`{"model":"qwen3:8b","created_at":"2026-11-16T12:00:00Z","message":{"role":"assistant","content":"hi",
	  "thinking":"hm","tool_calls":[{"id":"call_1","function":{"index":0,"name":"f","arguments":{"b":1,"a":2}}}]},
	  "done":true,"done_reason":"stop","total_duration":5,"prompt_eval_count":100,"eval_count":7}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []plimsoll.Part{
		plimsoll.Reasoning{Text: "hm"},
		plimsoll.Text{Text: "hi"},
		plimsoll.ToolCall{ID: "call_1", Name: "f", Arguments: `{"b":1,"a":2}`},
	}
	if diff := cmp.Diff(want, got.Message.Parts.Slice()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got.Usage != (plimsoll.Usage{Input: 100, Output: 7}) || !got.HasUsage || got.Stop != wire.StopTools || got.Model != "qwen3:8b" {
		t.Errorf("response %+v", got)
	}
}

func TestAnAnswerToARequestWithoutMessagesSaysNothing(t *testing.T) {
	t.Parallel()
	got, err := ollama.Codec{}.ReadResponse([]byte(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`))
	if err != nil || got.HasUsage || got.Message.Parts.Len() > 0 || got.Stop != wire.StopEnd {
		t.Errorf("response %+v, %v", got, err)
	}
}

func TestAnAnswerThatIsNoObjectIsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `"hi"`, ``, `{"message":{`} {
		if _, err := (ollama.Codec{}).ReadResponse([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

func TestF10_ARefusalIsOneThatClientsKnow(t *testing.T) {
	t.Parallel()
	over := &plimsoll.Error{Op: "fit", Hint: "shorten the newest message", Err: plimsoll.ErrOverLimit}
	status, body := ollama.Codec{}.Refusal(over)
	if o, ok := wire.FindOverflow(status, body); status != 400 || !ok || !strings.Contains(o.Message, "shorten") {
		t.Errorf("status %d, body %s", status, body)
	}
	var shape struct{ Error string }
	if err := json.Unmarshal(body, &shape); err != nil || shape.Error == "" {
		t.Errorf("shape %+v, %v", shape, err)
	}
	status, body = ollama.Codec{}.Refusal(errors.New("disk full"))
	if _, ok := wire.FindOverflow(status, body); status != 500 || ok {
		t.Errorf("another error becomes %d %s", status, body)
	}
}

// The words of Ollama for a request that forbids it to cut the conversation.
func TestF10_AFullContextIsToldFromOtherErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length": true,
		"the input length exceeds the context length":                            true,
		"model 'llama9' not found":                                               false,
		`"smollm2" does not support tools`:                                       false,
		"invalid format: \"x\"; expected \"json\" or a valid JSON Schema object": false,
	} {
		body, err := json.Marshal(map[string]string{"error": text})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := wire.FindOverflow(400, body); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func FuzzStream(f *testing.F) { wiretest.Answers(f, ollama.Codec{}) }
