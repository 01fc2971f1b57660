package gemini_test

import (
	"cmp"
	"strings"
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

func TestEachResponseAnswersACallOfTheContentsBeforeIt(t *testing.T) {
	t.Parallel()
	const f, g = `{"functionCall":{"name":"f","id":"1"}}`, `{"functionCall":{"name":"g"}}`
	for _, tt := range []struct{ name, contents, want string }{
		{"by name", `{"role":"model","parts":[` + f + `,` + g + `]},{"parts":[{"functionResponse":{"name":"g"}},{"functionResponse":{"name":"f"}}]}`, "g f"},
		{"by id", `{"role":"model","parts":[` + f + `,` + g + `]},{"parts":[{"functionResponse":{"name":"g","id":"1"}},{"functionResponse":{"name":"g"}}]}`, "f g"},
		{"by place if it names the id of a call", `{"role":"model","parts":[` + f + `,` + g + `]},{"parts":[{"functionResponse":{"name":"x"}},{"functionResponse":{"name":"y"}}]}`, "f g"},
		{"by place if its id is another's", `{"role":"model","parts":[` + g + `]},{"parts":[{"functionResponse":{"name":"x","id":"9"}}]}`, "g"},
		{"whose role comes after its parts", `{"parts":[` + g + `],"role":"model"},{"parts":[{"functionResponse":{"name":"x"}}],"role":"user"}`, "g"},
		{"in the next round", `{"role":"model","parts":[` + f + `]},{"parts":[{"text":"no"}]},{"role":"model","parts":[` + g + `]},{"parts":[{"functionResponse":{"name":"x"}}]}`, "g"},
		{"or none", `{"role":"model","parts":[` + g + `]},{"parts":[{"functionResponse":{"name":"g"}},{"functionResponse":{"name":"x"}}]}`, "g -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, `{"contents":[{"parts":[{"text":"go"}]},`+tt.contents+`]}`)
			calls := map[plimsoll.PartRef]string{}
			for _, p := range r.Outline().Pairs {
				calls[p.Result] = plimsoll.Peek(r.Conversation().Messages.At(p.Call.Message), p.Call.Part).(plimsoll.ToolCall).Name
			}
			last, got := r.Conversation().Messages.Len()-1, []string{}
			for j := range r.Conversation().Messages.At(last).Parts.Len() {
				got = append(got, cmp.Or(calls[plimsoll.PartRef{Message: last, Part: j}], "-"))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("the responses answer %v, want %s", got, tt.want)
			}
		})
	}
}
