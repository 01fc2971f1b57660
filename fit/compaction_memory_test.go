package fit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

func TestACheckpointIsReplayedWordForWordOnLaterRequests(t *testing.T) {
	t.Parallel()
	memory := &notebook{}
	s := &scribe{}
	k := compacting(t, s, func(o *fit.Options) { o.Memory = memory })
	first, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	if err != nil {
		t.Fatal(err)
	}
	restarted := compacting(t, &scribe{text: "<state_snapshot>\nother words\n</state_snapshot>"}, func(o *fit.Options) { o.Memory = memory })
	for name, keeper := range map[string]*fit.Keeper{"the same process": k, "another process": restarted} {
		c := talk(15)
		// What came before the last question of the first request is the same.
		c.Messages = plimsoll.ListOf(append(talk(14).Messages.Slice()[:28], c.Messages.Slice()[28:]...)...)
		next, err := keeper.Fit(t.Context(), fit.Task{Conversation: c})
		if err != nil {
			t.Fatal(err)
		}
		one, two := said(first.Conversation()), said(next.Conversation())
		shared := strings.TrimSuffix(one, "user: and now?\n")
		if !strings.Contains(one, "<plimsoll_checkpoint>") || !strings.HasPrefix(two, shared) {
			t.Errorf("%s sends another prefix:\n%s", name, cmp.Diff(one, two))
		}
		if next.After.Exceeds(next.Line) {
			t.Errorf("%s sends %d tokens", name, next.After.Total)
		}
	}
	if n := s.calls.Load(); n != 1 {
		t.Errorf("the summariser was asked %d times", n)
	}
}

func TestACheckpointThatStandsCountsAsMade(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, nil)
	task := fit.Task{Conversation: talk(14)}
	first, err := k.Compact(t.Context(), task, fit.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	was := first
	for _, o := range []fit.CompactOptions{{}, {Force: true}, {Force: true}, {Force: true}, {}} {
		asked := s.calls.Load()
		again, err := k.Compact(t.Context(), task, o)
		if err != nil {
			t.Fatal(err)
		}
		if again.Status != fit.Compressed || again.Checkpoint == nil || again.Before != first.Before {
			t.Errorf("forced %v: %s with checkpoint %v, %d tokens before, want %d", o.Force, again.Status, again.Checkpoint, again.Before, first.Before)
		}
		made := s.calls.Load() > asked
		if diff := cmp.Diff(said(was.Plan.Conversation()), said(again.Plan.Conversation())); diff != "" && !made {
			t.Errorf("forced %v: no new checkpoint, and (-before +after):\n%s", o.Force, diff)
		}
		if made == (again.Reason != "") || made && !o.Force {
			t.Errorf("forced %v: made %v, reason %q", o.Force, made, again.Reason)
		}
		was = again
	}
}

func TestAnotherHistoryIsNotGivenTheCheckpoint(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, func(o *fit.Options) { o.Memory = &notebook{} })
	if _, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)}); err != nil {
		t.Fatal(err)
	}
	edited := talk(14)
	messages := edited.Messages.Slice()
	messages[0] = plimsoll.Say(plimsoll.User, "question 0, but another one")
	edited.Messages = plimsoll.ListOf(messages...)
	line, err := k.Line(talk(14)) // the limit of a scope would be another line
	testkit.Must(t, err)
	for name, task := range map[string]fit.Task{
		"an edited history":          {Conversation: edited},
		"the same history by name":   {Conversation: talk(14), Scope: fit.Scope{Conversation: "other"}},
		"by another name":            {Conversation: talk(14), Scope: fit.Scope{Conversation: "third"}},
		"the same history by preset": {Conversation: talk(14), Scope: fit.Scope{Preset: "other"}},
		"by another preset":          {Conversation: talk(14), Scope: fit.Scope{Preset: "third"}},
		"by another limit":           {Conversation: talk(14), Scope: fit.Scope{Limit: 5000}, Line: &line},
		"the same history by limit":  {Conversation: talk(14), Scope: fit.Scope{Limit: 4000}, Line: &line},
		"the same history by model":  {Conversation: plimsoll.Conversation{Model: "other", Messages: talk(14).Messages}},
		"by another model":           {Conversation: plimsoll.Conversation{Model: "another", Messages: talk(14).Messages}},
	} {
		before := s.calls.Load()
		if _, err := k.Fit(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		if s.calls.Load() != before+1 {
			t.Errorf("%s was given another's checkpoint", name)
		}
	}
}

func TestAnotherTenantIsNotGivenTheCheckpoint(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, nil)
	for _, tenant := range []string{"anna", "bert"} {
		if _, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14), Scope: fit.Scope{Tenant: tenant}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.calls.Load(); n != 2 {
		t.Errorf("the summariser was asked %d times for two tenants", n)
	}
}

