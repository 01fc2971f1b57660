package rung_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/token"
)

// TestO10_ACheckpointNeedsTheReferencesThatItNamesAndNoOthers compacts a long session
// three times: whatever a checkpoint names must be kept as long as it is, and what it
// does not name need not be stored.
func TestO10_ACheckpointNeedsTheReferencesThatItNamesAndNoOthers(t *testing.T) {
	t.Parallel()
	archive := &shelf{}
	k := compactKeeper(t, fit.Options{
		Meter: token.NewMeter(nil), Model: "gpt-4o", Window: 40_000, Archive: archive, Rungs: []fit.Rung{&rung.Compact{}},
	})
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "Mend the crane.\n"+strings.Repeat("It lifts too little. ", 2000))}
	carried := false
	var before []string
	for life := range 3 {
		for i := range 30 {
			// The first file is read once and named ever after.
			path := fmt.Sprintf("crane/part_%d_%d.go", life, i)
			messages = append(messages, readRound(fmt.Sprintf("%d-%d", life, i), path)...)
			messages = append(messages, plimsoll.Say(plimsoll.Assistant, "That belongs to crane/part_0_29.go and to "+path+"."))
		}
		messages = append(messages, plimsoll.Say(plimsoll.User, "Go on with crane/part_0_29.go."))
		c := plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
		made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, fit.CompactOptions{Force: true})
		if err != nil || made.Status != fit.Compressed {
			t.Fatalf("%v %v", made, err)
		}
		messages = made.Plan.Conversation().Messages.Slice()
		named := refsIn(messages)
		needed := slices.Sorted(slices.Values(append(slices.Clone(made.Checkpoint.Refs), made.Checkpoint.Ref.ID)))
		if diff := cmp.Diff(named, needed); diff != "" {
			t.Errorf("life %d (-named +needed):\n%s", life, diff)
		}
		for _, id := range named {
			if _, err := archive.Content(t.Context(), id); err != nil {
				t.Errorf("life %d: ref=%s: %v", life, id, err)
			}
			carried = carried || slices.Contains(before, id)
		}
		before = named
	}
	if !carried {
		t.Error("no reference was carried on, so that the test shows nothing")
	}
}

func TestTheWordsOfTheUserStandInOrderAlsoWhereSomeAreShortened(t *testing.T) {
	t.Parallel()
	c := chat(8)
	messages := c.Messages.Slice()
	messages[13] = plimsoll.Say(plimsoll.User, "the long one "+strings.Repeat("z", 9000))
	c.Messages = plimsoll.ListOf(messages...)
	made := compacted(t, fit.Options{Rungs: []fit.Rung{&rung.Compact{Summarizer: &scribe{text: snapshot}, KeepTurns: 1, Size: 2000}}}, c)
	first, long := strings.Index(made.Checkpoint.User, "question 0"), strings.Index(made.Checkpoint.User, "the long one")
	if first != 0 || long < first || !strings.Contains(made.Checkpoint.User, "[plimsoll: shortened]") {
		t.Errorf("%.200s", made.Checkpoint.User)
	}
}

// TestARuleOfTheUserIsAskedForAsLongAsACheckpointCarriesIt has a model that forgets.
func TestARuleOfTheUserIsAskedForAsLongAsACheckpointCarriesIt(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		c := chat(8)
		messages := slices.Insert(c.Messages.Slice(), 1, plimsoll.Say(plimsoll.User, "Never delete the tide tables."), plimsoll.Say(plimsoll.Assistant, "I see."))
		for life := range 4 {
			s := &scribe{text: snapshot}
			c.Messages = plimsoll.ListOf(messages...)
			chain := &summary.Chain{Model: s, Fallback: summary.Extract{}}
			made := compacted(t, fit.Options{Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: chain, KeepTurns: 1}}}, c)
			if made.Status != fit.Compressed || !strings.Contains(made.Checkpoint.Summary, "Never delete the tide tables.") {
				t.Fatalf("layout %d, life %d: %s\n%s", layout, life, made.Status, made.Checkpoint.Summary)
			}
			messages = append(made.Plan.Conversation().Messages.Slice(), chat(8).Messages.Slice()[1:]...)
		}
	}
}

func readRound(id, path string) []plimsoll.Message {
	text := plimsoll.Text{Text: "contents of " + path + strings.Repeat(" steel", 200)}
	return []plimsoll.Message{
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":%q}`, path)}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Name: "read_file", Content: plimsoll.ListOf[plimsoll.Part](text)}),
	}
}

var refInText = regexp.MustCompile(`ref=([A-Za-z0-9_-]+)`)

// refsIn lists the references that messages name, sorted.
func refsIn(messages []plimsoll.Message) []string {
	var all []string
	for _, m := range messages {
		for _, found := range refInText.FindAllStringSubmatch(m.Text(), -1) {
			all = append(all, found[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
