package dialects_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

// A model calls a tool of ours, gets its answer and goes on. The client sees one
// message, and its next request gets back what it did not see.
func Example() {
	answers := []string{
		`{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"cache","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"id":"2","choices":[{"index":0,"message":{"role":"assistant","content":"It is 42."},"finish_reason":"stop"}]}`,
	}
	ours := func(name string) bool { return name == "cache" }
	sent, _ := openai.Codec{}.Decode([]byte(`{"messages":[{"role":"user","content":"What is it?"}]}`))
	reply := dialects.Codec(plimsoll.OpenAI).NewReply("", ours)
	var results [][]wire.Result
	for _, answer := range answers { // of the model
		reply.Write([]byte(answer))
		round := reply.End()
		if len(round.Calls) == 0 {
			break
		}
		results = append(results, []wire.Result{{Call: round.Calls[0], Text: "42"}})
		body, _ := wire.Continue(openai.Codec{}, sent, round.Said, results[len(results)-1])
		sent, _ = openai.Codec{}.Decode(body)
		reply.Again()
	}
	fmt.Printf("%s\n\n", reply.Finish())

	record, _ := reply.Record(results)
	next, _ := openai.Codec{}.Decode([]byte(`{"messages":[{"role":"user","content":"What is it?"},` +
		`{"role":"assistant","content":"Let me look.\n\nIt is 42."},{"role":"user","content":"Sure?"}]}`))
	body, _ := wire.Restore(openai.Codec{}, next, map[int]wire.Record{1: record})
	fmt.Printf("%s\n", body)
	// Output:
	// {"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Let me look.\n\nIt is 42."},"finish_reason":"stop"}]}
	//
	// {"messages":[{"role":"user","content":"What is it?"},{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"cache","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"42"},{"role":"assistant","content":"It is 42."},{"role":"user","content":"Sure?"}]}
}
