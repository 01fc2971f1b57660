package fit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// priced costs a dollar for a million tokens, a tenth of it from the cache, a quarter
// more into it, and five times as much for answers.
func priced(_ string, u plimsoll.Usage) (float64, bool) {
	return (float64(u.Input) + 1.25*float64(u.CacheCreation) + 0.1*float64(u.CacheRead) + 5*float64(u.Output)) / 1e6, true
}

// micros are millionths of a dollar.
func micros(n float64) account.Money { return account.Dollars(n / 1e6) }

// sized is a message that weighs so many tokens.
func sized(role plimsoll.Role, tokens int) plimsoll.Message { return numbered(0, role, tokens) }

// numbered is a message that weighs so many tokens and is like no other.
func numbered(n int, role plimsoll.Role, tokens int) plimsoll.Message {
	return plimsoll.Say(role, fmt.Sprintf("%04d", n)+strings.Repeat("x", tokens-7))
}

// dialogue is a conversation with its provider: messages come in, requests are cut as
// the test says, and the provider's cache has what was sent last.
type dialogue struct {
	t        dialogueTB
	k        *fit.Keeper
	now      time.Time
	messages []plimsoll.Message
	// drop is what the next request is to lose, beside what it lost before.
	drop plimsoll.Span
	// cached says that the provider has a cache; sent is what it knows.
	cached bool
	sent   []plimsoll.Message
	last   time.Time
	// factor is what the provider counts for a token of the meter.
	factor int
}

type dialogueTB interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

func newDialogue(t dialogueTB, o fit.Options) *dialogue {
	t.Helper()
	d := &dialogue{t: t, now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), cached: true, factor: 1}
	d.restart(o)
	return d
}

// restart goes on with another keeper.
func (d *dialogue) restart(o fit.Options) {
	o.Meter, o.Window, o.Reserve, o.Model = testkit.ByteMeter{}, 10_000_000, new(0), "m"
	o.Sticky, o.Cost = true, priced
	o.Now = func() time.Time { return d.now }
	o.Arrival = []fit.Rung{rungOf("drop", func(w *fit.Work) error {
		if d.drop.Len() == 0 {
			return nil
		}
		return w.Draft().Drop(d.drop, plimsoll.Why{Rung: "drop", Reason: "the test wants it"})
	})}
	k, err := fit.New(&o)
	if err != nil {
		d.t.Fatalf("%v", err)
	}
	d.k = k
}

func (d *dialogue) task() fit.Task {
	return fit.Task{Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(d.messages...)}}
}

// call sends everything a minute later, and returns the account so far.
func (d *dialogue) call(answer int, messages ...plimsoll.Message) account.Account {
	d.t.Helper()
	d.now = d.now.Add(time.Minute)
	d.messages = append(d.messages, messages...)
	plan, err := d.k.Fit(d.t.Context(), d.task())
	if err != nil {
		d.t.Fatalf("%v", err)
	}
	d.drop = plimsoll.Span{}
	u := d.bill(plan.Conversation().Messages.Slice())
	u.Output = answer
	if err := d.k.Observe(d.t.Context(), d.task(), plan, u); err != nil {
		d.t.Fatalf("%v", err)
	}
	a, ok := d.k.AccountOf(d.task())
	if !ok {
		d.t.Fatalf("there is no account")
	}
	return a
}

// bill is what the provider counts.
func (d *dialogue) bill(sent []plimsoll.Message) plimsoll.Usage {
	u := plimsoll.Usage{}
	same := d.cached && d.now.Sub(d.last) <= 5*time.Minute
	for i, m := range sent {
		n := d.factor * testkit.ByteMeter{}.WeighMessage(plimsoll.Conversation{}, m, 0).Tokens
		same = same && i < len(d.sent) && d.sent[i].Text() == m.Text() && d.sent[i].Role == m.Role
		switch {
		case same:
			u.CacheRead += n
		case d.cached:
			u.CacheCreation += n
		default:
			u.Input += n
		}
	}
	d.sent, d.last = sent, d.now
	return u
}

