package plimsoll_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// countingMeter counts the parts that it is asked to weigh.
type countingMeter struct {
	testkit.ByteMeter
	parts *int
}

func (m countingMeter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	*m.parts += message.Parts.Len()
	return m.ByteMeter.WeighMessage(c, message, siblings)
}

// reading is a conversation whose last message has many results.
func reading(results int) plimsoll.Conversation {
	var calls, answers []plimsoll.Part
	for i := range results {
		id := fmt.Sprint(i)
		calls = append(calls, plimsoll.ToolCall{ID: id, Name: "read"})
		answers = append(answers, plimsoll.ToolResult{CallID: id, Content: testkit.Text("a long output")})
	}
	return testkit.Conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "read them"),
		plimsoll.NewMessage(plimsoll.Assistant, calls...),
		plimsoll.NewMessage(plimsoll.User, answers...),
	})
}

func replaceAll(t *testing.T, d *plimsoll.Draft, results int) {
	t.Helper()
	for j := range results {
		if err := d.ReplaceResult(plimsoll.PartRef{Message: 2, Part: j}, testkit.Text("gone"), plimsoll.Why{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEditsOfAMessageWeighOnlyWhatTheyChange(t *testing.T) {
	t.Parallel()
	const results = 100
	c := reading(results)
	weighed := 0
	d := plimsoll.NewDraft(c, countingMeter{parts: &weighed})
	replaceAll(t, d, results)
	if weighed > 4*results {
		t.Errorf("%d edits weighed %d parts", results, weighed)
	}
	if want := (testkit.ByteMeter{}).Weigh(c).Total - (testkit.ByteMeter{}).Weigh(d.Result()).Total; d.Saved() != want {
		t.Errorf("saved %d, want %d", d.Saved(), want)
	}
}

// It is not parallel, because it measures what the process allocates.
func TestEditsOfAMessageTakeMemoryByTheirNumber(t *testing.T) {
	takes := func(results int) uint64 {
		d := plimsoll.NewDraft(reading(results), testkit.ByteMeter{})
		d.Outline()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		replaceAll(t, d, results)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := takes(500), takes(4000); many > 16*few {
		t.Errorf("500 edits take %d bytes, 4000 take %d", few, many)
	}
}

func TestWhatADraftHasShownStaysAsItWas(t *testing.T) {
	t.Parallel()
	d := plimsoll.NewDraft(reading(3), testkit.ByteMeter{})
	second := func(m plimsoll.Message) string { return plimsoll.TextOf(m.Parts.At(1).(plimsoll.ToolResult).Content) }
	original, _ := d.Message(2)
	position := d.Position()
	replaceAll(t, d, 3)
	edited := d.Result().Messages.At(2)
	d.Rollback(position)
	restored, _ := d.Message(2)
	replaceAll(t, d, 3)
	for _, m := range []struct {
		name, want string
		message    plimsoll.Message
	}{{"the original", "a long output", original}, {"the edited", "gone", edited}, {"the restored", "a long output", restored}} {
		if got := second(m.message); got != m.want {
			t.Errorf("%s message says %q, want %q", m.name, got, m.want)
		}
	}
}
