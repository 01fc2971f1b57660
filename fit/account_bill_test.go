package fit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// TestTheCacheDecidesWhatACutSavesAtTheEdges goes on from the figures of
// TestTheNetSavingIsWhatTheUncutConversationWouldHaveCostMore.
func TestTheCacheDecidesWhatACutSavesAtTheEdges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(*dialogue) account.Account
		want float64
	}{
		{
			"a cache that is as old as it may be still has the prompt",
			func(d *dialogue) account.Account {
				d.begin()
				d.now = d.now.Add(4 * time.Minute)
				d.drop = plimsoll.Span{Start: 1, End: 2}
				return d.grow()
			},
			-751.15,
		},
		{
			"a provider that counts twice as much bills twice the difference",
			func(d *dialogue) account.Account {
				d.factor = 2
				d.begin()
				d.drop = plimsoll.Span{Start: 1, End: 2}
				d.grow()
				return d.grow()
			},
			2 * (-751.15 + 400),
		},
		{
			"a keeper that has seen nothing before presumes no cache where none was read",
			func(d *dialogue) account.Account {
				d.cached = false
				d.begin()
				d.restart(fit.Options{})
				d.drop = plimsoll.Span{Start: 1, End: 2}
				return d.grow()
			},
			4000,
		},
		{
			"what was sent before ended in front of the last answer, whatever follows that",
			func(d *dialogue) account.Account {
				d.begin()
				d.restart(fit.Options{})
				d.drop = plimsoll.Span{Start: 1, End: 2}
				return d.call(100, sized(plimsoll.Assistant, 1000), sized(plimsoll.User, 500), sized(plimsoll.User, 501))
			},
			-751.15,
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

func TestARequestWithoutCutsCostsWhatItCost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		c plimsoll.Conversation
		u plimsoll.Usage
	}{
		"though a part of it is not cached":  {chat("q1/a1", "q2"), plimsoll.Usage{Input: 7, CacheCreation: 100, CacheRead: 1000, Output: 3}},
		"though its bill is without a cache": {chat("q1/a1", "q2"), plimsoll.Usage{Input: 107, Output: 3}},
		"though it has no messages":          {plimsoll.Conversation{}, plimsoll.Usage{Input: 5, Output: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, 1000, fit.Options{Cost: priced})
			task := fit.Task{Conversation: tt.c}
			plan, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			testkit.Must(t, k.Observe(t.Context(), task, plan, tt.u))
			paid, _ := priced("", tt.u)
			if a := k.Total(); a.Priced != 1 || a.Paid != account.Dollars(paid) || a.Uncut != a.Paid || a.Written != 0 {
				t.Errorf("paid %v, uncut %v, want %v for both; written again %d", a.Paid.USD(), a.Uncut.USD(), paid, a.Written)
			}
		})
	}
}

// TestACutOfWhatWasNeverSentIsNotBlamedForWhatTheCacheHasLost has a keeper that sees the
// conversation for the first time. The cache has lost most of what was sent.
func TestACutOfWhatWasNeverSentIsNotBlamedForWhatTheCacheHasLost(t *testing.T) {
	t.Parallel()
	for first, want := range map[int]int64{3: 0, 1: 1500} {
		d := newDialogue(t, fit.Options{})
		d.messages = []plimsoll.Message{
			sized(plimsoll.User, 1000), numbered(1, plimsoll.Assistant, 1000), numbered(2, plimsoll.User, 1000),
			numbered(3, plimsoll.Assistant, 1000), numbered(4, plimsoll.User, 1000),
		}
		d.drop = plimsoll.Span{Start: first, End: first + 1}
		plan, err := d.k.Fit(t.Context(), d.task())
		testkit.Must(t, err)
		testkit.Must(t, d.k.Observe(t.Context(), d.task(), plan, plimsoll.Usage{CacheRead: 500, CacheCreation: 3500}))
		if a := d.k.Total(); a.Written != want {
			t.Errorf("message %d was cut: %d tokens were written again, want %d", first, a.Written, want)
		}
	}
}

