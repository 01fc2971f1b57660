package converse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/converse"
)

func TestStreamedAnswersArePutTogether(t *testing.T) {
	t.Parallel()
	wiretest.Streams(t, converse.Codec{})
}

const answer = `{"metrics":{"latencyMs":9},"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"S"}}},
  {"text":"caf\u00e9"},{"citationsContent":{"content":[]}},{"toolUse":{"toolUseId":"t1","name":"read","input":{"path": "a"}}}]}},
  "stopReason":"tool_use","usage":{"inputTokens":10,"cacheWriteInputTokens":200,"cacheReadInputTokens":3000,"outputTokens":50,"totalTokens":3260}}`

func TestACompleteAnswerIsRead(t *testing.T) {
	t.Parallel()
	body := []byte(answer)
	got, err := converse.Codec{}.ReadResponse(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body) // the caller's buffer is the caller's
	if want := (plimsoll.Usage{Input: 10, CacheCreation: 200, CacheRead: 3000, Output: 50}); got.Usage != want || !got.HasUsage || got.Stop != wire.StopTools {
		t.Errorf("usage %+v, want %+v, stop %q", got.Usage, want, got.Stop)
	}
	want := []any{
		plimsoll.Reasoning{Text: "hm", Signature: "S"},
		plimsoll.Text{Text: "café"},
		plimsoll.Opaque{Kind: "citationsContent", Raw: `{"citationsContent":{"content":[]}}`},
		plimsoll.ToolCall{ID: "t1", Name: "read", Arguments: `{"path": "a"}`},
	}
	var parts []any
	for _, p := range got.Message.Parts.All() {
		parts = append(parts, p)
	}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnswersThatAreNoneAreErrors(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `[]`, `{`, `{"output":`} {
		if _, err := (converse.Codec{}).ReadResponse([]byte(body)); err == nil {
			t.Errorf("%q was read", body)
		}
	}
	got, err := converse.Codec{}.ReadResponse([]byte(`{"message":"Input is too long for requested model."}`))
	if err != nil || got.Error == nil || !got.Error.Overflows() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestF10_ARefusalHasTheWordsByWhichAgentsKnowAnOverflow(t *testing.T) {
	t.Parallel()
	status, body := converse.Codec{}.Refusal(fmt.Errorf("fit: %w", plimsoll.ErrOverLimit))
	got, err := converse.Codec{}.ReadResponse(body)
	if err != nil || status != 400 || got.Error.Type != "ValidationException" || !strings.HasPrefix(got.Error.Message, "Input is too long for requested model.") {
		t.Errorf("%d %s, %v", status, body, err)
	}
	if _, full := wire.FindOverflow(status, body); !full {
		t.Errorf("%s is not known as an overflow", body)
	}
}

func FuzzStream(f *testing.F) {
	wiretest.Answers(f, converse.Codec{}, answer,
		`{"contentBlockIndex":0,"delta":{"text":"a"}}`, `{"contentBlockIndex":"x","start":{"toolUse":{"name":"f"}}}`, `{"usage":{"inputTokens":1e99},"stopReason":7}`)
}
