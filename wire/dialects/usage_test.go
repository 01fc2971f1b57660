package dialects_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestC02_UsageIsWhatWasBilledWithItsCachedTokens reads one answer, 10 tokens in of
// which 4 were cached, 2 out, as each provider writes it down: complete, and as the
// last event of a stream. Clients add the figures up and compact by the sum, so
// ours must come to the same.
func TestC02_UsageIsWhatWasBilledWithItsCachedTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect plimsoll.Dialect
		answer  string
		events  []string
	}{
		{
			plimsoll.OpenAI,
			`{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":USAGE}`,
			[]string{`{"choices":[],"usage":USAGE}`, `[DONE]`},
		},
		{
			plimsoll.Responses,
			`{"status":"completed","output":[],"usage":USAGE}`,
			[]string{`{"type":"response.completed","response":{"status":"completed","output":[],"usage":USAGE}}`},
		},
		{
			plimsoll.Anthropic,
			`{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn","usage":USAGE}`,
			// The figures of the start hold until the end says otherwise.
			[]string{`{"type":"message_start","message":{"content":[],"usage":USAGE}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`, `{"type":"message_stop"}`},
		},
		{
			plimsoll.Gemini,
			`{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}],"usageMetadata":USAGE}`,
			[]string{`{"usageMetadata":{"promptTokenCount":10}}`, `{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}],"usageMetadata":USAGE}`},
		},
	} {
		t.Run(string(tt.dialect), func(t *testing.T) {
			t.Parallel()
			billed := map[plimsoll.Dialect]string{
				plimsoll.OpenAI:    `{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4}}`,
				plimsoll.Responses: `{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":2,"total_tokens":12}`,
				plimsoll.Anthropic: `{"input_tokens":6,"cache_read_input_tokens":4,"cache_creation_input_tokens":0,"output_tokens":2}`,
				plimsoll.Gemini:    `{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":12}`,
			}[tt.dialect]
			codec, want := dialects.Codec(tt.dialect), plimsoll.Usage{Input: 6, CacheRead: 4, Output: 2}
			for i := range tt.events {
				tt.events[i] = strings.Replace(tt.events[i], "USAGE", billed, 1)
			}
			if got := wiretest.Assemble(codec, tt.events).Response(); !got.HasUsage || got.Usage != want || got.Usage.Total() != 12 {
				t.Errorf("streamed: %+v, in all %d", got.Usage, got.Usage.Total())
			}
			body := strings.Replace(tt.answer, "USAGE", billed, 1)
			read := []byte(body)
			got, err := codec.ReadResponse(read)
			if err != nil || !got.HasUsage || got.Usage != want || got.Usage.Total() != 12 {
				t.Errorf("complete: %+v, in all %d, %v", got.Usage, got.Usage.Total(), err)
			}
			if string(read) != body {
				t.Errorf("the answer that the client gets was changed: %s", read)
			}
		})
	}
}