// framed adds 13 tokens to a conversation beside its messages.
type framed struct{ testkit.ByteMeter }

func (m framed) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := m.ByteMeter.Weigh(c)
	load.Framing, load.Total = 13, load.Total+13
	return load
}

// TestInstructionsToolsAndFramingAreAtTheHeadOfThePrompt has 500 tokens at the head and
// five messages of 1,000 each, of which the second is cut.
func TestInstructionsToolsAndFramingAreAtTheHeadOfThePrompt(t *testing.T) {
	t.Parallel()
	var messages []plimsoll.Message
	for i := range 5 {
		role := plimsoll.User
		if i%2 == 1 {
			role = plimsoll.Assistant
		}
		messages = append(messages, numbered(i, role, 1000))
	}
	c := plimsoll.Conversation{
		System: testkit.Text(strings.Repeat("s", 193)), Tools: plimsoll.ListOf(plimsoll.Tool{Name: strings.Repeat("t", 276)}),
		Messages: plimsoll.ListOf(messages...),
	}
	for _, tt := range []struct {
		name        string
		read        int
		uncutRead   int
		writtenMore int64
	}{
		// Without the cut all in front of the last answer would have been read.
		{"the cache has the head", 500, 3500, 2000},
		{"the cache has the head and a message", 1500, 3500, 1000},
		{"the cache has the head and two messages", 2500, 3500, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			drop := rungOf("drop", func(w *fit.Work) error {
				return w.Draft().Drop(plimsoll.Span{Start: 1, End: 2}, testkit.Because)
			})
			k, err := fit.New(&fit.Options{Meter: framed{}, Window: 100_000, Reserve: new(0), Cost: priced, Arrival: []fit.Rung{drop}})
			testkit.Must(t, err)
			task := fit.Task{Conversation: c}
			plan, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if plan.Before.Total != 5500 || plan.After.Total != 4500 {
				t.Fatalf("%d tokens became %d", plan.Before.Total, plan.After.Total)
			}
			testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{CacheRead: tt.read, CacheCreation: 4500 - tt.read}))
			want, _ := priced("", plimsoll.Usage{CacheRead: tt.uncutRead, CacheCreation: 5500 - tt.uncutRead})
			if a := k.Total(); a.Uncut != account.Dollars(want) || a.Written != tt.writtenMore {
				t.Errorf("uncut %v, want %v; %d written again, want %d", a.Uncut.USD(), want, a.Written, tt.writtenMore)
			}
		})
	}
}

// TestWhatStandsInFrontOfTheEndOfTheCacheWouldHaveBeenReadToo cuts the second of five
// messages of 1,000 tokens behind a head of 500, from the first request on. Nothing is
// broken by that. What the cache has of the prompt decides whether it would have had
// the message.
func TestWhatStandsInFrontOfTheEndOfTheCacheWouldHaveBeenReadToo(t *testing.T) {
	t.Parallel()
	drop := rungOf("drop", func(w *fit.Work) error {
		return w.Draft().Drop(plimsoll.Span{Start: 1, End: 2}, testkit.Because)
	})
	for read, want := range map[int]int{0: 0, 500: 500, 1500: 1500, 1501: 2501, 2500: 3500, 3500: 4500} {
		t.Run(fmt.Sprint(read, " tokens are read"), func(t *testing.T) {
			t.Parallel()
			k, err := fit.New(&fit.Options{Meter: framed{}, Window: 100_000, Reserve: new(0), Cost: priced, Arrival: []fit.Rung{drop}})
			testkit.Must(t, err)
			c := plimsoll.Conversation{System: testkit.Text(strings.Repeat("s", 193)), Tools: plimsoll.ListOf(plimsoll.Tool{Name: strings.Repeat("t", 276)})}
			var messages []plimsoll.Message
			for i := range 5 {
				messages = append(messages, numbered(i, plimsoll.User, 1000))
			}
			var uncut account.Money
			for n := 4; n <= 5; n++ {
				c.Messages = plimsoll.ListOf(messages[:n]...)
				task := fit.Task{Conversation: c}
				plan, err := k.Fit(t.Context(), task)
				testkit.Must(t, err)
				uncut = k.Total().Uncut
				// The provider bills two tokens for one of the meter.
				u := plimsoll.Usage{CacheRead: 2 * read, CacheCreation: 2 * (500 + 1000*(n-1) - read)}
				testkit.Must(t, k.Observe(t.Context(), task, plan, u))
			}
			price, _ := priced("", plimsoll.Usage{CacheRead: 2 * want, CacheCreation: 2 * (5500 - want)})
			if got := k.Total().Uncut - uncut; got != account.Dollars(price) {
				t.Errorf("the second request would have cost %v, want %v", got.USD(), price)
			}
		})
	}
}

