package preset_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
)

// scribe is a summariser that always writes the same, and keeps what it was asked.
type scribe struct {
	retain, text string
	model        string
	mu           sync.Mutex
	asked        []*summary.Request
}

func (s *scribe) Name() string { return "scribe" }

func (s *scribe) Summarize(_ context.Context, r *summary.Request) (summary.Summary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	return summary.Summary{Retain: s.retain, Text: s.text, By: s.Name(), Model: s.model, Usage: plimsoll.Usage{Input: 1_000_000}}, nil
}

func compact(t *testing.T, k *fit.Keeper, c plimsoll.Conversation, o fit.CompactOptions) *fit.Compaction {
	t.Helper()
	made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// said lists who said what, each text cut short.
func said(c plimsoll.Conversation) []string {
	var all []string
	for _, m := range c.Messages.All() {
		all = append(all, fmt.Sprintf("%s: %.24s", m.Role, strings.ReplaceAll(m.Text(), "\n", " ")))
	}
	return all
}

func TestC04_CompactionIsDueFromTheThresholdOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		options preset.CompactionOptions
		total   int
		want    fit.CompressionStatus
	}{
		{"at 0.8 of the limit", preset.CompactionOptions{}, 80_000, fit.Compressed},
		{"one token below", preset.CompactionOptions{}, 79_999, fit.CompressionNoop},
		{"at a ratio that is given", preset.CompactionOptions{Ratio: 0.5}, 50_000, fit.Compressed},
		{"below it", preset.CompactionOptions{Ratio: 0.5}, 49_999, fit.CompressionNoop},
		{"never by itself when that is switched off", preset.CompactionOptions{Manual: true}, 99_999, fit.CompressionNoop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: tt.options})
			made, err := k.AfterModel(t.Context(), fit.Task{Conversation: long(100)}, plimsoll.Usage{Input: tt.total})
			if err != nil {
				t.Fatal(err)
			}
			if made.Status != tt.want {
				t.Errorf("%s (%s), want %s", made.Status, made.Reason, tt.want)
			}
		})
	}
}

func TestC04_CompactionThatIsSwitchedOffDoesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{preset.NameAuto, preset.NameAgent, preset.NameGemini} {
		k := keeper(t, name, &preset.Options{Window: 2000, Compaction: preset.CompactionOptions{Off: true}})
		task := fit.Task{Conversation: long(10)}
		for where, ask := range map[string]func() (*fit.Compaction, error){
			"on request":        func() (*fit.Compaction, error) { return k.Compact(t.Context(), task, fit.CompactOptions{Force: true}) },
			"after a model":     func() (*fit.Compaction, error) { return k.AfterModel(t.Context(), task, plimsoll.Usage{Input: 1999}) },
			"after tools":       func() (*fit.Compaction, error) { return k.AfterTools(t.Context(), task) },
			"before the return": func() (*fit.Compaction, error) { return k.BeforeReturn(t.Context(), task) },
		} {
			made, err := ask()
			if err != nil || made.Status != fit.CompressionNoop || !strings.Contains(made.Reason, "switched off") || made.Plan.Changed() {
				t.Errorf("%s, %s: %+v, error %v", name, where, made, err)
			}
		}
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: long(100)})
		if err != nil {
			t.Fatal(err)
		}
		if got := rungNames(plan); strings.Contains(got, "compact") {
			t.Errorf("%s used %s", name, got)
		}
	}
}

func rungNames(p *plimsoll.Plan) string {
	var names []string
	for _, r := range p.Rungs {
		if r.Edits > 0 {
			names = append(names, r.Rung)
		}
	}
	return strings.Join(names, " ")
}

func TestC01_CompactionByHandOnlyIsDoneWhenSomebodyAsksForIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{preset.NameAuto, preset.NameAgent, preset.NameGemini} {
		k := keeper(t, name, &preset.Options{Model: "gpt-4o", Window: 8000, Compaction: preset.CompactionOptions{Manual: true}})
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: long(100)})
		if err != nil {
			t.Fatal(err)
		}
		if got := rungNames(plan); got != "slide" {
			t.Errorf("%s fits by %s, want slide alone", name, got)
		}
		k = keeper(t, name, &preset.Options{Model: "gpt-4o", Window: 8000, Compaction: preset.CompactionOptions{Manual: true}}) // nothing was cut yet
		if made := compact(t, k, long(60), fit.CompactOptions{}); made.Status != fit.CompressionNoop || made.Reason != "automatic compaction is switched off" {
			t.Errorf("%s: %s (%s) without force", name, made.Status, made.Reason)
		}
		if made := compact(t, k, long(60), fit.CompactOptions{Force: true}); made.Status != fit.Compressed || made.Trigger != fit.Manual {
			t.Errorf("%s: %s (%s) with force", name, made.Status, made.Reason)
		}
	}
}

