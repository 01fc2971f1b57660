package gemini_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

// A long function response is replaced; everything else keeps its bytes.
func ExampleCodec_Decode() {
	request, err := gemini.Codec{}.Decode([]byte(`{"contents": [
  {"role":"user", "parts":[{"text":"read it"}]},
  {"role":"model", "parts":[{"functionCall":{"name":"read","args":{"line":1.0}}, "thoughtSignature":"c2ln"}]},
  {"role":"user", "parts":[{"functionResponse":{"name":"read","response":{"output":"a very long text"}}}]}
]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	draft := plimsoll.NewDraft(request.Conversation(), nil)
	result := draft.Outline().Pairs[0].Result
	short := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[trimmed]"})
	if err := draft.ReplaceResult(result, short, plimsoll.Why{Rung: "clear"}); err != nil {
		fmt.Println(err)
		return
	}
	body, err := request.Encode(draft)
	fmt.Println(string(body), err)
	// Output:
	// {"contents": [
	//   {"role":"user", "parts":[{"text":"read it"}]},
	//   {"role":"model", "parts":[{"functionCall":{"name":"read","args":{"line":1.0}}, "thoughtSignature":"c2ln"}]},
	//   {"role":"user", "parts":[{"functionResponse":{"name":"read","response":{"output":"[trimmed]"}}}]}
	// ]} <nil>
}
