package fit_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/fit"
)

// late is a memory whose lease does not come before it is told to.
type late struct {
	*notebook
	asked, goOn chan struct{}
}

func (l late) Lease(ctx context.Context, name string, life time.Duration) (func(), bool, error) {
	close(l.asked)
	<-l.goOn
	return l.notebook.Lease(ctx, name, life)
}

func fitted(t *testing.T, k *fit.Keeper, turns int) string {
	t.Helper()
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(turns)})
	if err != nil {
		t.Error(err)
		return ""
	}
	return said(plan.Conversation())
}

// TestAProcessThatGetsTheLeaseLooksForTheCheckpointAgain lets the other process end
// between this one's look into the memory and its lease.
func TestAProcessThatGetsTheLeaseLooksForTheCheckpointAgain(t *testing.T) {
	t.Parallel()
	memory := late{&notebook{}, make(chan struct{}), make(chan struct{})}
	one, two := &scribe{}, &scribe{text: "<state_snapshot>\n<overall_goal>\nanother one\n</overall_goal>\n</state_snapshot>"}
	k1 := compacting(t, one, func(o *fit.Options) { o.Memory = memory.notebook })
	k2 := compacting(t, two, func(o *fit.Options) { o.Memory = memory })
	second := make(chan string)
	go func() { second <- fitted(t, k2, 14) }()
	<-memory.asked
	first := fitted(t, k1, 14)
	close(memory.goOn)
	if diff := cmp.Diff(first, <-second); diff != "" {
		t.Errorf("the processes send different histories:\n%s", diff)
	}
	if one.calls.Load() != 1 || two.calls.Load() != 0 {
		t.Errorf("the models were asked %d and %d times", one.calls.Load(), two.calls.Load())
	}
}

func TestWhatIsStoredHoldsOverWhatAProcessRemembers(t *testing.T) {
	t.Parallel()
	shared, apart := &notebook{}, &notebook{}
	other := &scribe{text: "<state_snapshot>\n<overall_goal>\nanother one\n</overall_goal>\n</state_snapshot>"}
	k1 := compacting(t, &scribe{}, func(o *fit.Options) { o.Memory = shared })
	k2 := compacting(t, other, func(o *fit.Options) { o.Memory = apart })
	first, second := fitted(t, k1, 14), fitted(t, k2, 14)
	if first == second {
		t.Fatal("both processes made the same checkpoint")
	}
	for _, d := range apart.decisions { // as if both had written to one memory
		shared.decisions[d.Key] = d
	}
	if diff := cmp.Diff(second, fitted(t, k1, 14)); diff != "" {
		t.Errorf("the process goes on with what it remembers:\n%s", diff)
	}
}
