package answer

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// blanks is a body of blanks.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestAnAnswerThatIsTooLongIsNotHeld(t *testing.T) {
	t.Parallel()
	b := &bounded{}
	// io.Copy calls ReadFrom if there is one.
	if n, err := io.Copy(b, io.LimitReader(blanks{}, maxWatched+1)); n != maxWatched+1 || err != nil {
		t.Fatal(n, err)
	}
	if !b.cut || b.held != nil {
		t.Errorf("%d bytes are held", len(b.held))
	}
}

func TestOfALongStreamOnlyTheBillIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the tide turns ", 100)
	for dialect, s := range map[plimsoll.Dialect]struct{ head, event, tail string }{
		plimsoll.OpenAI: {
			`{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
			`{"id":"1","choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`,
			`{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":22}}`,
		},
		plimsoll.Anthropic: {
			`{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":11,"output_tokens":1}}}` + "\n" + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":22}}`,
		},
		plimsoll.Gemini: {
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}],"modelVersion":"m"}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"` + text + `"}]}}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"z"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":22}}`,
		},
		plimsoll.Converse: {
			`{"role":"assistant"}`,
			`{"contentBlockIndex":0,"delta":{"text":"` + text + `"}}`,
			`{"usage":{"inputTokens":11,"outputTokens":22}}`,
		},
	} {
		for _, pieces := range []int{10, 20 << 20 / len(text)} {
			a := &streamed{codec: dialects.Codec(dialect), Assembler: dialects.Codec(dialect).NewAssembler(), look: lookEvery}
			take := func(data string) { a.Event("", []byte(data)) }
			for event := range strings.SplitSeq(s.head, "\n") {
				take(event)
			}
			most := 0
			for i := range pieces {
				if take(s.event); i%100 == 0 {
					most = max(most, sizeOf(a.Response().Message))
				}
			}
			take(s.tail)
			r, long := a.Response(), pieces > 10
			told := fmt.Sprintf("%s, %d pieces: most %d, cut %t, %+v", dialect, pieces, most, a.cut, r.Usage)
			if most > 2*maxSaid+lookEvery+2*len(text) || a.cut != long {
				t.Error(told)
			}
			if long && sizeOf(r.Message) > 2*lookEvery {
				t.Errorf("%s: %d bytes are kept at the end", told, sizeOf(r.Message))
			}
			if r.Usage.Prompt() != 11 || r.Usage.Output != 22 {
				t.Error(told)
			}
		}
	}
}
