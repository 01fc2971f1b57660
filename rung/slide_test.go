package rung_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// letters counts a character as a token.
type letters struct{}

func (letters) Count(text string) int { return len([]rune(text)) }

func (letters) Info() plimsoll.CounterInfo {
	return plimsoll.CounterInfo{Strategy: "letters", Exact: true}
}

func letterMeter() *token.Meter {
	none := token.Framing{TextOnly: true}
	return token.NewMeter(&token.MeterOptions{Counter: letters{}, Framing: &none})
}

// slid fits a conversation into a window of letters by sliding alone.
func slid(t *testing.T, c plimsoll.Conversation, window int, r fit.Rung, pins ...fit.Pin) (*plimsoll.Plan, error) {
	t.Helper()
	k, err := fit.New(&fit.Options{Meter: letterMeter(), Window: window, Reserve: new(0), Rungs: []fit.Rung{r}, Pins: pins})
	if err != nil {
		t.Fatal(err)
	}
	return k.Fit(t.Context(), fit.Task{Conversation: c})
}

// loop is one turn of an agent: a question and rounds of a call and a result of
// 50 letters; the rounds that are named think before they call.
func loop(rounds int, thinking ...int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "fix the bug")}
	for i := range rounds {
		id := fmt.Sprint(i)
		var parts []plimsoll.Part
		for _, n := range thinking {
			if n == i {
				parts = append(parts, plimsoll.Reasoning{Text: "hmm", Signature: "s"})
			}
		}
		parts = append(parts, plimsoll.ToolCall{ID: id, Name: "run", Arguments: id})
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, parts...),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
				CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: strings.Repeat("x", 50)}),
			}))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// rounds names the rounds that are left by their calls, and receipts by "…".
func rounds(c plimsoll.Conversation) string {
	var left []string
	for _, m := range c.Messages.All() {
		if plimsoll.IsReceipt(m) {
			left = append(left, "…")
		}
		for _, p := range m.Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok {
				left = append(left, call.ID)
			}
		}
	}
	return strings.Join(left, " ")
}