func TestC09_DirectivesAreAddedToThePromptAsBullets(t *testing.T) {
	t.Parallel()
	s := &scribe{retain: "r", text: "s"}
	k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: preset.CompactionOptions{
		Summarizer: s, SummaryDirectives: []string{"name every harbour"}, RetainPrompt: "The charts.", RetainDirectives: []string{"the depths"},
	}})
	compact(t, k, long(100), fit.CompactOptions{Force: true, Directives: []string{"be quick"}})
	plain := &summary.Request{Format: summary.Retained, Prompt: summary.Prompt{Retain: "The charts."}, Budget: 1}
	first, _, _ := strings.Cut(summary.Ask(plain), "\n")
	asked := summary.Ask(s.asked[0])
	for _, want := range []string{first, "\n- name every harbour\n", "\n- be quick\n", "\n- the depths\n", "The charts."} {
		if !strings.Contains(asked, want) {
			t.Errorf("%q is not in what was asked:\n%s", want, asked)
		}
	}
}

func TestC01_PromptsAreReplacedByThoseOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, retain := range []string{"", "The depths."} {
		s := &scribe{retain: "r", text: "s"}
		k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: preset.CompactionOptions{
			Summarizer: s, SummaryPrompt: "Write <summary>.", RetainPrompt: retain,
		}})
		compact(t, k, long(100), fit.CompactOptions{Force: true})
		asked := summary.Ask(s.asked[0])
		if !strings.HasPrefix(asked, "Write <summary>.") || strings.Contains(asked, "The depths.") != (retain != "") {
			t.Errorf("retain %q: asked %s", retain, asked)
		}
	}
}

// TestR06_TheDefaultPromptAsksForASummaryAndRetainsNothing: text 001 §2.2.
func TestR06_TheDefaultPromptAsksForASummaryAndRetainsNothing(t *testing.T) {
	t.Parallel()
	s := &scribe{text: "s"}
	k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: preset.CompactionOptions{Summarizer: s}})
	compact(t, k, long(100), fit.CompactOptions{Force: true})
	if asked := summary.Ask(s.asked[0]); !strings.Contains(asked, "<summary>") || strings.Contains(asked, "retain>") {
		t.Errorf("asked %s", asked)
	}
}

func TestC10_TheNewHistoryIsRetainSummaryAndTheNewestTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		keep int
		tail []string
	}{
		{0, []string{"user: And now?"}},
		{2, []string{"user: Question 99: why why why", "assistant: Answer 99: because becau", "user: And now?"}},
	} {
		s := &scribe{retain: "keep this", text: "that happened"}
		k := keeper(t, preset.NameAgent, &preset.Options{Window: 100_000, Compaction: preset.CompactionOptions{Summarizer: s, KeepTurns: tt.keep, RetainPrompt: "all"}})
		made := compact(t, k, long(100), fit.CompactOptions{Force: true})
		if made.Status != fit.Compressed {
			t.Fatalf("%s: %s", made.Status, made.Reason)
		}
		want := append([]string{"system: Be brief.", "user: keep this", "user: that happened"}, tt.tail...)
		if diff := cmp.Diff(want, said(made.Plan.Conversation())); diff != "" {
			t.Errorf("keep %d turns (-want +got):\n%s", tt.keep, diff)
		}
	}
}

func TestAutoCompactsBeforeItDropsTurns(t *testing.T) {
	t.Parallel()
	plan, err := keeper(t, preset.NameAuto, &preset.Options{Window: 8000}).Fit(t.Context(), fit.Task{Conversation: long(100)})
	if err != nil {
		t.Fatal(err)
	}
	if got := rungNames(plan); got != "compact" {
		t.Errorf("rungs %s", got)
	}
	if text := plan.Conversation().Messages.At(2).Text(); !strings.Contains(text, "User: Question 0:") {
		t.Errorf("the notes do not have the first thing that the user said: %.400q", text)
	}
}

