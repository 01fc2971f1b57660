package plimsoll_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// countingMeter counts the parts that it is asked to weigh.
type countingMeter struct {
	byteMeter
	parts *int
}

func (m countingMeter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	*m.parts += message.Parts.Len()
	return m.byteMeter.WeighMessage(c, message, siblings)
}

func TestEditsOfAMessageWeighOnlyWhatTheyChange(t *testing.T) {
	t.Parallel()
	const results = 100
	var calls, answers []plimsoll.Part
	for i := range results {
		id := fmt.Sprint(i)
		calls = append(calls, plimsoll.ToolCall{ID: id, Name: "read"})
		answers = append(answers, plimsoll.ToolResult{CallID: id, Content: text("a long output")})
	}
	c := conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "read them"),
		plimsoll.NewMessage(plimsoll.Assistant, calls...),
		plimsoll.NewMessage(plimsoll.User, answers...),
	})
	weighed := 0
	d := plimsoll.NewDraft(c, countingMeter{parts: &weighed})
	for j := range results {
		if err := d.ReplaceResult(plimsoll.PartRef{Message: 2, Part: j}, text("gone"), plimsoll.Why{}); err != nil {
			t.Fatal(err)
		}
	}
	if weighed > 4*results {
		t.Errorf("%d edits weighed %d parts", results, weighed)
	}
	if want := (byteMeter{}).Weigh(c).Total - (byteMeter{}).Weigh(d.Result()).Total; d.Saved() != want {
		t.Errorf("saved %d, want %d", d.Saved(), want)
	}
}