func TestSlideShortensAnAgentLoopRoundByRound(t *testing.T) {
	t.Parallel()
	plan, err := slid(t, loop(8), 300, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rounds(plan.Conversation()); got != "… 5 6 7" {
		t.Errorf("left %q", got)
	}
	if first := plan.Conversation().Messages.At(0).Text(); first != "fix the bug" {
		t.Errorf("the question became %q", first)
	}
	receipt := plan.Conversation().Messages.At(1).Text()
	if want := "[plimsoll: 5 earlier tool rounds of this turn (250 tokens) were removed to fit the context window]"; receipt != want {
		t.Errorf("receipt %q, want %q", receipt, want)
	}
}

func TestSlideStartsATurnWithReasoningIfItDidBefore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		thinking []int
		want     string
	}{
		{"no round thinks", nil, "… 5 6 7"},
		{"only a later round thinks", []int{3}, "… 5 6 7"},
		{"the first round alone thinks and stays", []int{0}, "… 0 6 7"},
		{"a round before the cut thinks and stays", []int{0, 3}, "… 3 6 7"},
		{"the round at the cut thinks", []int{0, 5}, "… 5 6 7"},
		{"every round thinks", []int{0, 1, 2, 3, 4, 5, 6, 7}, "… 5 6 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan, err := slid(t, loop(8, tt.thinking...), 275, &rung.Slide{})
			if err != nil {
				t.Fatal(err)
			}
			if got := rounds(plan.Conversation()); got != tt.want {
				t.Errorf("left %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSlideDropsTurnsBeforeRounds(t *testing.T) {
	t.Parallel()
	old := loop(2).Messages.Slice()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(append(old, loop(3).Messages.Slice()...)...)}
	plan, err := slid(t, c, 200, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rounds(plan.Conversation()); got != "0 1 2" {
		t.Errorf("left %q, want the newest turn whole", got)
	}
	for _, e := range plan.Edits {
		if e.Reason != "turn 1 of 2, the oldest left" {
			t.Errorf("reason %q", e.Reason)
		}
	}
}

func TestSlideKeepsPinnedRoundsInTheirPlace(t *testing.T) {
	t.Parallel()
	second := 3
	plan, err := slid(t, loop(8), 330, &rung.Slide{}, fit.Pin{Index: &second})
	if err != nil {
		t.Fatal(err)
	}
	if got := rounds(plan.Conversation()); got != "… 1 5 6 7" {
		t.Errorf("left %q", got)
	}
}

func TestAReceiptOpensNoTurn(t *testing.T) {
	t.Parallel()
	plan, err := slid(t, loop(8), 300, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	again := plan.Conversation()
	if turns := len(again.Outline().Turns); turns != 1 {
		t.Fatalf("%d turns after a cut, want 1", turns)
	}
	// The history goes on from the fitted conversation and is fitted again.
	grown := append(again.Messages.Slice(), loop(4).Messages.Slice()[1:]...)
	plan, err = slid(t, plimsoll.Conversation{Messages: plimsoll.ListOf(grown...)}, 300, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	if first := plan.Conversation().Messages.At(0).Text(); first != "fix the bug" {
		t.Errorf("the question was lost; the conversation begins with %q", first)
	}
	if got := rounds(plan.Conversation()); got != "… 1 2 3" {
		t.Errorf("left %q, want one receipt", got)
	}
	if receipt := plan.Conversation().Messages.At(1).Text(); !strings.Contains(receipt, "9 earlier tool rounds of this turn (450 tokens)") {
		t.Errorf("the receipt does not count the earlier cut: %q", receipt)
	}
}

func TestAReceiptGoesWhereNothingElseIsLeftToDrop(t *testing.T) {
	t.Parallel()
	for left, messages := range map[string][]plimsoll.Message{"0": loop(1).Messages.Slice(), "1": loop(2).Messages.Slice()} {
		receipt := plimsoll.Receipt("5 earlier tool rounds of this turn (250 tokens)")
		plan, err := slid(t, plimsoll.Conversation{Messages: plimsoll.ListOf(slices.Insert(messages, 1, receipt)...)}, 80, &rung.Slide{})
		if err != nil {
			t.Fatal(err)
		}
		if got := rounds(plan.Conversation()); got != left {
			t.Errorf("left %q, want %q", got, left)
		}
	}
}

func TestAQuestionThatLooksLikeAReceiptIsNone(t *testing.T) {
	t.Parallel()
	for _, question := range []string{
		"[plimsoll: what does that mean?]",
		"[plimsoll: 3 earlier tool rounds of this turn",
		"[plimsoll: is that a receipt? I read:\n3 messages were removed to fit the context window]",
	} {
		messages := append(loop(2).Messages.Slice(), plimsoll.Say(plimsoll.User, question))
		messages = append(messages, loop(4).Messages.Slice()[1:]...)
		plan, err := slid(t, plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}, 250, &rung.Slide{})
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Conversation().Messages.At(0).Text(); got != question {
			t.Errorf("the question %q is gone, the first message is %q", question, got)
		}
	}
}

func TestSlideIsDeterministic(t *testing.T) {
	t.Parallel()
	a, err := slid(t, loop(30, 0, 7), 400, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := slid(t, loop(30, 0, 7), 400, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.Edits, b.Edits); diff != "" {
		t.Errorf("edits differ:\n%s", diff)
	}
}

func TestSlideKeepsTheNewestRoundsOfAnOldTurn(t *testing.T) {
	t.Parallel()
	messages := append(loop(8).Messages.Slice(), plimsoll.Say(plimsoll.Assistant, "done"), plimsoll.Say(plimsoll.User, "now a test"))
	plan, err := slid(t, plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}, 300, &rung.Slide{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rounds(plan.Conversation()); got != "… 5 6 7" {
		t.Errorf("left %q", got)
	}
	if first := plan.Conversation().Messages.At(0).Text(); first != "fix the bug" {
		t.Errorf("the old question became %q", first)
	}
	whole, err := slid(t, plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}, 300, &rung.Slide{TurnsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := whole.Conversation().Messages.Len(); n != 1 {
		t.Errorf("%d messages are left of whole turns, want the question", n)
	}
}

// A meter may count nothing for a message. Dropping such messages gains nothing, so slide
// leaves them, and the keeper has nothing to undo.
func TestSlideLeavesMessagesThatWeighNothing(t *testing.T) {
	t.Parallel()
	call := func(id string) plimsoll.Message {
		return plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read", Arguments: "{}"})
	}
	result := func(id, text string) plimsoll.Message {
		return plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})})
	}
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "go on"), call("1"), result("1", ""), plimsoll.Say(plimsoll.Assistant, "done"),
		plimsoll.Say(plimsoll.User, "go on"), call("2"), result("2", strings.Repeat("long ", 100)),
	)}
	k, err := fit.New(&fit.Options{
		Meter: letterMeter(), Window: 300, Reserve: new(0), Pins: []fit.Pin{pinAt(3)}, Rungs: []fit.Rung{&rung.Slide{}, &rung.View{ToFit: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil {
		t.Fatal(err)
	}
	if r := plan.Rungs[0]; r.Rung != "slide" || r.Edits != 0 || r.Undone != "" {
		t.Errorf("got %+v, want slide with nothing done", r)
	}
}