func TestPlanningAsksNoModelAndRemembersNothing(t *testing.T) {
	t.Parallel()
	s, memory, archive := &scribe{}, &notebook{}, &vault{}
	told := 0
	k := compacting(t, s, func(o *fit.Options) {
		o.Memory, o.Archive = memory, archive
		o.Events = func(fit.Event) { told++ }
		o.Hooks.PreCompress = []func(context.Context, fit.PreCompress) (fit.Verdict, error){
			func(context.Context, fit.PreCompress) (fit.Verdict, error) {
				told++
				return fit.Verdict{}, nil
			},
		}
	})
	plan, err := k.Plan(t.Context(), fit.Task{Conversation: talk(14)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said(plan.Conversation()), "<plimsoll_checkpoint>") {
		t.Error("the plan has no checkpoint")
	}
	if s.calls.Load() != 0 || len(memory.decisions) != 0 || len(archive.kept) != 0 || told != 0 {
		t.Errorf("planning made %d calls, %d decisions, %d stored contents, %d hooks and events", s.calls.Load(), len(memory.decisions), len(archive.kept), told)
	}
}

func TestTheCheckpointIsPreparedWhileRequestsGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
		landed := make(chan fit.ChatCompressed, 1)
		k := compacting(t, s, func(o *fit.Options) {
			o.Events = func(e fit.Event) {
				if done, ok := e.(fit.ChatCompressed); ok {
					landed <- done
				}
			}
		})
		soft, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9)}) // over the soft mark, under the line
		if err != nil {
			t.Fatal(err)
		}
		if soft.Changed() {
			t.Fatal("the request over the soft mark was edited before the checkpoint was ready")
		}
		<-s.begun
		again, err := k.Fit(t.Context(), fit.Task{Conversation: talk(10)}) // goes on without waiting
		if err != nil || again.Changed() {
			t.Fatalf("a request did not go on meanwhile: %v", err)
		}
		close(s.goOn)
		if done := <-landed; done.Status != fit.Compressed || done.Trigger != fit.Automatic || done.After >= done.Before {
			t.Fatalf("the event says %+v", done)
		}
		next, err := k.Fit(t.Context(), fit.Task{Conversation: talk(10)}) // has moved on, and begins with the same prefix
		if err != nil {
			t.Fatal(err)
		}
		if all := said(next.Conversation()); !strings.Contains(all, "<plimsoll_checkpoint>") || !strings.Contains(all, "answer 9") {
			t.Errorf("the checkpoint was not swapped in:\n%s", all)
		}
		if s.calls.Load() != 1 {
			t.Errorf("the summariser was asked %d times", s.calls.Load())
		}
	})
}

func TestARequestOverTheLineWaitsForTheCheckpointThatIsBeingMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{begun: make(chan struct{}, 9), goOn: make(chan struct{})}
		waiting := make(chan struct{}, 16)
		k := compacting(t, s, func(o *fit.Options) {
			o.Events = func(e fit.Event) {
				if p, ok := e.(fit.CompressionProgress); ok && p.Waiting {
					waiting <- struct{}{}
				}
			}
		})
		if _, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9)}); err != nil {
			t.Fatal(err)
		}
		<-s.begun
		done := make(chan string, 3)
		for range 3 {
			go func() {
				plan, err := k.Fit(context.Background(), fit.Task{Conversation: talk(14)})
				if err != nil {
					done <- err.Error()
					return
				}
				done <- said(plan.Conversation())
			}()
		}
		<-waiting
		close(s.goOn)
		for range 3 {
			if got := <-done; !strings.Contains(got, "<plimsoll_checkpoint>") || !strings.Contains(got, "answer 13") {
				t.Errorf("no checkpoint, or what came after it is lost:\n%s", got)
			}
		}
		// What was waited for is enough; having grown since, the conversation may be
		// over the soft mark again.
		if n := s.calls.Load(); n > 2 {
			t.Errorf("the summariser was asked %d times for one prefix", n)
		}
	})
}

func TestOtherConversationsDoNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
		k := compacting(t, s, nil)
		ctx, cancel := context.WithCancel(t.Context())
		stuck := make(chan error, 1)
		go func() { _, err := k.Fit(ctx, fit.Task{Conversation: talk(14)}); stuck <- err }()
		<-s.begun
		small := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "something else"))}
		if _, err := k.Fit(t.Context(), fit.Task{Conversation: small}); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-stuck; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that went away got %v", err)
		}
	})
}

func TestTwoProcessesMakeOneCheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := &notebook{}
		one := &scribe{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
		two := &scribe{}
		k1 := compacting(t, one, func(o *fit.Options) { o.Memory = memory })
		k2 := compacting(t, two, func(o *fit.Options) { o.Memory = memory })
		first := make(chan string, 1)
		go func() {
			plan, err := k1.Fit(context.Background(), fit.Task{Conversation: talk(14)})
			if err != nil {
				first <- err.Error()
				return
			}
			first <- said(plan.Conversation())
		}()
		<-one.begun
		second := make(chan string, 1)
		go func() {
			plan, err := k2.Fit(context.Background(), fit.Task{Conversation: talk(14)})
			if err != nil {
				second <- err.Error()
				return
			}
			second <- said(plan.Conversation())
		}()
		time.Sleep(time.Minute) // whatever the order, both must send the same
		close(one.goOn)
		if a, b := <-first, <-second; a != b {
			t.Errorf("the processes send different histories:\n%s", cmp.Diff(a, b))
		}
		if two.calls.Load() != 0 {
			t.Error("the second process asked a model, too")
		}
	})
}

