package openai_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/openai"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, "testdata/streams.txtar", func(lines []string) wire.Assembler {
		s := openai.Codec{}.NewAssembler()
		for _, line := range lines {
			s.Event("", []byte(line))
		}
		return s
	})
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

func FuzzStream(f *testing.F) {
	data, err := os.ReadFile("testdata/streams.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := openai.Codec{}.NewAssembler()
		for line := range strings.Lines(string(data)) {
			s.Event("", []byte(strings.TrimSpace(line)))
		}
		r := s.Response()
		if r.HasUsage && r.Usage.Total() < 0 {
			t.Errorf("usage %+v", r.Usage)
		}
		_, _ = openai.Codec{}.ReadResponse(data)
	})
}
