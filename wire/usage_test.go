package wire_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

func TestC02_UsageOfEveryProviderNeverCountsTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, json string
		want       plimsoll.Usage
		total      int
	}{
		{
			"OpenAI chat counts cached tokens inside the prompt",
			`{"prompt_tokens":1200,"completion_tokens":80,"total_tokens":1280,
			  "prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},
			  "completion_tokens_details":{"reasoning_tokens":64}}`,
			plimsoll.Usage{Input: 176, CacheRead: 1024, Output: 80, Reasoning: 64},
			1280,
		},
		{
			"OpenAI chat without details",
			`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`,
			plimsoll.Usage{Input: 10, Output: 2},
			12,
		},
		{
			"DeepSeek names hits and misses",
			`{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`,
			plimsoll.Usage{Input: 36, CacheRead: 64, Output: 5},
			105,
		},
		{
			"a gateway that renders Anthropic as chat keeps cache figures inside the prompt",
			`{"prompt_tokens":1000,"completion_tokens":5,"cache_read_input_tokens":600,"cache_creation_input_tokens":300}`,
			plimsoll.Usage{Input: 100, CacheRead: 600, CacheCreation: 300, Output: 5},
			1005,
		},
		{
			"OpenAI Responses",
			`{"input_tokens":500,"input_tokens_details":{"cached_tokens":384},"output_tokens":90,
			  "output_tokens_details":{"reasoning_tokens":70},"total_tokens":590}`,
			plimsoll.Usage{Input: 116, CacheRead: 384, Output: 90, Reasoning: 70},
			590,
		},
		{
			"Anthropic counts cached tokens beside the input",
			`{"input_tokens":12,"cache_creation_input_tokens":2000,"cache_read_input_tokens":30000,"output_tokens":400,
			  "cache_creation":{"ephemeral_5m_input_tokens":2000,"ephemeral_1h_input_tokens":0},"service_tier":"standard"}`,
			plimsoll.Usage{Input: 12, CacheCreation: 2000, CacheRead: 30000, Output: 400},
			32412,
		},
		{
			"Anthropic without a cache",
			`{"input_tokens":12,"output_tokens":4}`,
			plimsoll.Usage{Input: 12, Output: 4},
			16,
		},
		{
			"Gemini counts thoughts beside the candidates",
			`{"promptTokenCount":1000,"cachedContentTokenCount":800,"candidatesTokenCount":50,"thoughtsTokenCount":150,"totalTokenCount":1200}`,
			plimsoll.Usage{Input: 200, CacheRead: 800, Output: 200, Reasoning: 150},
			1200,
		},
		{
			"Bedrock Converse",
			`{"inputTokens":10,"outputTokens":3,"cacheReadInputTokens":90,"cacheWriteInputTokens":7,"totalTokens":110}`,
			plimsoll.Usage{Input: 10, Output: 3, CacheRead: 90, CacheCreation: 7},
			110,
		},
		{
			"xAI counts reasoning beside the completion",
			`{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`,
			plimsoll.Usage{Input: 32, Output: 103, Reasoning: 94},
			135,
		},
		{
			"Charm Hyper counts cached tokens beside the prompt",
			`{"prompt_tokens":96,"completion_tokens":258,"total_tokens":482,"prompt_tokens_details":{"cached_tokens":128}}`,
			plimsoll.Usage{Input: 96, CacheRead: 128, Output: 258},
			482,
		},
		{
			"cached and written tokens beside the prompt",
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,"cache_read_input_tokens":60,"cache_creation_input_tokens":40}`,
			plimsoll.Usage{Input: 10, CacheRead: 60, CacheCreation: 40, Output: 5},
			115,
		},
		{
			"cached tokens beside the prompt and reasoning beside the completion",
			`{"prompt_tokens":96,"completion_tokens":50,"total_tokens":304,"prompt_tokens_details":{"cached_tokens":128},"completion_tokens_details":{"reasoning_tokens":30}}`,
			plimsoll.Usage{Input: 96, CacheRead: 128, Output: 80, Reasoning: 30},
			304,
		},
		{
			"as many reasoning tokens as cached ones, which the prompt can hold",
			`{"prompt_tokens":96,"completion_tokens":9,"total_tokens":169,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":64}}`,
			plimsoll.Usage{Input: 32, CacheRead: 64, Output: 73, Reasoning: 64},
			169,
		},
		{
			"more cached tokens than the prompt can hold, and as many of reasoning",
			`{"prompt_tokens":10,"completion_tokens":90,"total_tokens":164,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":64}}`,
			plimsoll.Usage{Input: 10, CacheRead: 64, Output: 90, Reasoning: 64},
			164,
		},
		{
			"a total that explains nothing changes nothing",
			`{"prompt_tokens":96,"completion_tokens":258,"total_tokens":900,"prompt_tokens_details":{"cached_tokens":64}}`,
			plimsoll.Usage{Input: 32, CacheRead: 64, Output: 258},
			354,
		},
		{
			"chat without a count of the prompt",
			`{"completion_tokens":18}`,
			plimsoll.Usage{Output: 18},
			18,
		},
		{
			"chat with a total instead of a count of the prompt",
			`{"completion_tokens":18,"total_tokens":118}`,
			plimsoll.Usage{Input: 100, Output: 18},
			118,
		},
		{
			"Gemini without a count of the prompt",
			`{"candidatesTokenCount":18,"thoughtsTokenCount":58}`,
			plimsoll.Usage{Output: 76, Reasoning: 58},
			76,
		},
		{
			"a gateway that writes figures with a point",
			`{"prompt_tokens":12.0,"completion_tokens":3e0}`,
			plimsoll.Usage{Input: 12, Output: 3},
			15,
		},
		{
			"figures beyond all bounds do not overflow",
			`{"promptTokenCount":9223372036854775807,"toolUsePromptTokenCount":9223372036854775807}`,
			plimsoll.Usage{Input: 2 << 40},
			2 << 40,
		},
		{
			"Ollama",
			`{"prompt_eval_count":26,"eval_count":298}`,
			plimsoll.Usage{Input: 26, Output: 298},
			324,
		},
		{
			"more cached than sent is cut to what was sent",
			`{"prompt_tokens":10,"completion_tokens":-1,"prompt_tokens_details":{"cached_tokens":64}}`,
			plimsoll.Usage{CacheRead: 10},
			10,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.ParseUsage([]byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if got.Total() != tt.total {
				t.Errorf("total is %d, want %d", got.Total(), tt.total)
			}
		})
	}
}

func TestC02_WhatIsNoUsageIsAnError(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{}`, `[]`, `null`, `{"prompt_tokens":"many"}`, `{`} {
		if _, err := wire.ParseUsage([]byte(in)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("ParseUsage(%s) = %v, want invalid input", in, err)
		}
	}
}

func FuzzParseUsage(f *testing.F) {
	f.Add([]byte(`{"prompt_tokens":1200,"completion_tokens":80,"prompt_tokens_details":{"cached_tokens":1024}}`))
	f.Add([]byte(`{"input_tokens":12,"cache_creation_input_tokens":2000,"output_tokens":400}`))
	f.Add([]byte(`{"promptTokenCount":1000,"cachedContentTokenCount":8000,"thoughtsTokenCount":-4}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := wire.ParseUsage(data)
		if err != nil {
			return
		}
		for _, n := range []int{u.Input, u.Output, u.CacheCreation, u.CacheRead, u.Reasoning} {
			if n < 0 {
				t.Fatalf("%s gives a negative figure: %+v", data, u)
			}
		}
	})
}
