package rung_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// pile is an archive that numbers what it is given.
type pile struct{ named, stored []string }

func (p *pile) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	raw := content.At(0).(plimsoll.Opaque)
	if raw.Kind != fit.SpanKind {
		return plimsoll.Ref{}, fmt.Errorf("kind %q", raw.Kind)
	}
	for i, known := range p.named {
		if known == raw.Raw {
			return plimsoll.Ref{ID: fmt.Sprint("r", i)}, nil
		}
	}
	p.named = append(p.named, raw.Raw)
	return plimsoll.Ref{ID: fmt.Sprint("r", len(p.named)-1)}, nil
}

func (p *pile) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	p.stored = append(p.stored, content.At(0).(plimsoll.Opaque).Raw)
	return p.Ref(ctx, content)
}

func (p *pile) Content(context.Context, string) (plimsoll.List[plimsoll.Part], error) {
	return plimsoll.List[plimsoll.Part]{}, plimsoll.ErrNotFound
}

// archived fits into a window and returns what was stored, the only thing.
func archived(t *testing.T, c plimsoll.Conversation, window int, raw func(int) []byte) (*plimsoll.Plan, string) {
	t.Helper()
	p := &pile{}
	k, err := fit.New(&fit.Options{Meter: letterMeter(), Window: window, Reserve: new(0), Rungs: []fit.Rung{&rung.Slide{}}, Archive: p})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c, Raw: raw})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.stored) != 1 {
		t.Fatalf("stored %d times: %q", len(p.stored), p.stored)
	}
	return plan, p.stored[0]
}

func TestDroppedTurnsCanBeReadAgain(t *testing.T) {
	t.Parallel()
	var messages []plimsoll.Message
	for i := range 5 {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("question %d %s", i, strings.Repeat("x", 60))),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("answer %d %s", i, strings.Repeat("y", 60))))
	}
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
	raw := func(i int) []byte { return fmt.Appendf(nil, `{ "n":%d }`, i) }
	plan, stored := archived(t, c, 420, raw)
	if want := "[{ \"n\":0 },\n{ \"n\":1 },\n{ \"n\":2 },\n{ \"n\":3 },\n{ \"n\":4 },\n{ \"n\":5 }]"; stored != want {
		t.Errorf("stored %q, want the messages as they came: %q", stored, want)
	}
	first := plan.Conversation().Messages.At(0)
	if !plimsoll.IsReceipt(first) || !strings.Contains(first.Text(), "3 earlier turns (420 tokens), kept as ref=r") {
		t.Errorf("the conversation begins with %q", first.Text())
	}
	if second := plan.Conversation().Messages.At(1).Text(); !strings.HasPrefix(second, "question 3") {
		t.Errorf("behind the receipt stands %q", second)
	}
	if plan.After.Exceeds(plan.Line) {
		t.Errorf("%d tokens with the receipt", plan.After.Total)
	}
	for _, e := range plan.Edits {
		if e.Ref == nil {
			t.Errorf("edit %+v does not say where the message can be read", e)
		}
	}
}

func TestWhatIsDroppedIsArchivedEvenWithoutRoomForAReceipt(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "a question"), plimsoll.Say(plimsoll.Assistant, "an answer"), plimsoll.Say(plimsoll.User, "ten letters"),
	)}
	plan, stored := archived(t, c, 20, nil)
	if plan.Conversation().Messages.Len() != 1 || !strings.Contains(stored, "an answer") {
		t.Errorf("%d messages are left, stored %s", plan.Conversation().Messages.Len(), stored)
	}
	for _, e := range plan.Edits {
		if e.Kind != plimsoll.EditDrop || e.Ref == nil {
			t.Errorf("edit %+v", e)
		}
	}
}

func TestDroppedRoundsAndTheTurnsBeforeThemAreReadTogether(t *testing.T) {
	t.Parallel()
	old := []plimsoll.Message{plimsoll.Say(plimsoll.User, "an old question"), plimsoll.Say(plimsoll.Assistant, "an old answer")}
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(append(old, loop(8).Messages.Slice()...)...)}
	plan, stored := archived(t, c, 330, nil)
	var back []struct {
		Role  string
		Parts []struct{ Type, Text, ID string }
	}
	if err := json.Unmarshal([]byte(stored), &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != 12 || back[0].Parts[0].Text != "an old question" || back[2].Parts[0].Type != "tool_call" {
		t.Errorf("stored %s", stored)
	}
	if got := rounds(plan.Conversation()); got != "… 5 6 7" {
		t.Errorf("left %q", got)
	}
	receipt := plan.Conversation().Messages.At(1).Text()
	if !strings.HasPrefix(receipt, "[plimsoll: 5 earlier tool rounds of this turn (250 tokens) and 1 earlier turns (28 tokens), kept as ref=r") {
		t.Errorf("receipt %q", receipt)
	}
}

func TestAReceiptOfAReceiptLeadsBack(t *testing.T) {
	t.Parallel()
	plan, _ := archived(t, loop(8), 320, nil)
	earlier := plan.Conversation().Messages.At(1).Text()
	grown := append(plan.Conversation().Messages.Slice(), loop(4).Messages.Slice()[1:]...)
	again, stored := archived(t, plimsoll.Conversation{Messages: plimsoll.ListOf(grown...)}, 320, nil)
	if !strings.Contains(stored, strings.TrimSuffix(earlier, "]")) {
		t.Errorf("the earlier receipt %q is not in what was stored: %s", earlier, stored)
	}
	if receipt := again.Conversation().Messages.At(1).Text(); !strings.HasPrefix(receipt, "[plimsoll: 9 earlier tool rounds of this turn (450 tokens)") {
		t.Errorf("receipt %q", receipt)
	}
}