func TestTheCostOfASummaryFollowsFromThePrices(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{"gpt-4o": 2.5, "unknown-model": 0} {
		k := keeper(t, preset.NameAuto, &preset.Options{Window: 8000, Compaction: preset.CompactionOptions{Summarizer: &scribe{text: "<state_snapshot>s</state_snapshot>", model: name}}})
		if made := compact(t, k, long(60), fit.CompactOptions{Force: true}); made.Cost != want || made.Checkpoint.Model != name {
			t.Errorf("%s: $%v by %s (%s), want $%v", name, made.Cost, made.Checkpoint.Model, made.Reason, want)
		}
	}
}

func TestF08_TheThreeMethods(t *testing.T) {
	t.Parallel()
	for _, name := range []string{preset.NameAuto, preset.NameMultichat} {
		for _, tt := range []struct {
			method, rungs string
			// turns of the original that are whole afterwards
			least, most int
		}{
			{preset.MethodWindow, "slide", 20, 80},
			{preset.MethodSummary, "compact", 0, 0},
			{preset.MethodHybrid, "compact", 5, 30},
		} {
			t.Run(name+" "+tt.method, func(t *testing.T) {
				t.Parallel()
				plan, err := keeper(t, name, &preset.Options{Window: 8000, Method: tt.method}).Fit(t.Context(), fit.Task{Conversation: long(100)})
				if err != nil {
					t.Fatal(err)
				}
				if got := rungNames(plan); got != tt.rungs {
					t.Errorf("rungs %s, want %s", got, tt.rungs)
				}
				answers := 0
				for _, m := range plan.Conversation().Messages.All() {
					if strings.HasPrefix(m.Text(), "Answer ") {
						answers++
					}
				}
				if answers < tt.least || answers > tt.most {
					t.Errorf("%d answers are left, want %d to %d", answers, tt.least, tt.most)
				}
				last := plan.Conversation().Messages.At(plan.Conversation().Messages.Len() - 1)
				if last.Text() != "And now?" || plan.After.Exceeds(plan.Line) {
					t.Errorf("%d of %d tokens, ending with %q", plan.After.Total, plan.Line.Limit(), last.Text())
				}
			})
		}
	}
}

// TestR04_TheHybridKeepsTheOpeningAndItsInstructions has 003 §4 C: the beginning of the
// conversation and what was asked for there stay, beside the newest turns.
func TestR04_TheHybridKeepsTheOpeningAndItsInstructions(t *testing.T) {
	t.Parallel()
	messages := long(100).Messages.Slice()
	const opening = "Plan my voyage to Saltmere. Never sail at night."
	messages[1] = plimsoll.Say(plimsoll.User, opening)
	for _, name := range []string{preset.NameAuto, preset.NameMultichat} {
		plan, err := keeper(t, name, &preset.Options{Window: 8000, Method: preset.MethodHybrid}).
			Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}})
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, m := range plan.Conversation().Messages.All() {
			all.WriteString(m.Text() + "\n")
		}
		if text := all.String(); !strings.Contains(text, opening) || !strings.Contains(text, "Answer 99") || !plan.Changed() {
			t.Errorf("%s leaves %.400s", name, text)
		}
	}
}

func TestF08_AMethodThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*preset.Options{
		preset.NameCookbook: {Method: preset.MethodHybrid},
		preset.NameAuto:     {Method: preset.MethodSummary, Compaction: preset.CompactionOptions{Off: true}},
	} {
		if _, err := preset.Named(name, o); err == nil || plimsoll.HintOf(err) == "" {
			t.Errorf("%s: error %v, hint %q", name, err, plimsoll.HintOf(err))
		}
	}
}

func TestAReceiptOfDroppedTurnsCountsNoneThatACheckpointStandsFor(t *testing.T) {
	t.Parallel()
	k := keeper(t, preset.NameAgent, &preset.Options{Window: 2600, Reserve: new(0), Archive: shelf(t), Compaction: preset.CompactionOptions{KeepTurns: 22}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: long(100)})
	if err != nil {
		t.Fatal(err)
	}
	if got := rungNames(plan); got != "compact slide" {
		t.Fatalf("rungs %s", got)
	}
	turns := map[int]bool{}
	for _, e := range plan.Edits {
		if e.Rung == "slide" && e.Kind == plimsoll.EditDrop {
			turns[(e.Message-1)/2] = true
		}
	}
	want := fmt.Sprintf("user: [plimsoll: %d earlier turns", len(turns))
	if got := said(plan.Conversation()); len(turns) == 0 || !strings.HasPrefix(strings.Join(got, "\n"), "system: Be brief.\nuser: Goal:") || !strings.Contains(strings.Join(got, "\n"), want[:29]) {
		t.Errorf("%q, want %s", got, want)
	}
}