// begin makes two calls: 1,000 tokens that are written, and 5,000 more.
func (d *dialogue) begin() {
	d.t.Helper()
	d.call(100, sized(plimsoll.User, 1000))
	d.call(100, sized(plimsoll.Assistant, 4000), sized(plimsoll.User, 1001))
}

// grow makes a call with 2,000 tokens more.
func (d *dialogue) grow() account.Account {
	d.t.Helper()
	n := len(d.messages)
	return d.call(100, sized(plimsoll.Assistant, 1000+n), sized(plimsoll.User, 1000-n))
}

// TestTheNetSavingIsWhatTheUncutConversationWouldHaveCostMore is worked out by hand. The
// first cut takes 4,000 of 8,001 tokens out: 1,000 are read and 3,001 written for 3,851.25,
// where 6,001 would have been read and 2,000 written for 3,100.10. So it loses 751.15,
// and gains 400 on each later call, on which the 4,000 would have been read.
func TestTheNetSavingIsWhatTheUncutConversationWouldHaveCostMore(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, fit.Options{})
	d.begin()
	if a, _ := d.k.AccountOf(d.task()); a.Net() != 0 || a.Cuts != 0 || a.Breaks != 0 || a.Paid != a.Uncut {
		t.Errorf("nothing was cut, and yet: %+v", a)
	}
	d.drop = plimsoll.Span{Start: 1, End: 2}
	a := d.grow()
	if a.Net() != micros(-751.15) || a.Net().String() != "-$0.0008" {
		t.Errorf("after the cut %s, want -$0.00075115", a.Net())
	}
	if a.Saved != 4000 || a.Written != 1001 || a.Cuts != 1 || a.Breaks != 1 {
		t.Errorf("saved %d, written again %d, cuts %d, breaks %d", a.Saved, a.Written, a.Cuts, a.Breaks)
	}
	if a := d.grow(); a.Net() != micros(-351.15) || a.Cuts != 1 || a.Breaks != 1 {
		t.Errorf("a call later %s, %d cuts, %d breaks", a.Net(), a.Cuts, a.Breaks)
	}
	a = d.grow()
	if a.Net() != micros(48.85) || a.Saved != 12_000 || a.Requests != 5 || a.Priced != 5 || a.BreaksPer100() != 20 {
		t.Errorf("two calls later %s: %+v", a.Net(), a)
	}
	if a.Usage.Output != 500 || a.Estimated != int64(a.Usage.Prompt()) || a.Drift() != 0 {
		t.Errorf("billed %+v, estimated %d", a.Usage, a.Estimated)
	}
	// Read: 1,000 + 1,000 + 4,001 + 6,001 of 1,000 + 6,001 + 4,001 + 6,001 + 8,001.
	if want := 12_002.0 / 25_004; a.CacheShare() != want {
		t.Errorf("the cache served %v, want %v", a.CacheShare(), want)
	}
}

