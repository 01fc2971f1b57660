package preset_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
)

// letters is a chat of turns whose sizes are known: every turn has a question and an
// answer of 400 characters together, which are 100 tokens by the estimate.
func letters(turns int, question string) plimsoll.Conversation {
	var messages []plimsoll.Message
	for range turns {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, strings.Repeat("q", 40)),
			plimsoll.Say(plimsoll.Assistant, strings.Repeat("a", 360)))
	}
	if question != "" {
		messages = append(messages, plimsoll.Say(plimsoll.User, question))
	}
	return plimsoll.Conversation{Model: "gemini-2.5-pro", Messages: plimsoll.ListOf(messages...)}
}

const snapshot = "<state_snapshot><overall_goal>g</overall_goal></state_snapshot>"

func TestG02_EveryModelHasALimit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"gemini-1.5-pro": 2_097_152, "gemini-2.5-pro": 1_048_576, "gemini-2.5-flash": 1_048_576,
		"gemini-2.5-flash-lite": 1_048_576, "unknown-model": 1_048_576, "": 1_048_576,
	} {
		line, err := keeper(t, preset.NameGemini, nil).Line(plimsoll.Conversation{Model: name, MaxOutput: 9000})
		if err != nil || line.Limit() != want {
			t.Errorf("%s: limit %d, error %v; want %d", name, line.Limit(), err, want)
		}
	}
}

func TestG03_TheEstimateDecides(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, strings.Repeat("a", 400)+strings.Repeat("字", 10)))}
	options, err := preset.Gemini(nil)
	if err != nil {
		t.Fatal(err)
	}
	if load := options.Meter.Weigh(c); load.Total != 113 || load.Exact {
		t.Errorf("%+v, want 113 tokens, estimated", load)
	}
}

func TestG04_ARequestThatFillsWhatRemainsTriggers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		question int
		want     fit.CompressionStatus
	}{
		// 60 turns are 6,000 of 10,000 tokens, so 4,000 remain.
		{"more than 0.95 of it", 3_804, fit.Compressed},
		{"0.95 of it", 3_796, fit.CompressionNoop},
		{"a short question", 10, fit.CompressionNoop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &preset.Options{Window: 10_000, Compaction: preset.CompactionOptions{Summarizer: &scribe{text: snapshot}}}
			k := byItsText(t, preset.NameGemini, o)
			c := letters(60, strings.Repeat("w", 4*tt.question))
			made := compact(t, k, c, fit.CompactOptions{})
			if made.Status != tt.want || made.Trigger != fit.Automatic {
				t.Errorf("%s by %s (%s), want %s", made.Status, made.Trigger, made.Reason, tt.want)
			}
			plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			if err != nil || plan.Changed() != (tt.want == fit.Compressed) {
				t.Errorf("fit: edits %v, error %v", plan.Edits, err)
			}
			forced := compact(t, keeper(t, preset.NameGemini, o), letters(60, "and now?"), fit.CompactOptions{Force: true})
			if forced.Status != fit.Compressed || forced.Trigger != fit.Manual {
				t.Errorf("forced: %s by %s (%s)", forced.Status, forced.Trigger, forced.Reason)
			}
		})
	}
}

func TestG01_G05_G16_BelowTheThresholdNothingIsDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		threshold float64
		turns     int
		want      fit.CompressionStatus
	}{
		// The question takes the rest of the window, so only the threshold decides.
		{"below half", 0, 49, fit.CompressionNoop},
		{"at half", 0, 50, fit.Compressed},
		{"below one that is set", 0.7, 69, fit.CompressionNoop},
		{"at one that is set", 0.7, 70, fit.Compressed},
		{"below a low one", 0.2, 19, fit.CompressionNoop},
		{"at a low one", 0.2, 20, fit.Compressed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := byItsText(t, preset.NameGemini, &preset.Options{Window: 10_000, Compaction: preset.CompactionOptions{Summarizer: &scribe{text: snapshot}, Threshold: tt.threshold}})
			c := letters(tt.turns, "")
			// What was billed says how full the window is.
			made, err := k.AfterModel(t.Context(), fit.Task{Conversation: c}, plimsoll.Usage{Input: 100 * tt.turns})
			if err != nil {
				t.Fatal(err)
			}
			if made.Status != fit.CompressionNoop {
				t.Errorf("with nothing to ask: %s", made.Status)
			}
			full := 10_000 - 100*tt.turns - 1
			made = compact(t, k, letters(tt.turns, strings.Repeat("w", 4*full)), fit.CompactOptions{})
			if made.Status != tt.want {
				t.Errorf("%s (%s), want %s", made.Status, made.Reason, tt.want)
			}
		})
	}
}

