package fit_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
)

// spy notes what a policy is told, and cuts at one call.
type spy struct {
	outlooks []fit.Outlook
	// calls is how many the state counts.
	calls  int
	cutAt  int
	action fit.Action
}

func (s *spy) Next(state fit.PolicyState, o fit.Outlook) (fit.PolicyState, fit.Action) {
	s.outlooks = append(s.outlooks, o)
	state.Calls++
	s.calls = state.Calls
	if state.Calls == s.cutAt {
		return state, s.action
	}
	return state, fit.Wait
}

// readings is an agent's turn that reads files of 400 letters.
func readings(rounds int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "SYSTEM"), plimsoll.Say(plimsoll.User, "find the leak")}
	for i := range rounds {
		id := fmt.Sprint("c", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read", Arguments: fmt.Sprintf(`{"path":"hull_%d.go"}`, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: strings.Repeat(fmt.Sprint(i%10), 400)})}))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

func policyKeeper(t *testing.T, p fit.Policy, clock func() time.Time) *fit.Keeper {
	t.Helper()
	k, err := fit.New(&fit.Options{
		Meter: testkit.ByteMeter{}, Window: 100_000, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.8}, Archive: &vault{}, Sticky: true, Policy: p, Now: clock,
		Rungs: []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Compact{Tail: 2000, Size: 1500}, &rung.Slide{}},
	})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = k.Close() })
	return k
}

func TestAPolicyIsToldWhatCuttingWouldGain(t *testing.T) {
	t.Parallel()
	s := &spy{}
	k := policyKeeper(t, s, nil)
	_, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20)})
	testkit.Must(t, err)
	o := s.outlooks[0]
	// 17 of 20 outputs could be cleared, of about 400 each; behind the first stands
	// all but system and question.
	if o.Cheap.Removable < 17*370 || o.Cheap.Removable > 17*410 || o.Cheap.Rewritten < 3*400 || o.Cheap.Rewritten > o.Load-o.Cheap.Removable {
		t.Errorf("a cheap cut promises %+v of %d", o.Cheap, o.Load)
	}
	if o.Deep.Removable < 4000 || o.Deep.Removable >= o.Load-2000-1500 || o.Deep.Written != 0 {
		t.Errorf("a checkpoint promises %+v of %d", o.Deep, o.Load)
	}
	if o.Base < len("SYSTEM") || o.Base > 20 || o.High != 100_000 {
		t.Errorf("base %d, high %d", o.Base, o.High)
	}
}

func TestAPolicyIsToldThatAModelWritesASummary(t *testing.T) {
	t.Parallel()
	s := &spy{}
	k := compacting(t, nil, func(o *fit.Options) {
		o.Window, o.Policy, o.Rungs = 100_000, s, []fit.Rung{&rung.Compact{Summarizer: &scribe{}, Tail: 2000, Size: 1500}}
	})
	_, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20)})
	testkit.Must(t, err)
	if o := s.outlooks[0]; o.Deep.Removable == 0 || o.Deep.Written == 0 {
		t.Errorf("a checkpoint by a model promises %+v", o.Deep)
	}
}

// TestAPolicyIsToldWhatIsSoNow grows a conversation. What its policy is told may lag
// behind what a new keeper finds by a fiftieth of the load and one round.
func TestAPolicyIsToldWhatIsSoNow(t *testing.T) {
	t.Parallel()
	s := &spy{}
	k := policyKeeper(t, s, nil)
	for rounds := 140; rounds < 170; rounds++ {
		now := &spy{}
		for _, keeper := range []*fit.Keeper{k, policyKeeper(t, now, nil)} {
			_, err := keeper.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
			testkit.Must(t, err)
		}
		is, told := now.outlooks[0], s.outlooks[len(s.outlooks)-1]
		if lag := is.Cheap.Removable - told.Cheap.Removable; lag < 0 || lag > is.Load/50+500 {
			t.Fatalf("%d rounds: the policy is told of %d tokens that can go, %d can", rounds, told.Cheap.Removable, is.Cheap.Removable)
		}
	}
}

func TestAPolicyCutsWhatIsUnderTheLineAndLaterRequestsStayCut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action fit.Action
		want   string
	}{
		"cheaply":         {fit.CutCheap, "[tool output trimmed"},
		"by a checkpoint": {fit.CutDeep, summary.CheckpointTag},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut := 20
			k := policyKeeper(t, &spy{cutAt: 2, action: tt.action}, nil)
			var sent []string
			for rounds := cut - 1; rounds < cut+4; rounds++ {
				plan, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
				testkit.Must(t, err)
				sent = append(sent, transcriptOf(plan.Conversation()))
			}
			if strings.Contains(sent[0], tt.want) || !strings.Contains(sent[1], tt.want) {
				t.Fatalf("cut at the wrong request:\n%s", sent[1])
			}
			for i, later := range sent[2:] {
				if !strings.HasPrefix(later, sent[i+1]) {
					t.Errorf("request %d does not begin with the one before:\n%s\n%s", i+2, sent[i+1], later)
				}
			}
		})
	}
}