func TestTheCacheDecidesWhatACutSaves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(*dialogue) account.Account
		want float64
	}{
		{
			// 8,001 instead of 4,001 tokens would have been written.
			"a cut after a long pause saves what it takes out",
			func(d *dialogue) account.Account {
				d.begin()
				d.now = d.now.Add(time.Hour)
				d.drop = plimsoll.Span{Start: 1, End: 2}
				return d.grow()
			},
			1.25 * 4000,
		},
		{
			// The cut as above; then everything is written either way.
			"a long pause after a cut makes it pay",
			func(d *dialogue) account.Account {
				d.begin()
				d.drop = plimsoll.Span{Start: 1, End: 2}
				d.grow()
				d.now = d.now.Add(time.Hour)
				return d.grow()
			},
			-751.15 + 1.25*4000,
		},
		{
			"without a cache each call saves the whole price",
			func(d *dialogue) account.Account {
				d.cached = false
				d.begin()
				d.drop = plimsoll.Span{Start: 1, End: 2}
				d.grow()
				return d.grow()
			},
			2 * 4000,
		},
		{
			// The new message of 3,000 would have been written once, then read.
			"what never was sent breaks nothing",
			func(d *dialogue) account.Account {
				d.begin()
				d.drop = plimsoll.Span{Start: 3, End: 4}
				d.call(100, sized(plimsoll.Assistant, 3000), sized(plimsoll.User, 500))
				return d.grow()
			},
			1.25*3000 + 0.1*3000,
		},
		{
			// Another process made the first two calls: what it sent is presumed.
			"a keeper that has seen nothing before presumes that it was sent",
			func(d *dialogue) account.Account {
				d.begin()
				d.restart(fit.Options{})
				d.drop = plimsoll.Span{Start: 1, End: 2}
				return d.grow()
			},
			-751.15,
		},
		{
			// The cut is replayed by a second process: 4,000 would have been read.
			"a cut of another process goes on to save",
			func(d *dialogue) account.Account {
				memory := &notebook{}
				d.restart(fit.Options{Memory: memory})
				d.begin()
				d.drop = plimsoll.Span{Start: 1, End: 2}
				d.grow()
				d.restart(fit.Options{Memory: memory})
				return d.grow()
			},
			400,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.make(newDialogue(t, fit.Options{})).Net(); got != micros(tt.want) {
				t.Errorf("net %v micro-dollars, want %v", got.USD()*1e6, tt.want)
			}
		})
	}
}

// TestTheUncutCostIsThatOfAConversationThatNobodyCuts runs any dialogue twice, once with
// cuts and once without, each with a cache of its own, and compares what the account of
// the first says with what the second paid.
func TestTheUncutCostIsThatOfAConversationThatNobodyCuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cut, whole := newDialogue(t, fit.Options{}), newDialogue(t, fit.Options{})
		cut.cached = rapid.Bool().Draw(t, "cached")
		whole.cached = cut.cached
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			pause := time.Duration(rapid.SampledFrom([]int{0, 0, 0, 10}).Draw(t, "pause")) * time.Minute
			cut.now, whole.now = cut.now.Add(pause), whole.now.Add(pause)
			var more []plimsoll.Message
			if len(cut.messages) > 0 {
				more = append(more, numbered(len(cut.messages), plimsoll.Assistant, rapid.IntRange(10, 500).Draw(t, "answer")))
			}
			more = append(more, numbered(len(cut.messages)+1, plimsoll.User, rapid.IntRange(10, 500).Draw(t, "question")))
			if n := len(cut.messages) + len(more); n > 3 && rapid.IntRange(0, 2).Draw(t, "cut") == 0 {
				start := rapid.IntRange(1, n-2).Draw(t, "start")
				cut.drop = plimsoll.Span{Start: start, End: rapid.IntRange(start+1, n-1).Draw(t, "end")}
			}
			got, want := cut.call(50, more...), whole.call(50, more...)
			if got.Uncut != want.Paid || want.Net() != 0 {
				t.Fatalf("after %d calls the account says %v, and it was %v", got.Requests, got.Uncut.USD(), want.Paid.USD())
			}
		}
	})
}

func TestSummariesAreCharged(t *testing.T) {
	t.Parallel()
	k := compacting(t, &scribe{}, func(o *fit.Options) { o.Cost = priced })
	task := fit.Task{Conversation: talk(14)}
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: plan.After.Total}))
	a, _ := k.AccountOf(task)
	saved := plan.Before.Total - plan.After.Total
	if want := micros(1000 + 5*10); a.Summaries != want || a.Net() != micros(float64(saved))-want {
		t.Errorf("summaries %v, net %v, want %v and %v", a.Summaries, a.Net(), want, micros(float64(saved))-want)
	}
}