func TestG09_TheCompressionPromptIsTheSystemInstruction(t *testing.T) {
	t.Parallel()
	s := &scribe{text: snapshot}
	k := keeper(t, preset.NameGemini, &preset.Options{Window: 10_000, Compaction: preset.CompactionOptions{Summarizer: s}})
	compact(t, k, letters(60, ""), fit.CompactOptions{Force: true})
	if s.asked[0].Prompt.System != summary.CompressionPrompt || !strings.HasPrefix(summary.Ask(s.asked[0]), "First, reason in your scratchpad. Then, generate the <state_snapshot>.") {
		t.Errorf("asked %+v", s.asked[0].Prompt)
	}
}

func TestG01_G12_TheNewHistoryIsSnapshotAnswerAndTheNewestThirtyPercent(t *testing.T) {
	t.Parallel()
	k := keeper(t, preset.NameGemini, &preset.Options{Window: 10_000, Compaction: preset.CompactionOptions{Summarizer: &scribe{text: snapshot}}})
	made := compact(t, k, letters(10, ""), fit.CompactOptions{Force: true})
	var kept []string
	for range 3 {
		kept = append(kept, "user: qqqqqqqqqqqqqqqqqqqqqqqq", "assistant: aaaaaaaaaaaaaaaaaaaaaaaa")
	}
	want := append([]string{"user: <state_snapshot><overall", "assistant: Got it. Thanks for the a"}, kept...)
	if diff := cmp.Diff(want, said(made.Plan.Conversation())); diff != "" {
		t.Errorf("%s (-want +got):\n%s", made.Reason, diff)
	}
}

func TestG13_WhatGrewOrCannotBeCountedStaysAsItWas(t *testing.T) {
	t.Parallel()
	long := "<state_snapshot>" + strings.Repeat("word ", 9_000) + "</state_snapshot>"
	for _, tt := range []struct {
		name    string
		text    string
		recount func(context.Context, plimsoll.Conversation) (int, error)
		want    fit.CompressionStatus
	}{
		{"a long snapshot", long, nil, fit.CompressionFailedInflated},
		{"a count that fails", snapshot, func(context.Context, plimsoll.Conversation) (int, error) { return 0, errors.New("no answer") }, fit.CompressionFailedCount},
		{"a recount that says more", snapshot, func(context.Context, plimsoll.Conversation) (int, error) { return 9_999, nil }, fit.CompressionFailedInflated},
		{"no snapshot", "", nil, fit.CompressionFailedEmpty},
		{"a good one", snapshot, nil, fit.Compressed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			options, err := preset.Gemini(&preset.Options{Window: 10_000, Compaction: preset.CompactionOptions{Summarizer: &scribe{text: tt.text}}})
			if err != nil {
				t.Fatal(err)
			}
			options.Recount = tt.recount
			k, err := fit.New(options)
			if err != nil {
				t.Fatal(err)
			}
			made := compact(t, k, letters(60, ""), fit.CompactOptions{Force: true})
			if made.Status != tt.want {
				t.Errorf("%s (%s), want %s", made.Status, made.Reason, tt.want)
			}
			if made.Status.Failed() && (made.Plan.Changed() || made.After != made.Before) {
				t.Errorf("%d tokens became %d with edits %v", made.Before, made.After, made.Plan.Edits)
			}
		})
	}
}
