package report

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestWhatIsStandingInADraftIsTheTail(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "old"),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: "I look."}, plimsoll.ToolCall{ID: "1", Name: "depth", Arguments: "{}"}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "9.45 m"})}),
		plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "And this?"}, plimsoll.Media{Kind: plimsoll.Image}),
	)}
	want := "I look.\ndepth\n{}\n\n9.45 m\n\nAnd this?"
	if got := tailOf(plimsoll.NewDraft(c, nil), 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
