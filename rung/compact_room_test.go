package rung_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

func TestG12_ANewestPartThatIsTooLargeIsCutFurtherByTheCheckpoint(t *testing.T) {
	t.Parallel()
	made := compacted(t, fit.Options{
		Window: 4000, Rungs: []fit.Rung{&rung.Compact{Layout: rung.SnapshotAndAnswer, Summarizer: &scribe{text: snapshot}}, &rung.Slide{}},
	}, chat(80))
	if made.Status != fit.Compressed || made.Plan.After.Exceeds(made.Plan.Line) {
		t.Errorf("%s: %d tokens became %d of %d", made.Status, made.Before, made.After, made.Plan.Line.Limit())
	}
	for _, e := range made.Plan.Edits {
		if e.Rung != "compact" {
			t.Fatalf("message %d was taken by %s and stands in no summary", e.Message, e.Rung)
		}
	}
}

func TestC10_TurnsThatAreTooLargeAreMadeSmallerByOtherRungs(t *testing.T) {
	t.Parallel()
	made := compacted(t, fit.Options{
		Window: 4000, Rungs: []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: &scribe{text: "a harbour"}, KeepTurns: 20}, &rung.Slide{}},
	}, chat(80))
	if made.Status != fit.Compressed || made.Plan.After.Exceeds(made.Plan.Line) || made.After != made.Plan.After.Total {
		t.Errorf("%s: %d tokens became %d of %d", made.Status, made.Before, made.After, made.Plan.Line.Limit())
	}
	if got := reads(made.Plan.Conversation()); !strings.Contains(got, "<summary>") || !strings.Contains(got, "question 79") {
		t.Error(got)
	}
}

// TestG12_TheUserSpeaksBeforeACallThatFollowsTheAnswer splits a turn that has come to
// rest: no question stands between the answer to the snapshot and the next call.
func TestG12_TheUserSpeaksBeforeACallThatFollowsTheAnswer(t *testing.T) {
	t.Parallel()
	c := chat(80)
	c.Messages = plimsoll.ListOf(append(slices.Concat(c.Messages.Slice(), loop(40).Messages.Slice()), plimsoll.Say(plimsoll.Assistant, "done"))...)
	archive := &shelf{}
	o := fit.Options{Archive: archive, Keep: fit.KeepPending, Window: 4000, Rungs: []fit.Rung{&rung.Compact{Layout: rung.SnapshotAndAnswer, Summarizer: &scribe{text: snapshot}}}}
	made := compacted(t, o, c)
	got := made.Plan.Conversation()
	if made.Status != fit.Compressed || !strings.Contains(reads(got), "assistant: Got it. Thanks for the additional contex\nuser: [plimsoll: earlier messages were removed\nassistant: call") {
		t.Fatalf("%s %s\n%s", made.Status, made.Reason, reads(got))
	}
	back, err := compactKeeper(t, o).Undo(t.Context(), fit.Task{Conversation: got}, made.Checkpoint.Ref.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reads(c), reads(back)); diff != "" {
		t.Errorf("(-before +undone):\n%s", diff)
	}
}
