package rung_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

func TestG07_ANewestPartThatIsTooLargeIsCutFurtherAtAnotherMessageOfTheUser(t *testing.T) {
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
	if got := reads(made.Plan.Conversation()); !strings.Contains(got, "user: a harbour\n") || !strings.Contains(got, "question 79") {
		t.Error(got)
	}
}