// transcriptOf writes all parts of a conversation, one a line.
func transcriptOf(c plimsoll.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				fmt.Fprintf(&b, "%s: %s\n", m.Role, p.Text)
			case plimsoll.ToolCall:
				fmt.Fprintf(&b, "%s: %s %s\n", m.Role, p.ID, p.Arguments)
			case plimsoll.ToolResult:
				fmt.Fprintf(&b, "%s: %s %s\n", m.Role, p.CallID, plimsoll.TextOf(p.Content))
			}
		}
	}
	return b.String()
}

func TestARetryAndAPlanAreNotCountedAsCalls(t *testing.T) {
	t.Parallel()
	s := &spy{}
	k := policyKeeper(t, s, nil)
	_, err := k.Fit(t.Context(), fit.Task{Conversation: readings(5)})
	testkit.Must(t, err)
	_, err = k.Fit(t.Context(), fit.Task{Conversation: readings(5)}) // the same request again
	testkit.Must(t, err)
	if s.calls != 1 {
		t.Errorf("one request was counted as %d calls", s.calls)
	}
	_, err = k.Plan(t.Context(), fit.Task{Conversation: readings(6)})
	testkit.Must(t, err)
	_, err = k.Fit(t.Context(), fit.Task{Conversation: readings(6)})
	testkit.Must(t, err)
	if s.calls != 2 {
		t.Errorf("two requests and a plan were counted as %d calls", s.calls)
	}
}

// TestTheRentRuleCutsALongSessionAndLeavesAShortOneAlone lets the engine work with
// the rule itself, one call a minute.
func TestTheRentRuleCutsALongSessionAndLeavesAShortOneAlone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	k := policyKeeper(t, &rent.Rent{}, func() time.Time { return now })
	cuts := map[int]int{}
	last := 0
	for rounds := 1; rounds <= 80; rounds++ {
		now = now.Add(time.Minute)
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
		testkit.Must(t, err)
		fresh := 0
		for _, r := range p.Rungs {
			if !r.Replayed && r.Saved > 0 {
				fresh++
			}
		}
		if fresh > 0 {
			cuts[rounds]++
			if last > 0 && rounds-last < 5 {
				t.Errorf("cuts at rounds %d and %d", last, rounds)
			}
			last = rounds
		}
	}
	for rounds := range cuts {
		if rounds <= 5 {
			t.Errorf("a session of %d rounds was cut", rounds)
		}
	}
	if len(cuts) < 2 || len(cuts) > 12 {
		t.Errorf("80 rounds were cut %d times: %v", len(cuts), cuts)
	}
}

// TestARequestUnderItsLineDoesNotWaitForASummary lets a policy ask for a checkpoint that
// a model must write: the request goes on as it is, and the checkpoint stands in the
// first one that comes when it is ready.
func TestARequestUnderItsLineDoesNotWaitForASummary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
		told := make(chan fit.ChatCompressed, 1)
		k := compacting(t, s, func(o *fit.Options) {
			o.Window, o.Sticky, o.Policy, o.Marks.Soft = 40_000, true, &spy{cutAt: 2, action: fit.CutDeep}, 1
			o.Rungs = []fit.Rung{&rung.Compact{Summarizer: s, Tail: 1000, Size: 800}}
			o.Events = func(e fit.Event) {
				if made, ok := e.(fit.ChatCompressed); ok {
					told <- made
				}
			}
		})
		for rounds := 13; rounds < 16; rounds++ { // at the second a summary is asked for, at the third it is not ready
			p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
			testkit.Must(t, err)
			if p.Changed() {
				t.Fatalf("%d rounds were cut", rounds)
			}
		}
		<-s.begun
		close(s.goOn)
		if made := <-told; made.Status != fit.Compressed {
			t.Fatalf("the compaction ended with %s: %s", made.Status, made.Reason)
		}
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(16)})
		testkit.Must(t, err)
		if !strings.Contains(transcriptOf(p.Conversation()), summary.CheckpointTag) || s.calls.Load() != 1 {
			t.Errorf("%d models were asked, and what is sent is\n%s", s.calls.Load(), transcriptOf(p.Conversation()))
		}
	})
}

func TestADeepCutWithoutASoftMarkIsMadeAtOnce(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, func(o *fit.Options) {
		o.Window, o.Sticky, o.Policy, o.Marks.Soft = 40_000, true, &spy{cutAt: 2, action: fit.CutDeep}, 0
		o.Rungs = []fit.Rung{&rung.Compact{Summarizer: s, Tail: 1000, Size: 800}}
	})
	for rounds := 13; rounds < 15; rounds++ {
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
		testkit.Must(t, err)
		if cut := rounds == 14; p.Changed() != cut {
			t.Errorf("%d rounds: cut %v, want %v", rounds, p.Changed(), cut)
		}
	}
}
