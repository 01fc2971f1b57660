package fit_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// thousands is a conversation of messages of 1,000 tokens, by the weight of the meter.
func thousands(messages int) fit.Task {
	var all []plimsoll.Message
	for i := range messages {
		role := plimsoll.User
		if i%2 == 1 {
			role = plimsoll.Assistant
		}
		all = append(all, numbered(i, role, 1000))
	}
	return fit.Task{Conversation: plimsoll.Conversation{Model: "m", Messages: plimsoll.ListOf(all...)}}
}

// observed fits and bills a request, and returns what the plan said of it.
func observed(t *testing.T, k *fit.Keeper, task fit.Task, billed int) *plimsoll.Plan {
	t.Helper()
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: billed}))
	return plan
}

func TestALoadIsTheLastBillAndTheWeightOfWhatCameSince(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, 100_000, fit.Options{Anchored: true})
	if p := observed(t, k, thousands(3), 3700); p.Before.Total != 3000 || !p.Before.Exact {
		t.Fatalf("the first request weighs %d, want 3,000 by the meter", p.Before.Total)
	}
	for name, tt := range map[string]struct {
		task  fit.Task
		total int
	}{
		"the request that was billed":      {thousands(3), 3700},
		"the request that follows":         {thousands(5), 5700},
		"what does not begin with it":      {thousands(2), 2000},
		"the same for another model":       {otherModel(thousands(5)), 5000},
		"the same of another tenant":       {inScope(thousands(5), fit.Scope{Tenant: "other"}), 5000},
		"the same under another name":      {inScope(thousands(5), fit.Scope{Conversation: "other"}), 5000},
		"the same under another limit":     {inScope(thousands(5), fit.Scope{Limit: 50_000}), 5700},
		"the same by another preset":       {inScope(thousands(5), fit.Scope{Preset: "other"}), 5700},
		"another conversation":             {fit.Task{Conversation: plimsoll.Conversation{Model: "m", Messages: plimsoll.ListOf(numbered(9, plimsoll.User, 1000))}}, 1000},
		"the bill of a shorter beginning":  {thousands(4), 4700},
		"what the keeper says by its name": {thousands(7), 7700},
	} {
		load := k.Weigh(t.Context(), tt.task)
		plan, err := k.Plan(t.Context(), tt.task)
		testkit.Must(t, err)
		if diff := cmp.Diff(load, plan.Before); diff != "" || load.Total != tt.total {
			t.Errorf("%s weighs %d, want %d; Weigh and Plan differ by:\n%s", name, load.Total, tt.total, diff)
		}
		sum := load.System + load.Tools + load.Framing
		for _, m := range load.Messages {
			sum += m.Tokens
		}
		if sum != load.Total || load.Exact != (load.Total%1000 == 0) {
			t.Errorf("%s: the parts add up to %d of %d, exact %v", name, sum, load.Total, load.Exact)
		}
	}
}

func otherModel(t fit.Task) fit.Task {
	t.Conversation.Model = "other"
	return t
}

func inScope(t fit.Task, s fit.Scope) fit.Task {
	t.Scope = s
	return t
}

// TestABillIsKnownToOtherProcesses lets a second keeper, which shares only the memory,
// weigh what the first has observed.
func TestABillIsKnownToOtherProcesses(t *testing.T) {
	t.Parallel()
	memory := &countedMemory{Memory: &notebook{}}
	first := newKeeper(t, 100_000, fit.Options{Anchored: true, Memory: memory})
	weighs := func(name string, k *fit.Keeper, messages, want int) {
		t.Helper()
		for _, s := range []fit.Scope{{}, {Limit: 50_000}} {
			if got := k.Weigh(t.Context(), inScope(thousands(messages), s)).Total; got != want {
				t.Errorf("%s weighs %d, want %d", name, got, want)
			}
		}
	}
	observed(t, first, thousands(3), 3700)
	second := newKeeper(t, 100_000, fit.Options{Anchored: true, Memory: memory})
	weighs("the second process", second, 5, 5700)
	observed(t, second, thousands(5), 5710)
	weighs("the first process, which knows an older bill,", first, 7, 7710)
	observed(t, first, thousands(7), 9000)
	weighs("the second process, which knows an older bill,", second, 9, 11_000)
	weighs("a third process", newKeeper(t, 100_000, fit.Options{Anchored: true, Memory: memory}), 9, 11_000)
	asked := memory.recalled
	if weighs("the process that saw the last bill", first, 9, 11_000); memory.recalled != asked {
		t.Error("a process asks the memory for a bill that it has seen itself")
	}
}

// countedMemory counts how often it is asked.
type countedMemory struct {
	fit.Memory
	recalled int
}

func (m *countedMemory) Recall(ctx context.Context, keys []plimsoll.Digest) (fit.Decision, error) {
	m.recalled++
	return m.Memory.Recall(ctx, keys)
}

