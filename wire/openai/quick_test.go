package openai

import (
	"reflect"
	"testing"
)

var usualAnswers = []string{
	`{"id":"c1","object":"chat.completion","created":1,"model":"gpt-5.2","choices":[{"index":0,"message":{"role":"assistant","content":"Yes.\n\"So\" \u00e9\ud83d\ude00","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
	`{"model":"m","choices":[{"index":0,"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},{"index":1,"id":"b","custom":{"name":"sh","input":"ls"}}]},"finish_reason":"tool_calls"}]}`,
	`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":{"path":1}}}]},"finish_reason":null}],"usage":null}`,
	`{"choices":[{"index":1,"delta":{"content":"x","reasoning_content":"hm","reasoning":"hm"}}],"service_tier":"default"}`,
	`{"choices":[{"delta":null,"message":{"function_call":{"name":"f","arguments":"{}"}}}]}`,
	`{"error":{"message":"no"}}`,
	` {"choices":[],"usage":{"prompt_tokens":1}} `,
	`{"choices":null,"model":null}`,
}

func TestAnswersOfTheUsualFormAreReadQuickly(t *testing.T) {
	for _, body := range usualAnswers {
		got, ok := quick([]byte(body))
		want, err := readAny([]byte(body))
		if !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; by reflection it is %+v, %v", body, got, ok, want, err)
		}
	}
}

func TestAnswersOfAnotherFormAreLeftToReflection(t *testing.T) {
	for name, body := range map[string]string{
		"a list of parts":            `{"choices":[{"index":0,"message":{"content":[{"type":"text","text":"x"}]}}]}`,
		"a number for a name":        `{"model":7}`,
		"a name twice":               `{"model":"a","model":"b"}`,
		"a name in other letters":    `{"Model":"a"}`,
		"a name that folds":          "{\"u\u017fage\":{}}",
		"a name with an escape":      `{"mod\u0065l":"a"}`,
		"a text that is not UTF-8":   "{\"model\":\"\xff\"}",
		"an index with a fraction":   `{"choices":[{"index":0.0}]}`,
		"null for a choice":          `{"choices":[null]}`,
		"a text for the choices":     `{"choices":"none"}`,
		"a list in place of it all":  `[]`,
		"something behind it":        `{"model":"a"} {}`,
		"a text that does not end":   `{"model":"a`,
		"a text for what was called": `{"choices":[{"message":{"tool_calls":[{"function":"read"}]}}]}`,
	} {
		if a, ok := quick([]byte(body)); ok {
			t.Errorf("%s: %s was read as %+v", name, body, a)
		}
	}
}

// FuzzQuick holds the quick way of reading answers against the thorough one.
func FuzzQuick(f *testing.F) {
	for _, body := range usualAnswers {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, ok := quick(body)
		if !ok {
			return
		}
		if want, err := readAny(body); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, by reflection it is %+v, %v", got, want, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	body := []byte(usualAnswers[0])
	for name, read := range map[string]func([]byte) (answer, error){"read": read, "reflection": readAny} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
