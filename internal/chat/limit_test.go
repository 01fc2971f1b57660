package chat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// long is a text of about so many tokens.
func long(tokens int) string { return strings.TrimSpace(strings.Repeat("ship ", tokens)) }

// chatter answers everything at length.
func chatter(tokens int) *scripted.Options {
	var mu sync.Mutex
	n := 0
	return &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		if c.End() != scripted.EndUser {
			return scripted.Step{}, false
		}
		mu.Lock()
		defer mu.Unlock()
		n++
		return scripted.Say(fmt.Sprintf("Answer %d: %s", n, long(tokens))), true
	}}
}

func TestF04_ASystemPromptOverTheLimitIsRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.o.System, tt.o.Limit = long(2000), 1000
	tt.open()
	err := tt.try("Hello?")
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "System prompt") || !strings.Contains(plimsoll.HintOf(err), "/system") {
		t.Fatalf("error %v, hint %q", err, plimsoll.HintOf(err))
	}
	if n := len(tt.requests("openai")); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
	tt.o.System = ""
	tt.o.Session = ""
	tt.open()
	if err := tt.try("/system " + long(2000)); !errors.As(err, &over) {
		t.Errorf("/system: %v", err)
	}
	tt.do("/system Be brief.")
}

func TestF05_ATurnOverTheLimitIsRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, nil)
			tt.o.System, tt.o.Limit = "Be brief.", 1000
			tt.open()
			err := tt.try(long(3000))
			var over *plimsoll.OverloadError
			if !errors.As(err, &over) || !strings.Contains(err.Error(), "Single turn too long") || !strings.Contains(plimsoll.HintOf(err), "shorten the message by") {
				t.Fatalf("error %v, hint %q", err, plimsoll.HintOf(err))
			}
			if n := len(tt.requests(api)); n != 0 {
				t.Errorf("%d requests were sent, want none", n)
			}
			if n := len(tt.engine.Turns()); n != 0 {
				t.Errorf("%d turns are in the history, want none", n)
			}
			tt.do("Short.")
		})
	}
}

func TestF05_OneWhoCannotTakeAMessageDoesNotKeepItFromOthers(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.invite("ollama", nil)
	tt.o.Keeper = keepers(func(o *fit.Options) {
		known := o.Limits
		o.Limits = func(c plimsoll.Conversation) (plimsoll.Line, error) {
			if c.Model == usual["ollama"] {
				return plimsoll.Line{Window: 500}, nil
			}
			return known(c)
		}
	})
	tt.open()
	tt.do("@all " + long(2000))
	if failed := all[chat.Failed](tt); len(failed) != 1 || failed[0].Participant != "ollama" || !errors.Is(failed[0].Err, plimsoll.ErrOverLimit) {
		t.Fatalf("failed: %+v", failed)
	}
	if answered := all[chat.Answered](tt); len(answered) != 1 || answered[0].Participant != "openai" {
		t.Fatalf("answered: %+v", answered)
	}
}

func TestF03_S07_TurnsThatWillGoAreToldBefore(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(150))
	tt.o.Limit, tt.o.Method = 1000, "window"
	tt.open()
	for i := range 20 {
		tt.do(fmt.Sprintf("Question %d?", i))
		for j, e := range tt.events {
			n, ok := e.(chat.Notice)
			if !ok || n.Kind != chat.NoticeGoing {
				continue
			}
			if !strings.Contains(n.Text, "will go") || !strings.Contains(n.Text, "→") {
				t.Errorf("notice %q", n.Text)
			}
			if _, ok := tt.events[j+1].(chat.Asked); !ok {
				t.Errorf("the notice comes after the message was sent: %+v", tt.events)
			}
			first := show(tt.sent("openai"))
			if strings.Contains(first, "Question 0?") {
				t.Errorf("what was to go was sent:\n%s", first)
			}
			return
		}
	}
	t.Error("nothing went in 20 turns of 150 tokens under a limit of 1000")
}

