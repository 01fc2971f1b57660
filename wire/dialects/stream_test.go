package dialects_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// streams are short answers as each provider frames them: Gemini ends events with
// CRLF CRLF, Chat Completions ends with [DONE] and a usage chunk without choices,
// Anthropic pings, Responses names its events, Ollama has lines instead of events.
var streams = map[plimsoll.Dialect]struct{ raw, want string }{
	plimsoll.OpenAI: {
		": keep-alive\n\n" +
			"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"満載\"}}]}\n\n" +
			"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
			"data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n" +
			"data: [DONE]\n\n",
		"model m\ntext \"満載\"\nstop end\nusage input 6 output 2 cache_creation 0 cache_read 4 reasoning 0\ndone true\n",
	},
	plimsoll.Anthropic: {
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"c\",\"content\":[],\"usage\":{\"input_tokens\":6,\"cache_read_input_tokens\":4,\"cache_creation_input_tokens\":1,\"output_tokens\":1}}}\n\n" +
			"event: ping\ndata: {\"type\": \"ping\"}\n\n" +
			"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"満載\"}}\n\n" +
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		"model c\ntext \"満載\"\nstop end\nusage input 6 output 2 cache_creation 1 cache_read 4 reasoning 0\ndone true\n",
	},
	plimsoll.Gemini: {
		"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"満\"}]}}],\"modelVersion\":\"g\"}\r\n\r\n" +
			"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"載\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":10,\"cachedContentTokenCount\":4,\"candidatesTokenCount\":2},\"modelVersion\":\"g\"}\r\n\r\n",
		"model g\ntext \"満載\"\nstop end\nusage input 6 output 2 cache_creation 0 cache_read 4 reasoning 0\ndone true\n",
	},
	plimsoll.Ollama: {
		"{\"model\":\"o\",\"message\":{\"role\":\"assistant\",\"content\":\"満\"},\"done\":false}\n" +
			"{\"model\":\"o\",\"message\":{\"role\":\"assistant\",\"content\":\"載\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":6,\"eval_count\":2}\n",
		"model o\ntext \"満載\"\nstop end\nusage input 6 output 2 cache_creation 0 cache_read 0 reasoning 0\ndone true\n",
	},
	plimsoll.Responses: {
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\",\"status\":\"in_progress\",\"output\":[]}}\n\n" +
			"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"満載\"}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"model\":\"m\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"msg\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"満載\"}]}],\"usage\":{\"input_tokens\":10,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0}}}}\n\n",
		"model m\ntext \"満載\"\nstop end\nusage input 6 output 2 cache_creation 0 cache_read 4 reasoning 0\ndone true\n",
	},
}

// TestC02_AStreamSaysTheSameHoweverItIsCut forwards each stream in pieces of every
// kind, as a network delivers them, reads it on the side, and compares both the
// bytes and what was understood.
func TestC02_AStreamSaysTheSameHoweverItIsCut(t *testing.T) {
	t.Parallel()
	for dialect, stream := range streams {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			for seed := range 300 {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				assembler := dialects.Codec(dialect).NewAssembler()
				var forwarded strings.Builder
				framing := sse.Events
				if dialect == plimsoll.Ollama {
					framing = sse.Lines
				}
				splitter := framing.Splitter(func(e sse.Event, err error) {
					if err != nil {
						t.Fatal(err)
					}
					forwarded.Write(e.Raw)
					if e.HasData() {
						assembler.Event(e.Name, e.Data)
					}
				}, nil)
				for rest := []byte(stream.raw); len(rest) > 0; {
					n := min(len(rest), 1+r.IntN(1+seed))
					if _, err := splitter.Write(rest[:n]); err != nil {
						t.Fatal(err)
					}
					rest = rest[n:]
				}
				if err := splitter.Close(); err != nil {
					t.Fatal(err)
				}
				if forwarded.String() != stream.raw {
					t.Fatalf("seed %d: the bytes changed", seed)
				}
				if diff := cmp.Diff(stream.want, wiretest.Describe(assembler)); diff != "" {
					t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
				}
			}
		})
	}
}