// busy is a memory in which another process makes every checkpoint.
type busy struct {
	notebook
	asked atomic.Int32
}

func (b *busy) Lease(context.Context, string, time.Duration) (func(), bool, error) {
	b.asked.Add(1)
	return nil, false, nil
}

func TestACheckpointThatNoRequestWaitsForIsLeftToTheProcessThatMakesIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, s := &busy{}, &scribe{}
		k := compacting(t, s, func(o *fit.Options) { o.Memory = memory })
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9)}) // over the soft mark, under the line
		if err != nil || plan.Changed() {
			t.Fatalf("edits %v, error %v", plan.Edits, err)
		}
		time.Sleep(time.Minute)
		if n := memory.asked.Load(); n != 1 || s.calls.Load() != 0 {
			t.Errorf("the lease was asked for %d times, and %d models", n, s.calls.Load())
		}
	})
}

// TestAProcessThatIsAtWorkIsWaitedForLongerThanALeaseLasts lets a model take four
// minutes.
func TestAProcessThatIsAtWorkIsWaitedForLongerThanALeaseLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, two := &notebook{}, &scribe{}
		one := &scribe{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
		var sent [2]string
		var ends sync.WaitGroup
		fit := func(i int, s *scribe) {
			k := compacting(t, s, func(o *fit.Options) { o.Memory = memory })
			ends.Go(func() {
				plan, err := k.Fit(context.Background(), fit.Task{Conversation: talk(14)})
				if err == nil {
					sent[i] = said(plan.Conversation())
				}
			})
		}
		fit(0, one)
		<-one.begun
		fit(1, two)
		time.Sleep(4 * time.Minute)
		close(one.goOn)
		ends.Wait()
		if two.calls.Load() != 0 || sent[0] == "" || sent[0] != sent[1] {
			t.Errorf("the second process asked %d models, and they send\n%s\nand\n%s", two.calls.Load(), sent[0], sent[1])
		}
	})
}

// TestAWalkThatFailsLetsTheNextOneGoOn blocks if the walk that failed is still waited for.
func TestAWalkThatFailsLetsTheNextOneGoOn(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*testing.T, *fit.Keeper, *scribe){
		"because its caller went away": func(t *testing.T, k *fit.Keeper, s *scribe) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-s.begun; cancel() }()
			if _, err := k.Fit(ctx, fit.Task{Conversation: talk(14)}); !errors.Is(err, context.Canceled) {
				t.Errorf("the walk ended with %v", err)
			}
		},
		"because the caller of a compaction went away": func(t *testing.T, k *fit.Keeper, s *scribe) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-s.begun; cancel() }()
			if _, err := k.Compact(ctx, fit.Task{Conversation: talk(14)}, fit.CompactOptions{Force: true}); !errors.Is(err, context.Canceled) {
				t.Errorf("the compaction ended with %v", err)
			}
		},
		"because the archive is full": func(t *testing.T, k *fit.Keeper, s *scribe) {
			go func() { <-s.begun; s.goOn <- struct{}{} }()
			p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14), Archive: &vault{full: true}})
			if err != nil || p.Degraded == "" {
				t.Errorf("degraded %q, error %v", p.Degraded, err)
			}
		},
		"in the background, because the archive is full": func(t *testing.T, k *fit.Keeper, s *scribe) {
			if _, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9), Archive: &vault{full: true}}); err != nil {
				t.Error(err)
			}
			<-s.begun
			s.goOn <- struct{}{}
			synctest.Wait()
		},
		"by a panic": func(t *testing.T, k *fit.Keeper, s *scribe) {
			go func() { <-s.begun; s.goOn <- struct{}{} }()
			defer func() {
				if recover() == nil {
					t.Error("there was no panic")
				}
			}()
			_, _ = k.Fit(t.Context(), fit.Task{Conversation: talk(14), Check: func(d *plimsoll.Draft, _ []byte) error { panic("a check") }})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scribe{begun: make(chan struct{}), goOn: make(chan struct{})}
				k := compacting(t, s, nil)
				fail(t, k, s)
				go func() { <-s.begun; close(s.goOn) }()
				p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
				testkit.Must(t, err)
				if !strings.Contains(said(p.Conversation()), "<plimsoll_checkpoint>") {
					t.Errorf("the next request has no checkpoint:\n%s", said(p.Conversation()))
				}
			})
		})
	}
}