// TestConversationsAddUpToTheTotal observes any requests of several conversations of
// two scopes, at once.
func TestConversationsAddUpToTheTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		memory := &ledgerBook{}
		k, err := fit.New(&fit.Options{Meter: testkit.ByteMeter{}, Window: 100_000, Reserve: new(0), Cost: priced, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		tasks := map[string]fit.Task{}
		var wg sync.WaitGroup
		for i := range rapid.IntRange(1, 20).Draw(t, "requests") {
			name, scope := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), rapid.SampledFrom([]string{"", "x"}).Draw(t, "scope")
			task := fit.Task{Scope: fit.Scope{Tenant: scope}, Conversation: chat(name+"/yes", fmt.Sprint("more ", i))}
			tasks[name+scope] = task
			u := plimsoll.Usage{Input: rapid.IntRange(0, 100).Draw(t, "input"), CacheRead: rapid.IntRange(0, 100).Draw(t, "read"), Output: 3}
			wg.Go(func() {
				plan, err := k.Fit(context.Background(), task)
				if err == nil {
					err = k.Observe(context.Background(), task, plan, u)
				}
				if err != nil {
					t.Errorf("%v", err)
				}
			})
		}
		wg.Wait()
		var sum account.Account
		for _, task := range tasks {
			a, ok := k.AccountOf(task)
			if !ok {
				t.Fatal("a conversation has no account")
			}
			sum = sum.Add(a)
		}
		if diff := cmp.Diff(k.Total(), sum); diff != "" {
			t.Fatalf("(-total +sum of conversations):\n%s", diff)
		}
		if diff := cmp.Diff(sum, memory.total()); diff != "" {
			t.Fatalf("(-here +in the memory):\n%s", diff)
		}
	})
}

// ledgerBook is a memory that keeps accounts.
type ledgerBook struct {
	notebook
	lock sync.Mutex
	all  []account.Account
	full bool
}

func (b *ledgerBook) AddAccount(_ context.Context, a account.Account) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.full {
		return errors.New("the book is full")
	}
	b.all = append(b.all, a)
	return nil
}

func (b *ledgerBook) total() (sum account.Account) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for _, a := range b.all {
		sum = sum.Add(a)
	}
	return sum
}

func TestObserveSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	memory := &ledgerBook{full: true}
	k := newKeeper(t, 1000, fit.Options{Memory: memory})
	task := fit.Task{Conversation: chat("a")}
	if err := k.Observe(t.Context(), task, nil, plimsoll.Usage{}); !errors.Is(err, plimsoll.ErrInvalid) || plimsoll.HintOf(err) == "" {
		t.Errorf("without a plan: %v", err)
	}
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	if err := k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: 5}); err == nil {
		t.Error("a memory that fails is not told of")
	}
	if a := k.Total(); a.Requests != 1 || a.Usage.Input != 5 || a.Priced != 0 || a.Net() != 0 {
		t.Errorf("the keeper's own account is %+v", a)
	}
}

func TestF11_EstimatesThatAreOffAreToldOncePerModel(t *testing.T) {
	t.Parallel()
	var told []fit.CountDrift
	k := newKeeper(t, 10_000, fit.Options{Events: func(e fit.Event) { told = append(told, e.(fit.CountDrift)) }})
	conversations := 0
	observe := func(model string, billed int) {
		t.Helper()
		conversations++ // the count of one that goes on follows its bill
		task := fit.Task{Conversation: plimsoll.Conversation{Model: model, Messages: plimsoll.ListOf(numbered(conversations, plimsoll.User, 1000))}}
		plan, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: billed}))
	}
	observe("good", 1050)
	if len(told) != 0 {
		t.Fatalf("five per cent are told: %+v", told)
	}
	observe("bad", 800)
	observe("bad", 800)
	if len(told) != 1 || told[0].Model != "bad" || told[0].Estimated != 1000 || told[0].Billed != 800 || told[0].Off != 0.25 {
		t.Fatalf("told %+v, want once 1,000 for 800", told)
	}
	for range 20 {
		observe("bad", 1000)
	}
	observe("bad", 10_000)
	if len(told) != 2 || told[1].Off > -0.1 {
		t.Errorf("told %+v, want a second time when it began again", told)
	}
	// What was right for long does not hide for long that it is right no more.
	for range 200 {
		observe("moved", 1000)
	}
	for range 8 {
		observe("moved", 800)
	}
	if len(told) != 3 || told[2].Model != "moved" {
		t.Errorf("told %+v, want a third time when a model counts otherwise", told)
	}
}