// TestABillDecidesAndACutStaysAsItWas sends a conversation that fits by its weight and does
// not by its bill. Once it is cut, later bills change nothing of the cut.
func TestABillDecidesAndACutStaysAsItWas(t *testing.T) {
	t.Parallel()
	drop := rungOf("drop", func(w *fit.Work) error {
		for i := 1; i < w.Draft().Original().Messages.Len() && w.Load() > w.Line().Limit(); i += 2 {
			if _, stays := w.Draft().Message(i); stays {
				if err := w.Draft().Drop(plimsoll.Span{Start: i, End: i + 2}, testkit.Because); err != nil {
					return err
				}
			}
		}
		return nil
	})
	k := newKeeper(t, 10_000, fit.Options{Anchored: true, Sticky: true, Rungs: []fit.Rung{drop}})
	if p := observed(t, k, thousands(7), 9500); p.Changed() {
		t.Fatal("7,000 of 10,000 tokens are cut")
	}
	cut := observed(t, k, thousands(9), 9300)
	if !cut.Changed() || cut.Before.Total != 11_500 || cut.After.Total != 9500 {
		t.Fatalf("%d became %d, want 11,500 by the bill and 9,500 after the cut", cut.Before.Total, cut.After.Total)
	}
	again, err := k.Fit(t.Context(), thousands(9))
	testkit.Must(t, err)
	if got, want := texts(again), texts(cut); !slices.Equal(got, want) {
		t.Errorf("the same request is cut otherwise after its bill:\n%v\nwant\n%v", got, want)
	}
	if again.After.Total != 9300 {
		t.Errorf("it weighs %d after its bill of 9,300", again.After.Total)
	}
}

func TestWhatTheServerCountsIsAsGoodAsABill(t *testing.T) {
	t.Parallel()
	drop := rungOf("drop", func(w *fit.Work) error {
		for i := 1; i < w.Draft().Original().Messages.Len()-2 && w.Load() > w.Line().Limit(); i += 2 {
			if _, stays := w.Draft().Message(i); stays {
				if err := w.Draft().Drop(plimsoll.Span{Start: i, End: i + 2}, testkit.Because); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, tt := range []struct {
		counts        []int // of the whole, and of what each cut leaves
		before, after int
	}{
		{[]int{9500}, 9500, 9500},                     // it fits
		{[]int{18_000, 10_000}, 18_000, 10_000},       // our count is half of it
		{[]int{18_000, 12_000, 10_000}, 21_600, 7200}, // one cut more
	} {
		k, err := fit.New(&fit.Options{
			Meter: vague{}, Window: 10_000, Reserve: new(0), Anchored: true, Sticky: true, Rungs: []fit.Rung{drop},
		})
		testkit.Must(t, err)
		task, left := thousands(9), tt.counts
		task.Encode = func(d *plimsoll.Draft) ([]byte, error) { return []byte{byte(d.Result().Messages.Len())}, nil }
		messages := byte(9)
		task.Count = func(body []byte) int {
			if body[0] > messages || len(left) == 0 {
				t.Fatalf("the server is asked about %d messages, before that about %d", body[0], messages)
			}
			n := left[0]
			messages, left = body[0], left[1:]
			return n
		}
		plan, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		const rounded = 10
		if math.Abs(float64(plan.Before.Total-tt.before)) > rounded || math.Abs(float64(plan.After.Total-tt.after)) > rounded || len(left) > 0 {
			t.Errorf("%d are counted: %d became %d, want %d and %d", tt.counts, plan.Before.Total, plan.After.Total, tt.before, tt.after)
		}
	}
}

// vague is a meter that may be off by a tenth.
type vague struct{ testkit.ByteMeter }

func (m vague) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := m.ByteMeter.Weigh(c)
	load.Exact, load.Band = false, load.Total/10
	return load
}

// weighings counts how often it weighs a conversation.
type weighings struct {
	testkit.ByteMeter
	n int
}

func (m *weighings) Weigh(c plimsoll.Conversation) plimsoll.Load {
	m.n++
	return m.ByteMeter.Weigh(c)
}

// TestABillIsReadByTheWeightsOfThePlan fits and bills requests, each of which is weighed once.
func TestABillIsReadByTheWeightsOfThePlan(t *testing.T) {
	t.Parallel()
	meter := &weighings{}
	k, err := fit.New(&fit.Options{Meter: meter, Window: 100_000, Reserve: new(0), Anchored: true})
	testkit.Must(t, err)
	for i, want := range []int{3000, 5700, 7700} {
		if plan := observed(t, k, thousands(3+2*i), want+700*(1-min(i, 1))); plan.Before.Total != want || meter.n != i+1 {
			t.Errorf("request %d weighs %d, want %d, and %d were weighed", i, plan.Before.Total, want, meter.n)
		}
	}
}

func texts(p *plimsoll.Plan) (all []string) {
	for _, m := range p.Conversation().Messages.All() {
		all = append(all, m.Text()[:4])
	}
	return all
}

// TestACountThatIsTooHeavyStaysSafeAfterACut takes most of a conversation out whose bill is
// half of its weight. What is left is half as heavy too, not less than nothing.
func TestACountThatIsTooHeavyStaysSafeAfterACut(t *testing.T) {
	t.Parallel()
	drop := rungOf("drop", func(w *fit.Work) error {
		return w.Draft().Drop(plimsoll.Span{Start: 1, End: 7}, testkit.Because)
	})
	k := newKeeper(t, 100_000, fit.Options{Anchored: true})
	observed(t, k, thousands(9), 4500)
	cutting := newKeeper(t, 100_000, fit.Options{Anchored: true, Arrival: []fit.Rung{drop}})
	observed(t, cutting, thousands(9), 1500)
	plan, err := cutting.Plan(t.Context(), thousands(9))
	testkit.Must(t, err)
	if plan.After.Total != 1500 || plan.Before.Total != 7500 {
		t.Errorf("%d became %d, want 7,500 and the bill of 1,500", plan.Before.Total, plan.After.Total)
	}
	if got := k.Weigh(t.Context(), thousands(9)).Total; got != 4500 {
		t.Errorf("the whole weighs %d, want its bill of 4,500", got)
	}
}
