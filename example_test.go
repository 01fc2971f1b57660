package plimsoll_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// session is a conversation with one tool call.
func session() plimsoll.Conversation {
	output := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "12,000 lines of log"})
	return plimsoll.Conversation{
		Model: "gpt-4o",
		Messages: plimsoll.ListOf(
			plimsoll.Say(plimsoll.System, "You watch the harbour."),
			plimsoll.Say(plimsoll.User, "Why did the crane stop?"),
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "read_log", Arguments: `{"crane":3}`}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: output}),
			plimsoll.Say(plimsoll.Assistant, "A limit switch failed."),
		),
	}
}

func ExampleConversation_Outline() {
	outline := session().Outline()
	fmt.Println("instructions:", outline.Head)
	for _, turn := range outline.Turns {
		fmt.Println("turn", turn.Start, "to", turn.End)
		for _, round := range turn.Rounds {
			fmt.Println("  round", round.Start, "to", round.End)
		}
	}
	// Output:
	// instructions: 1
	// turn 1 to 5
	//   round 2 to 4
	//   round 4 to 5
}

func ExampleDraft() {
	conversation := session()
	draft := plimsoll.NewDraft(conversation, token.NewMeter(nil))

	pair := draft.Outline().Pairs[0]
	placeholder := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "[trimmed]"})
	err := draft.ReplaceResult(pair.Result, placeholder, plimsoll.Why{Rung: "clear", Reason: "old output"})
	fmt.Println(err, "saved", draft.Saved())

	// Half of a pair cannot go.
	err = draft.Drop(plimsoll.Span{Start: 2, End: 3}, plimsoll.Why{Rung: "slide"})
	fmt.Println(err)

	for _, edit := range draft.Edits() {
		fmt.Println(edit.Kind, "message", edit.Message, "because:", edit.Reason)
	}
	fmt.Println(conversation.Messages.Len(), "messages, as before")
	// Output:
	// <nil> saved 2
	// drop messages 2 to 3: call in 2, result in 3: would separate a tool call from its result
	// replace message 3 because: old output
	// 5 messages, as before
}