func TestF02_AHistoryOverTheLimitIsSeenOnTheGauge(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(100))
	tt.o.Method = "window"
	tt.open()
	for i := range 5 {
		tt.do(fmt.Sprintf("Question %d?", i))
	}
	if g := tt.engine.Gauges()[0]; g.Level != chat.Calm || g.Cut != 0 {
		t.Fatalf("gauge %v, level %d", g, g.Level)
	}
	tt.do("/limit 400")
	if g := tt.engine.Gauges()[0]; g.Cut == 0 || g.Window != 400 || g.Free < 0 {
		t.Errorf("gauge %v does not say that the history exceeds the limit", g)
	}
	tt.do("/limit 20")
	if g := tt.engine.Gauges()[0]; g.Level != chat.Hard || g.Free >= 0 {
		t.Errorf("gauge %v, level %d, does not say that nothing fits", g, g.Level)
	}
}

func TestF07_EstimatesAreTold(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.invite("gemini", nil)
	tt.open()
	var told []string
	tt.engine.Greet(func(e chat.Event) { told = append(told, fmt.Sprint(e)) })
	if text := strings.Join(told, "\n"); !strings.Contains(text, "gemini") || strings.Contains(text, "gpt-4o") {
		t.Errorf("told %q, want that gemini's tokens are estimated and no others", text)
	}
	gauges := tt.engine.Gauges()
	if len(gauges) != 2 || !gauges[0].Exact || gauges[1].Exact {
		t.Errorf("gauges: %+v", gauges)
	}
}

func TestF09_WhatIsWrongWithTheSettingsIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.o.Problems = []error{errors.New("GEMINI_MAX_CONTEXT_LENGTH: \"many\" is no number; the default is used")}
	tt.open()
	tt.engine.Greet(func(e chat.Event) { tt.events = append(tt.events, e) })
	if got := tt.notice(chat.NoticeWarning); !strings.Contains(got, "GEMINI_MAX_CONTEXT_LENGTH") {
		t.Errorf("told %q", got)
	}
}

func TestF10_AnOverflowInSpiteOfEverythingIsExplained(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, &scripted.Options{Window: 50})
			tt.open()
			tt.do("Hello? " + long(200))
			failed := all[chat.Failed](tt)
			if len(failed) != 1 || !errors.Is(failed[0].Err, plimsoll.ErrOverLimit) || !strings.Contains(plimsoll.HintOf(failed[0].Err), "/edit") {
				t.Fatalf("failed: %+v", failed)
			}
			if n := len(tt.engine.Turns()); n != 1 {
				t.Errorf("%d turns, want 1 that can be edited and sent again", n)
			}
		})
	}
}

func TestF10_AHistoryShortenedByHandIsSent(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", &scripted.Options{Window: 300, Script: scripted.Steps(scripted.Step{Again: true, Text: "Yes."})})
	tt.open()
	tt.engine.Attend(chat.Desk{Edit: func(_ context.Context, text string) (string, error) {
		return strings.ReplaceAll(text, long(400), "much shorter"), nil
	}})
	tt.do("Is this too long? " + long(400))
	if failed := all[chat.Failed](tt); len(failed) != 1 {
		t.Fatalf("events: %+v", tt.events)
	}
	tt.do("/edit")
	tt.do("/retry")
	if got := show(tt.sent("openai")); got != "user: Is this too long? much shorter" {
		t.Errorf("sent %q", got)
	}
	if answered := all[chat.Answered](tt); len(answered) != 1 {
		t.Errorf("events: %+v", tt.events)
	}
}

func TestG04_CompressionIsAutomaticAndForced(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(200))
	tt.o.Limit, tt.o.Method = 2000, "hybrid"
	tt.open()
	for i := range 20 {
		tt.do(fmt.Sprintf("Question %d about quay_%d.go?", i, i))
		if text := tt.notice(chat.NoticeCompressed); text != "" {
			if !strings.Contains(text, "→") {
				t.Errorf("notice %q", text)
			}
			if n := tt.engine.Gauges()[0]; n.Free < 0 || n.Cut == 0 {
				t.Errorf("gauge %+v", n)
			}
			return
		}
	}
	t.Error("nothing was compressed in 20 turns of 200 tokens under a limit of 2000")
}

