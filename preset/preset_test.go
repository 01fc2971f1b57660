package preset_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

func keeper(t testing.TB, name string, o *preset.Options) *fit.Keeper {
	t.Helper()
	options, err := preset.Named(name, o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// byItsText returns a keeper that counts only as the text behind its preset says, whatever
// a provider would count.
func byItsText(t testing.TB, name string, o *preset.Options) *fit.Keeper {
	t.Helper()
	options, err := preset.Named(name, o)
	if err != nil {
		t.Fatal(err)
	}
	options.Best = nil
	k, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// long is a chat of many turns of about 110 tokens each.
func long(turns int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "Be brief.")}
	for i := range turns {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("Question %d: %s?", i, strings.Repeat("why ", 50))),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Answer %d: %s.", i, strings.Repeat("because ", 50))))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "And now?"))
	return plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
}

func TestZeroConfigurationFitsIntoTheWindowOfTheModel(t *testing.T) {
	t.Parallel()
	plan, err := keeper(t, "", nil).Fit(t.Context(), fit.Task{Conversation: long(2000)})
	if err != nil {
		t.Fatal(err)
	}
	if want := (plimsoll.Line{Window: 128_000, Reserve: 8_000}); plan.Line != want {
		t.Errorf("line %+v, want %+v", plan.Line, want)
	}
	if !plan.Before.Exceeds(plan.Line) || plan.After.Exceeds(plan.Line) || !plan.After.Exact {
		t.Errorf("load %d became %d, limit %d, exact %v", plan.Before.Total, plan.After.Total, plan.Line.Limit(), plan.After.Exact)
	}
	last := plan.Conversation().Messages.At(plan.Conversation().Messages.Len() - 1)
	if last.Text() != "And now?" {
		t.Errorf("the newest message is %q", last.Text())
	}
}

func TestTheLineFollowsModelRequestAndEnvironment(t *testing.T) {
	t.Parallel()
	env := func(name string) string {
		return map[string]string{"CHATGPT_MAX_CONTEXT_LENGTH": "5000"}[name]
	}
	for _, tt := range []struct {
		name      string
		options   preset.Options
		model     string
		maxOutput int
		want      plimsoll.Line
	}{
		{"of the model", preset.Options{}, "gpt-4o", 0, plimsoll.Line{Window: 128_000, Reserve: 8_000}},
		{"of the request's answer", preset.Options{}, "gpt-4o", 1000, plimsoll.Line{Window: 128_000, Reserve: 1000}},
		{"of a given window", preset.Options{Window: 1600}, "gpt-4o", 0, plimsoll.Line{Window: 1600, Reserve: 100}},
		{"of a given reserve", preset.Options{Window: 1600, Reserve: new(7)}, "gpt-4o", 50, plimsoll.Line{Window: 1600, Reserve: 7}},
		{"of no reserve", preset.Options{Window: 1600, Reserve: new(0)}, "gpt-4o", 50, plimsoll.Line{Window: 1600}},
		{"of the environment", preset.Options{Limit: (&model.Limits{Env: env}).For}, "gpt-4o", 2000, plimsoll.Line{Window: 5000, Reserve: 1250, Estimated: true, Named: true}},
		{"of a model whose answer has room of its own", preset.Options{}, "gpt-5", 0, plimsoll.Line{Window: 400_000, Reserve: 8_192, Input: 272_000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line, err := keeper(t, "auto", &tt.options).Line(plimsoll.Conversation{Model: tt.model, MaxOutput: tt.maxOutput})
			if err != nil {
				t.Fatal(err)
			}
			if line != tt.want {
				t.Errorf("line %+v, want %+v", line, tt.want)
			}
		})
	}
}

func TestAnUnknownModelIsRefusedOnlyByAuto(t *testing.T) {
	t.Parallel()
	c := long(1)
	c.Model = "unknown-model"
	_, err := keeper(t, "auto", nil).Fit(t.Context(), fit.Task{Conversation: c})
	if !errors.Is(err, plimsoll.ErrUnknownModel) || plimsoll.HintOf(err) == "" {
		t.Errorf("error %v, hint %q", err, plimsoll.HintOf(err))
	}
	plan, err := keeper(t, "multichat", nil).Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil || plan.Line.Window != model.SafeLimit {
		t.Errorf("line %+v, error %v; want the safe limit", plan, err)
	}
}

func TestMultichatRefusesALongNewestTurnThatAutoCuts(t *testing.T) {
	t.Parallel()
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}
	for i := range 20 {
		id := fmt.Sprint(i)
		text := plimsoll.Part(plimsoll.Text{Text: strings.Repeat("line ", 100)})
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "run", Arguments: "{}"}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf(text)}))
	}
	c := plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
	if _, err := keeper(t, "multichat", &preset.Options{Window: 500}).Fit(t.Context(), fit.Task{Conversation: c}); !errors.Is(err, plimsoll.ErrOverLimit) {
		t.Errorf("multichat: error %v, want a refusal", err)
	}
	if _, err := keeper(t, "auto", &preset.Options{Window: 500}).Fit(t.Context(), fit.Task{Conversation: c}); err != nil {
		t.Errorf("auto: %v", err)
	}
}

