package trim_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll/trim"
)

func ExampleMessages() {
	messages := []json.RawMessage{
		json.RawMessage(`{"role":"system","content":"Answer in one sentence."}`),
		json.RawMessage(`{"role":"user","content":"Is Quay 4 free tonight?"}`),
		json.RawMessage(`{"role":"assistant","content":"It is, until the morning tide."}`),
		json.RawMessage(`{"role":"user","content":"Then book the Aster."}`),
	}
	result, err := trim.Messages(context.Background(), messages, &trim.Options{MaxTokens: 32, Model: "gpt-4o", Pairs: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Messages {
		fmt.Println(string(m))
	}
	fmt.Printf("%d of %d tokens\n", result.Statistics.OutputTokens, result.Statistics.InputTokens)
	// Output:
	// {"role":"system","content":"Answer in one sentence."}
	// {"role":"assistant","content":"It is, until the morning tide."}
	// {"role":"user","content":"Then book the Aster."}
	// 31 of 43 tokens
}