func TestWhatIsToldBeforehandIsWhatIsDone(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"openai", "responses", "anthropic", "gemini"} {
		for _, method := range []string{"window", "summary", "hybrid"} {
			t.Run(api+" "+method, func(t *testing.T) {
				t.Parallel()
				tt := newTable(t)
				tt.invite(api, chatter(200))
				if api == "openai" {
					tt.keep()
				}
				tt.o.Limit, tt.o.Method, tt.o.System = 1800, method, "Be brief."
				tt.open()
				cuts := 0
				for i := range 14 {
					tt.do(fmt.Sprintf("Question %d?", i))
					going := tt.notice(chat.NoticeGoing)
					answered := all[chat.Answered](tt)
					if len(answered) != 1 {
						t.Fatalf("events: %+v", tt.events)
					}
					if going == "" {
						continue
					}
					cuts++
					if want := "→ " + chat.Tokens(answered[0].Load.Total, answered[0].Load.Exact) + " tokens"; !strings.Contains(going, want) {
						t.Errorf("turn %d: told %q, and sent %s", i, going, want)
					}
				}
				if cuts == 0 || cuts > 6 {
					t.Errorf("%d cuts in 14 turns, want some, and not one each turn", cuts)
				}
			})
		}
	}
}

func TestAHigherLimitBringsBackWhatWasCutByItself(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(200))
	tt.o.Limit, tt.o.Method = 2500, "hybrid"
	tt.open()
	for i := range 15 {
		tt.do(fmt.Sprintf("Question %d?", i))
	}
	if g := tt.engine.Gauges()[0]; g.Cut == 0 {
		t.Fatalf("nothing is cut: %v", g)
	}
	tt.do("/limit off")
	tt.do("And now?")
	if got := tt.sent("openai").Messages.Len(); got != 31 {
		t.Errorf("%d messages were sent, want all 31", got)
	}
}

func TestG15_CompressTellsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.keep()
	tt.invite("openai", chatter(300))
	tt.invite("anthropic", chatter(300))
	tt.invite("gemini", chatter(300))
	tt.o.Limit = 8000
	tt.open()
	for i := range 5 {
		tt.do(fmt.Sprintf("@all Question %d about quay_%d.go?", i, i))
	}
	before := tt.engine.Gauges()
	tt.do("/compress the quays")
	text := tt.notice(chat.NoticeCompressed)
	if !strings.Contains(text, "→") || !strings.Contains(text, "/undo") || !strings.Contains(text, "/expand ") {
		t.Fatalf("notice %q", text)
	}
	for i, g := range tt.engine.Gauges() {
		if g.History >= before[i].History {
			t.Errorf("%s: history %d tokens, was %d", g.Participant, g.History, before[i].History)
		}
	}
	turns := tt.engine.Turns()
	if turns[0].Checkpoint == nil || turns[0].Checkpoint.Turns+len(turns)-1 != 5 {
		t.Fatalf("turns: %+v", turns)
	}
	tt.do("@all And now?")
	if failed := all[chat.Failed](tt); len(failed) > 0 {
		t.Fatalf("after a compression: %v", failed[0].Err)
	}
	tt.do("/expand " + turns[0].Checkpoint.Ref)
	if text := tt.notice(chat.NoticeData); !strings.Contains(text, "Question 0 about quay_0.go?") {
		t.Errorf("/expand shows %.300q", text)
	}
	tt.do("/grep " + turns[0].Checkpoint.Ref + " quay_[0-9]")
	if text := tt.notice(chat.NoticeData); !strings.Contains(text, "quay_0.go") {
		t.Errorf("/grep shows %.300q", text)
	}
	tt.do("/undo")
	if turns := tt.engine.Turns(); len(turns) != 6 || turns[0].Question != "Question 0 about quay_0.go?" || turns[5].Question != "And now?" {
		t.Errorf("after /undo there are %d turns: %+v", len(turns), turns)
	}
}

