package anthropic_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

// A tool's output is replaced by a placeholder; everything else keeps its bytes.
func ExampleCodec() {
	body := []byte(`{"model":"claude-sonnet-4-5", "messages":[
 {"role":"user","content":"read it"},
 {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"n": 1.0}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a very long file"}]}]}`)
	request, err := anthropic.Codec{}.Decode(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	draft := plimsoll.NewDraft(request.Conversation(), nil)
	for _, pair := range draft.Outline().Pairs {
		placeholder := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[trimmed]"})
		if err := draft.ReplaceResult(pair.Result, placeholder, plimsoll.Why{Rung: "clear"}); err != nil {
			fmt.Println(err)
			return
		}
	}
	out, err := request.Encode(draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", out)
	// Output:
	// {"model":"claude-sonnet-4-5", "messages":[
	//  {"role":"user","content":"read it"},
	//  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"n": 1.0}}]},
	//  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"[trimmed]"}]}]}
}