// TestACutOfTheLastMessageWouldHaveBeenReadWhenTheRequestIsSentAgain reads the whole
// prompt from the cache at the second try.
func TestACutOfTheLastMessageWouldHaveBeenReadWhenTheRequestIsSentAgain(t *testing.T) {
	t.Parallel()
	shorten := rungOf("shorten", func(w *fit.Work) error {
		return w.Draft().ReplaceResult(plimsoll.PartRef{Message: 4}, testkit.Text("short"), testkit.Because)
	})
	k := newKeeper(t, 1000, fit.Options{Cost: priced, Arrival: []fit.Rung{shorten}})
	task := fit.Task{Conversation: outputs()}
	var before int
	var uncut account.Money
	for range 2 {
		plan, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		if len(plan.Edits) != 1 {
			t.Fatalf("edits %+v", plan.Edits)
		}
		before, uncut = plan.Before.Total, k.Total().Uncut
		testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{CacheRead: plan.After.Total}))
	}
	if got, want := k.Total().Uncut-uncut, micros(0.1*float64(before)); got != want {
		t.Errorf("the second try would have cost %v, want %v", got.USD(), want.USD())
	}
}

func TestABreakIsWhateverChangesWhatWasSentBefore(t *testing.T) {
	t.Parallel()
	note := ""
	noting := rungOf("note", func(w *fit.Work) error {
		if note == "" {
			return nil
		}
		if err := w.Draft().Drop(plimsoll.Span{Start: 1, End: 3}, testkit.Because); err != nil {
			return err
		}
		_, err := w.Draft().Insert(3, plimsoll.Say(plimsoll.User, note), testkit.Because)
		return err
	})
	k := newKeeper(t, 10_000, fit.Options{Arrival: []fit.Rung{noting}})
	turns := []string{strings.Repeat("q", 100) + "/" + strings.Repeat("a", 100)}
	for _, tt := range []struct {
		name   string
		note   string
		offer  []plimsoll.Tool
		breaks int64
	}{
		{"the first request", "", nil, 0},
		{"the same and more", "", nil, 0},
		{"tools come", "", cacheTools()[:1], 1},
		{"the tools stay", "", cacheTools()[:1], 1},
		{"other tools come", "", cacheTools()[1:], 2},
		{"messages are replaced by a note", "one", cacheTools()[1:], 3},
		{"the note stays", "one", cacheTools()[1:], 3},
		{"another note comes", "two", cacheTools()[1:], 4},
		{"everything is as it was at first", "", nil, 5},
	} {
		turns = append(turns, fmt.Sprint("question ", len(turns), "/answer"))
		note = tt.note
		task := fit.Task{Conversation: chat(append(turns, "and now?")...), Offer: tt.offer, OfferAlways: true}
		// The next request goes on from this one: what it asks is the next turn's question.
		messages := task.Conversation.Messages.Slice()
		task.Conversation.Messages = plimsoll.ListOf(messages[:len(messages)-2]...)
		plan, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: plan.After.Total}))
		if got := k.Total().Breaks; got != tt.breaks {
			t.Errorf("%s: %d breaks, want %d", tt.name, got, tt.breaks)
		}
	}
}
