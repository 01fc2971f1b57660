package responses_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

func ExampleCodec() {
	body := []byte(`{"model": "gpt-5", "temperature": 1.0, "input": [
  {"role": "user", "content": "What is in the log?"},
  {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "c1", "output": "ten thousand lines"}]}`)
	r, err := responses.Codec{}.Decode(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	placeholder := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[trimmed]"})
	if err := d.ReplaceResult(d.Outline().Pairs[0].Result, placeholder, plimsoll.Why{Reason: "too long"}); err != nil {
		fmt.Println(err)
		return
	}
	out, err := r.Encode(d)
	fmt.Println(string(out), err)
	// Output:
	// {"model": "gpt-5", "temperature": 1.0, "input": [
	//   {"role": "user", "content": "What is in the log?"},
	//   {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
	//   {"type": "function_call_output", "call_id": "c1", "output": "[trimmed]"}]} <nil>
}