func TestCookbookKeepsWhatFitsMessageByMessage(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "a"),
		plimsoll.Say(plimsoll.Assistant, strings.Repeat("word ", 100)),
		plimsoll.Say(plimsoll.User, "c"),
	)}
	plan, err := byItsText(t, "cookbook", &preset.Options{Window: 12}).Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, m := range plan.Conversation().Messages.All() {
		kept = append(kept, m.Text())
	}
	if diff := cmp.Diff([]string{"a", "c"}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if plan.After.Total != 10 {
		t.Errorf("%d tokens, want 5 a message", plan.After.Total)
	}
}

func TestF08_TheMethodIsChosenByOneWord(t *testing.T) {
	t.Parallel()
	plan, err := keeper(t, "auto", &preset.Options{Window: 1000, Method: preset.MethodWindow}).Fit(t.Context(), fit.Task{Conversation: long(20)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.Rungs {
		if r.Rung != "slide" {
			t.Errorf("the window used %s", r.Rung)
		}
	}
	if _, err := preset.Auto(&preset.Options{Method: "magic"}); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("magic: error %v", err)
	}
}

func TestRungsAreChosenByName(t *testing.T) {
	t.Parallel()
	o, err := preset.Auto(&preset.Options{Rungs: []string{"reasoning", "trim"}, Outputs: preset.Outputs{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range o.Rungs {
		names = append(names, r.Name())
	}
	if diff := cmp.Diff([]string{"reasoning", "trim"}, names); diff != "" {
		t.Errorf("rungs (-want +got):\n%s", diff)
	}
	if _, err := preset.Auto(&preset.Options{Rungs: []string{"magic"}}); err == nil || plimsoll.HintOf(err) == "" {
		t.Errorf("error %v with hint %q", err, plimsoll.HintOf(err))
	}
}

func TestF02_SaysWhetherAHistoryExceedsTheLimit(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	for turns, want := range map[int]bool{5: false, 2000: true} {
		plan, err := keeper(t, "auto", &preset.Options{Meter: meter}).Plan(t.Context(), fit.Task{Conversation: long(turns)})
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Before.Exceeds(plan.Line); got != want {
			t.Errorf("%d turns: exceeds = %v, want %v", turns, got, want)
		}
	}
}

func ExampleAuto() {
	options, err := preset.Auto(&preset.Options{Window: 300})
	if err != nil {
		panic(err)
	}
	k, err := fit.New(options)
	if err != nil {
		panic(err)
	}
	plan, err := k.Fit(context.Background(), fit.Task{Conversation: long(10)})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Before.Total, "tokens became", plan.After.Total)
	fmt.Println(plan.Rungs[len(plan.Rungs)-1].Rung, "saved", plan.Rungs[len(plan.Rungs)-1].Saved)
	fmt.Println(plan.Edits[0].Rung+":", plan.Edits[0].Reason)
	// Output:
	// 1197 tokens became 253
	// slide saved 944
	// slide: turn 1 of 11, the oldest left
}

func TestAutoClearsNoMoreThanTheGoalAsksFor(t *testing.T) {
	t.Parallel()
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}
	for i := range 200 {
		id := fmt.Sprint(i)
		text := plimsoll.Part(plimsoll.Text{Text: fmt.Sprintf("output %d: %s", i, strings.Repeat("line ", 1000))})
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "run", Arguments: "{}"}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf(text)}))
	}
	c := plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
	plan, err := keeper(t, "auto", &preset.Options{Window: 200_000, Reserve: new(0)}).Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil {
		t.Fatal(err)
	}
	if plan.After.Total < plan.Goal-2_000 {
		t.Errorf("%d tokens became %d, the goal is %d", plan.Before.Total, plan.After.Total, plan.Goal)
	}
}
