package fit_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// billedFor fits and bills a request, and returns what the prompt has at least if the bill is
// not for all of it.
func billedFor(t *testing.T, k *fit.Keeper, task fit.Task, billed int) (least int) {
	t.Helper()
	task.Truncated = func(n int) { least = n }
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: billed}))
	return least
}

func TestABillForLessThanWasSentIsNoticed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bills []int // of 9, 11, 13 messages of 1,000 tokens
		want  int   // what the last prompt has at least; 0 if the bill can be for all of it
	}{
		"a bill that is less than our count":                  {[]int{5000}, 0},
		"a bill that is less than any count":                  {[]int{4000}, 4935},
		"a bill that grows with the request":                  {[]int{8000, 9100}, 0},
		"a bill that grows by less than what is new can have": {[]int{8000, 9000}, 9080},
		"a bill that shrinks while the request grows":         {[]int{8000, 7000}, 9080},
		"a bill for what is new only":                         {[]int{8000, 1900}, 6031},
		"what follows a bill for a part":                      {[]int{8000, 7000, 7500}, 9080},
		"a bill for all that follows one for a part":          {[]int{8000, 7000, 12_000}, 0},
	} {
		k := newKeeper(t, 100_000, fit.Options{Anchored: true})
		least := 0
		for i, billed := range tt.bills {
			least = billedFor(t, k, thousands(9+2*i), billed)
		}
		if least != tt.want {
			t.Errorf("%s: the prompt has at least %d tokens, want %d", name, least, tt.want)
		}
	}
}

func TestNothingIsLearnedFromABillForAPart(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, 100_000, fit.Options{Anchored: true})
	billedFor(t, k, thousands(9), 8000)
	billedFor(t, k, thousands(11), 7000)
	if got := k.Weigh(t.Context(), thousands(13)).Total; got != 12_000 {
		t.Errorf("the next request weighs %d, want 12,000 by the last bill that was for all", got)
	}
	if got := k.Total().Usage.Prompt(); got != 15_000 {
		t.Errorf("%d tokens are in the account, want all that was billed", got)
	}
}

func TestABillAfterACutOrWithThoughtsMayBeLess(t *testing.T) {
	t.Parallel()
	drop := rungOf("drop", func(w *fit.Work) error {
		if w.Load() <= w.Line().Limit() {
			return nil
		}
		return w.Draft().Drop(plimsoll.Span{Start: 1, End: 3}, testkit.Because)
	})
	k := newKeeper(t, 12_500, fit.Options{Reserve: new(0), Rungs: []fit.Rung{drop}})
	billedFor(t, k, thousands(9), 8000)
	if least := billedFor(t, k, thousands(13), 7500); least > 0 {
		t.Errorf("after a cut: the prompt has at least %d tokens", least)
	}
	k = newKeeper(t, 100_000, fit.Options{})
	thinking := func(n int) fit.Task {
		task := thousands(n)
		all := task.Conversation.Messages.Slice()
		all[1] = plimsoll.Say(plimsoll.Assistant, "<think>"+all[1].Text()+"</think>")
		task.Conversation.Messages = plimsoll.ListOf(all...)
		return task
	}
	billedFor(t, k, thinking(9), 8000)
	if least := billedFor(t, k, thinking(11), 7500); least > 0 {
		t.Errorf("with thoughts that the template drops: the prompt has at least %d tokens", least)
	}
}
