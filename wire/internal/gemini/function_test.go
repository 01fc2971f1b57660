package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

func TestAFunctionResponseSaysItsOneText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, response, want string }{
		{"under Google's name", `{"output":"a\nb"}`, "a\nb"},
		{"under any other", `{"result":"a\nb"}`, "a\nb"},
		{"beside the function's name, as the AI SDK sends it", `{"name":"f","content":"a\nb"}`, "a\nb"},
		{"several are an object", `{"title":"a\nb","body":"c"}`, `{"title":"a\nb","body":"c"}`},
		{"so is what is no text", `{"name":"f","content":["a"]}`, `{"name":"f","content":["a"]}`},
		{"and a name alone", `{"name":"a\nb"}`, `{"name":"a\nb"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := gemini.Codec{}.Decode([]byte(`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":` + tt.response + `}}]}]}`))
			if err != nil {
				t.Fatal(err)
			}
			result := r.Conversation().Messages.At(0).Parts.At(0).(plimsoll.ToolResult)
			if got := plimsoll.TextOf(result.Content); got != tt.want {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}