func TestG14_HooksHearOfManualAndAutomaticCompressions(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var triggers []fit.Trigger
	apis := map[plimsoll.Dialect]bool{}
	tt := newTable(t)
	tt.invite("gemini", chatter(200))
	tt.o.Limit, tt.o.Method = 2000, "hybrid"
	tt.o.Keeper = keepers(func(o *fit.Options) {
		o.Hooks.PreCompress = append(o.Hooks.PreCompress, func(_ context.Context, about fit.PreCompress) (fit.Verdict, error) {
			mu.Lock()
			defer mu.Unlock()
			triggers, apis[about.Conversation.Dialect] = append(triggers, about.Trigger), true
			return fit.Verdict{}, nil
		})
	})
	tt.open()
	for i := range 3 {
		tt.do(fmt.Sprintf("Question %d?", i))
	}
	tt.do("/compress")
	for i := range 12 {
		tt.do(fmt.Sprintf("Further question %d?", i))
	}
	if len(triggers) < 2 || triggers[0] != fit.Manual || triggers[1] != fit.Automatic {
		t.Errorf("hooks heard %v, want manual, then auto", triggers)
	}
	if len(apis) != 1 || !apis[plimsoll.Gemini] {
		t.Errorf("hooks heard of the APIs %v, and the chat is one of Gemini", apis)
	}
}

// TestC08_CompressAsksTheParticipantsOwnServer compresses by hand: the participant's model
// writes the summary, with its key, and the person sees that.
func TestC08_CompressAsksTheParticipantsOwnServer(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"openai", "anthropic", "gemini"} {
		tt := newTable(t)
		o := chatter(200)
		talks := o.Script
		o.Script = func(c *scripted.Call) (scripted.Step, bool) {
			if c.End() == scripted.EndSummary {
				return scripted.Say("<state_snapshot><overall_goal>The person asks about quays.</overall_goal></state_snapshot>"), true
			}
			return talks(c)
		}
		tt.invite(api, o)
		tt.o.Limit, tt.o.Method = 4000, "summary"
		tt.o.System = "Be brief."
		tt.o.Keeper = keepers(nil)
		tt.open()
		for i := range 4 {
			tt.do(fmt.Sprintf("Question %d about quay_%d.go?", i, i))
		}
		tt.do("/compress")
		log := tt.models[api].Log()
		if last := log[len(log)-1]; last.Call.End() != scripted.EndSummary || last.Status != http.StatusOK {
			t.Errorf("%s: the last request is %s with status %d: %.200s", api, last.Path, last.Status, last.Body)
		}
		if text := tt.notice(chat.NoticeCompressed); !strings.Contains(text, ", by "+api+":") {
			t.Errorf("%s: %s", api, text)
		}
	}
}

// TestAFocusThatNoModelReadsIsToldToThePerson compresses without a model.
func TestAFocusThatNoModelReadsIsToldToThePerson(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(200))
	tt.o.Limit = 4000
	tt.open()
	for i := range 4 {
		tt.do(fmt.Sprintf("Question %d about quay_%d.go?", i, i))
	}
	tt.do("/compress the quays")
	if text := tt.notice(chat.NoticeWarning); !strings.Contains(text, "the directives have no effect: no model was asked") {
		t.Errorf("%q", text)
	}
}

func TestGaugesAddUp(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	for api := range usual {
		tt.invite(api, chatter(50))
	}
	tt.o.System, tt.o.Limit = "Be brief.", 4000
	tt.open()
	for range 3 {
		tt.do("@all Well?")
		for _, g := range tt.engine.Gauges() {
			if g.System+g.Tools+g.History+g.Free+g.Reserve != g.Window || g.Window != 4000 || g.History <= 0 || g.System < 5 {
				t.Errorf("gauge %+v does not add up", g)
			}
		}
	}
}

func TestALimitIsCalledAssumedOnlyWhereItIsInForce(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]bool{4096: true, 2000: false} {
		tt := newTable(t)
		tt.invite("openai", nil)
		tt.o.Limit = limit
		tt.o.Assumed = func(string) int { return 4096 }
		tt.open()
		tt.engine.Greet(func(e chat.Event) { tt.events = append(tt.events, e) })
		if got := tt.notice(chat.NoticeWarning); strings.Contains(got, "4,096 tokens are assumed") != want {
			t.Errorf("with a gauge of %d: %q", tt.engine.Gauges()[0].Window, got)
		}
	}
}
