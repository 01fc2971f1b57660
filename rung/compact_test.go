package rung_test

import (
	"context"
	"errors"
	"fmt"
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

// scribe writes a fixed summary and remembers what it was asked.
type scribe struct {
	retain, text string
	err          error
	asked        []*summary.Request
}

func (*scribe) Name() string { return "scribe" }

func (s *scribe) Summarize(_ context.Context, r *summary.Request) (summary.Summary, error) {
	s.asked = append(s.asked, r)
	return summary.Summary{Retain: s.retain, Text: s.text, By: s.Name()}, s.err
}

const snapshot = "<state_snapshot>\n<overall_goal>\nkeep afloat\n</overall_goal>\n</state_snapshot>"

// compacted forces a compaction and returns it with what the new history reads like.
func compacted(t *testing.T, o fit.Options, c plimsoll.Conversation) *fit.Compaction {
	t.Helper()
	k := compactKeeper(t, o)
	made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, fit.CompactOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func compactKeeper(t *testing.T, o fit.Options) *fit.Keeper {
	t.Helper()
	if o.Meter == nil {
		o.Meter = letterMeter()
	}
	if o.Window == 0 {
		o.Window = 100_000
	}
	o.Reserve = new(0)
	k, err := fit.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// chat is turns of a question and a long answer, named by their number.
func chat(turns int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "be brief")}
	for i := range turns {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("question %d", i)),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("answer %d %s", i, strings.Repeat("x", 500))))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// reads writes a history as one line a message: who speaks, and how it begins.
func reads(c plimsoll.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages.All() {
		text := m.Text()
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.ToolCall:
				text = "call " + p.ID
			case plimsoll.ToolResult:
				text = "result " + p.CallID
			}
		}
		line, _, _ := strings.Cut(text, "\n")
		fmt.Fprintf(&b, "%s: %.40s\n", m.Role, line)
	}
	return b.String()
}

func TestC10_TheNewHistoryIsRetainThenSummaryThenTheLastTurns(t *testing.T) {
	t.Parallel()
	s := &scribe{retain: "never touch main", text: "we planned a harbour"}
	made := compacted(t, fit.Options{
		Rungs: []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: s, KeepTurns: 2, Prompt: summary.Prompt{Retain: "rules"}}},
	}, chat(8))
	want := `system: be brief
user: never touch main
user: we planned a harbour
user: question 6
assistant: answer 6 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
user: question 7
assistant: answer 7 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`
	got := made.Plan.Conversation()
	if diff := cmp.Diff(want, reads(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := got.Messages.At(1).Text(); text != "never touch main" {
		t.Errorf("the retained message is %q", text)
	}
	if text := got.Messages.At(2).Text(); text != "we planned a harbour" {
		t.Errorf("the summary message is %q", text)
	}
	if made.Status != fit.Compressed || made.After >= made.Before {
		t.Errorf("status %s, %d tokens became %d", made.Status, made.Before, made.After)
	}
}

func TestC10_NothingRetainedGivesNoMessage(t *testing.T) {
	t.Parallel()
	made := compacted(t, fit.Options{
		Rungs: []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: &scribe{text: "a harbour"}, KeepTurns: 1}},
	}, chat(4))
	want := "system: be brief\nuser: a harbour\nuser: question 3\nassistant: answer 3 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	if diff := cmp.Diff(want, reads(made.Plan.Conversation())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestG12_TheNewHistoryIsSnapshotThenAnswerThenTheNewestPart(t *testing.T) {
	t.Parallel()
	made := compacted(t, fit.Options{
		Keep:  fit.KeepPending,
		Rungs: []fit.Rung{&rung.Compact{Layout: rung.SnapshotAndAnswer, Summarizer: &scribe{text: snapshot}}},
	}, plimsoll.Conversation{Messages: plimsoll.ListOf(chat(10).Messages.Slice()[1:]...)})
	want := `user: <state_snapshot>
assistant: Got it. Thanks for the additional contex
user: question 7
assistant: answer 7 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
user: question 8
assistant: answer 8 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
user: question 9
assistant: answer 9 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`
	if diff := cmp.Diff(want, reads(made.Plan.Conversation())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := made.Plan.Conversation().Messages.At(0).Text(); got != snapshot {
		t.Errorf("the snapshot is %q", got)
	}
	if got := made.Plan.Conversation().Messages.At(1).Text(); got != "Got it. Thanks for the additional context!" {
		t.Errorf("the answer is %q", got)
	}
}

// TestG06_TheSplitIsTheFirstUserMessagePastTheShare runs the cases of the origin's
// tests; U and M are entries of equal length, c is a model's call, r its response.
func TestG06_TheSplitIsTheFirstUserMessagePastTheShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entries string
		share         float64
		want          int
	}{
		{"an empty history", "", .5, 0},
		{"one question", "U", .5, 0},
		{"half of five", "UMUMU", .5, 4},
		{"nine tenths of five", "UMUMU", .9, 4},
		{"three tenths of five", "UMUMU", .3, 2},
		{"all of four, when the model spoke last (G07)", "UMUM", .8, 4},
		{"the last question, when a call is pending (G07, G08)", "UMUc", .99, 2},
		{"ten entries", "UMUMUMUMUM", .7, 8},
		{"an agent's loop that has ended", "UcrcrM", .7, 6},
		{"an agent's loop that goes on", "Ucrcr", .7, 0},
		{"a turn before an agent's loop", "UMUcrcr", .7, 2},
		{"a share of nothing", "UMUM", 0, 0},
		{"a share of everything", "UMUM", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := rung.FindSplit(entries(tt.entries), tt.share); got != tt.want {
				t.Errorf("split at %d, want %d", got, tt.want)
			}
		})
	}
}

// entries draws a history: U a question, M an answer, c a call, r its result.
func entries(letters string) plimsoll.Conversation {
	var messages []plimsoll.Message
	for i, l := range letters {
		text := plimsoll.Text{Text: strings.Repeat("x", 400)}
		switch l {
		case 'U':
			messages = append(messages, plimsoll.NewMessage(plimsoll.User, text))
		case 'M':
			messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, text))
		case 'c':
			messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: fmt.Sprint(i), Name: "run", Arguments: text.Text}))
		case 'r':
			messages = append(messages, plimsoll.NewMessage(plimsoll.User, plimsoll.ToolResult{CallID: fmt.Sprint(i - 1), Name: "run", Content: plimsoll.ListOf[plimsoll.Part](text)}))
		}
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

func TestG07_EverythingIsCompressedWhenTheModelHasAnswered(t *testing.T) {
	t.Parallel()
	made := compacted(t, fit.Options{
		Keep:  fit.KeepPending,
		Rungs: []fit.Rung{&rung.Compact{Layout: rung.SnapshotAndAnswer, Summarizer: &scribe{text: snapshot}}},
	}, entries("UcrcrM"))
	want := "user: <state_snapshot>\nassistant: Got it. Thanks for the additional contex\n"
	if diff := cmp.Diff(want, reads(made.Plan.Conversation())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestG08_APendingCallIsNeverPartedFromItsResponse compacts loops that wait for a
// model or a tool, in every layout.
func TestG08_APendingCallIsNeverPartedFromItsResponse(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		for _, history := range []string{"Ucrcrcrcrcrcr", "UMUcrcrcrcrcrc", "UcrcrcrMUc", "UMUMUMUMUcr"} {
			made := compacted(t, fit.Options{
				Keep:  fit.KeepPending,
				Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: &scribe{text: snapshot}, KeepTurns: 1}},
			}, entries(history))
			// The texts of the two other layouts know no split inside a turn.
			if whole := layout != rung.Full && history == "Ucrcrcrcrcrcr"; (made.Status == fit.Compressed) == whole {
				t.Errorf("layout %d of %s: %s %s", layout, history, made.Status, made.Reason)
				continue
			}
			got := made.Plan.Conversation()
			o := got.Outline()
			if len(o.Orphans) > 0 || len(o.Dead) > 0 {
				t.Errorf("layout %d of %s parts calls from results:\n%s", layout, history, reads(got))
			}
			last := got.Messages.At(got.Messages.Len() - 1)
			if was := entries(history); cmp.Diff(reads(plimsoll.Conversation{Messages: plimsoll.ListOf(last)}),
				reads(plimsoll.Conversation{Messages: plimsoll.ListOf(was.Messages.At(was.Messages.Len() - 1))})) != "" {
				t.Errorf("layout %d of %s lost the newest message", layout, history)
			}
		}
	}
}

// TestG07_G08_R13_ARunningCallIsReachedOnlyUpToJustBeforeIt has the constraints of the text:
// a split is always at a message of the user that is no response, so what a running loop
// has done stays whole.
func TestG07_G08_R13_ARunningCallIsReachedOnlyUpToJustBeforeIt(t *testing.T) {
	t.Parallel()
	for history, old := range map[string]int{
		"UMUcrcr": 2, "UMUcrcrcrcrcrc": 2, "Ucrcr": 0, "Ucrcrcrcrcrcr": 0, "UcrcrcrMUc": 8, "UMUMUMUMUcr": 8,
	} {
		made := compacted(t, fit.Options{
			Keep: fit.KeepPending, Rungs: []fit.Rung{&rung.Compact{Layout: rung.SnapshotAndAnswer, Summarizer: &scribe{text: snapshot}}},
		}, entries(history))
		got := 0
		if made.Checkpoint != nil {
			got = made.Checkpoint.Old.End
		}
		if got != old {
			t.Errorf("%s: the first %d messages became a snapshot, want %d (%s)", history, got, old, made.Reason)
		}
	}
}

// TestC10_TheLastTurnsStayWholeWhereThereIsRoom has turns that are most of the history, and
// more turns to keep than there are.
func TestC10_TheLastTurnsStayWholeWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	c := chat(4)
	large := append(c.Messages.Slice(), loop(40).Messages.Slice()...)
	for name, tt := range map[string]struct {
		keep, window int
		status       fit.CompressionStatus
		want         string
	}{
		"a large last turn, with room":    {1, 100_000, fit.Compressed, "user: a harbour\nuser: fix the bug\nassistant: call"},
		"a large last turn, without room": {1, 2000, fit.Compressed, "user: a harbour\nuser: fix the bug\nassistant: call"},
		"more turns than there are":       {99, 100_000, fit.CompressionNoop, "user: question 0\n"},
	} {
		made := compacted(t, fit.Options{
			Window: tt.window, Rungs: []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: &scribe{text: "a harbour"}, KeepTurns: tt.keep}},
		}, plimsoll.Conversation{Messages: plimsoll.ListOf(large...)})
		got := reads(made.Plan.Conversation())
		if made.Status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s %s\n%s", name, made.Status, made.Reason, got)
		}
		if whole := strings.HasPrefix(rounds(made.Plan.Conversation()), "0 1 2"); whole != (tt.window == 100_000) {
			t.Errorf("%s: the last turn has the rounds %s", name, rounds(made.Plan.Conversation()))
		}
	}
}

func TestFullKeepsTheWordsOfTheUserAndPutsNotesBehindThem(t *testing.T) {
	t.Parallel()
	archive := &shelf{}
	made := compacted(t, fit.Options{
		Archive: archive, Rungs: []fit.Rung{&rung.Compact{Summarizer: &scribe{text: snapshot}, Size: 2000}},
	}, chat(10))
	want := `system: be brief
user: question 0
user: question 1
user: question 2
user: question 3
user: question 4
user: question 5
user: question 6
assistant: <plimsoll_checkpoint>
user: [plimsoll: 14 earlier messages (3633 tok
user: question 7
assistant: answer 7 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
user: question 8
assistant: answer 8 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
user: question 9
assistant: answer 9 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`
	if diff := cmp.Diff(want, reads(made.Plan.Conversation())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cp := made.Checkpoint
	if want := "question 0\n\nquestion 1\n\nquestion 2\n\nquestion 3\n\nquestion 4\n\nquestion 5\n\nquestion 6"; cp.User != want {
		t.Errorf("the user said %q, want %q", cp.User, want)
	}
	notes := made.Plan.Conversation().Messages.At(8).Text()
	if !strings.Contains(notes, cp.Summary) || !strings.Contains(notes, cp.Ledger) || cp.Summary != snapshot {
		t.Errorf("the notes are %q, with summary %q and ledger %q", notes, cp.Summary, cp.Ledger)
	}
	if cp.Ref == nil || !strings.Contains(archive.kept[cp.Ref.ID], "answer 3") {
		t.Errorf("the old messages are not archived under %v", cp.Ref)
	}
}

// TestAOneTurnAgentLoopIsSplitBetweenItsRounds is the case that keeps the origins'
// layouts from gaining anything: a question and forty rounds.
func TestAOneTurnAgentLoopIsSplitBetweenItsRounds(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary} {
		made := compacted(t, fit.Options{
			Window: 2000,
			Rungs:  []fit.Rung{&rung.Compact{Layout: layout, Summarizer: &scribe{text: snapshot}, KeepTurns: 1}},
		}, loop(40))
		got := made.Plan.Conversation()
		if made.Status != fit.Compressed || made.After > made.Before*6/10 {
			t.Errorf("layout %d: %s, %d tokens became %d", layout, made.Status, made.Before, made.After)
		}
		if calls := rounds(got); !strings.HasSuffix(calls, "37 38 39") || strings.HasPrefix(calls, "0 ") {
			t.Errorf("layout %d leaves the rounds %s", layout, calls)
		}
		if !strings.Contains(reads(got), "user: fix the bug\n") {
			t.Errorf("layout %d lost the question:\n%s", layout, reads(got))
		}
	}
}

func TestAnEarlierCheckpointIsBroughtUpToDateAndNotSummarisedAgain(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.SnapshotAndAnswer} {
		first := &scribe{retain: "rule a", text: strings.Replace(snapshot, "afloat", "the first", 1)}
		o := fit.Options{Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: first, KeepTurns: 1}}}
		c := compacted(t, o, chat(8)).Plan.Conversation()
		c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), chat(6).Messages.Slice()[1:]...)...)
		second := &scribe{retain: "rule a\nrule b", text: strings.Replace(snapshot, "afloat", "the second", 1)}
		o.Rungs = []fit.Rung{&rung.Compact{Layout: layout, Summarizer: second, KeepTurns: 1}}
		made := compacted(t, o, c)
		if made.Status != fit.Compressed {
			t.Fatalf("layout %d: %s %s", layout, made.Status, made.Reason)
		}
		asked := second.asked[0]
		if asked.Previous.Text != first.text {
			t.Errorf("layout %d: the previous summary is %q, want %q", layout, asked.Previous.Text, first.text)
		}
		for i := asked.Old.Start; i < asked.Old.End; i++ {
			if summary.IsCheckpoint(c.Messages.At(i)) || plimsoll.IsReceipt(c.Messages.At(i)) {
				t.Errorf("layout %d: message %d of the earlier checkpoint is summarised again", layout, i)
			}
		}
		all := reads(made.Plan.Conversation())
		if n := strings.Count(all, "<plimsoll_checkpoint>") + strings.Count(all, "<state_snapshot>"); n != 1 {
			t.Errorf("layout %d leaves %d checkpoints:\n%s", layout, n, all)
		}
	}
}

func TestTagsThatSomebodyTypedHideNothingThatStandsBeforeThem(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]plimsoll.Message{
		"a snapshot of the user":   plimsoll.Say(plimsoll.User, "<state_snapshot>\nis this how it looks?\n</state_snapshot>"),
		"a summary of the user":    plimsoll.Say(plimsoll.User, "<summary>\nis this how it looks?\n</summary>"),
		"a retain of the user":     plimsoll.Say(plimsoll.User, "<retain>\nis this how it looks?\n</retain>"),
		"notes of the model's own": plimsoll.Say(plimsoll.Assistant, "<plimsoll_checkpoint>\nis this how it looks?\n</plimsoll_checkpoint>"),
	} {
		for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
			c := chat(8)
			messages := c.Messages.Slice()
			c.Messages = plimsoll.ListOf(slices.Insert(messages, 7, typed)...)
			s := &scribe{text: snapshot}
			compacted(t, fit.Options{Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: s, KeepTurns: 1}}}, c)
			if asked := s.asked[0]; asked.Old.Start != 1 || asked.Previous.Text != "" {
				t.Errorf("%s, layout %d: messages before %d were taken for summarised, as %q", name, layout, asked.Old.Start, asked.Previous.Text)
			}
		}
	}
}

// TestFiftyCompactionsInARowDoNotGrow lives a long life: work, compaction, work.
func TestFiftyCompactionsInARowDoNotGrow(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		k := compactKeeper(t, fit.Options{
			Meter: token.NewMeter(nil), Model: "gpt-4o", Window: 8000,
			Rungs: []fit.Rung{&rung.Compact{Layout: layout, KeepTurns: 1}},
		})
		c := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "Fix harbour.go. Never touch main.go."))}
		early, late := 0, 0
		for n := range 50 {
			steps := work(n)
			c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), steps...)...)
			made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, fit.CompactOptions{Force: true})
			if err != nil {
				t.Fatal(err)
			}
			if made.Status != fit.Compressed && n > 0 { // the first time nearly all is in the turn that stays
				t.Fatalf("layout %d, compaction %d: %s %s", layout, n, made.Status, made.Reason)
			}
			c = made.Plan.Conversation()
			if n < 25 {
				early = max(early, made.After)
			} else {
				late = max(late, made.After)
			}
		}
		if late > early*11/10 || late > 4000 {
			t.Errorf("layout %d: up to %d tokens after the first 25 compactions, up to %d after the others", layout, early, late)
		}
		if layout == rung.Full && !strings.Contains(reads(c), "Never touch main.go") {
			t.Errorf("the first words of the user are gone:\n%s", reads(c))
		}
	}
}

// work is a stretch of an agent's work on files that change with the time.
func work(n int) []plimsoll.Message {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, fmt.Sprintf("Now do step %d, please.", n))}
	for i := range 6 {
		id := fmt.Sprintf("call_%d_%d", n, i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"src/part%d/file_%d.go"}`, n, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{
				Text: strings.Repeat(fmt.Sprintf("func moorShip%d(berth int) error { return nil }\n", i), 20),
			})}))
	}
	return append(messages, plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Step %d is done. I decided to keep the interface of moorShip%d.", n, n)))
}

func TestAFailingSummaryLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scribe *scribe
		want   fit.CompressionStatus
	}{
		{"an error", &scribe{err: errors.New("no ink")}, fit.CompressionFailedEmpty},
		{"an empty summary", &scribe{}, fit.CompressionFailedEmpty},
		{"a summary that is larger than what it replaces (G13)", &scribe{text: strings.Repeat("blah ", 5000)}, fit.CompressionFailedInflated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made := compacted(t, fit.Options{Rungs: []fit.Rung{&rung.Compact{Summarizer: tt.scribe}}}, chat(10))
			if made.Status != tt.want || made.Reason == "" || made.Checkpoint != nil {
				t.Errorf("status %s (%s), checkpoint %v, want %s", made.Status, made.Reason, made.Checkpoint, tt.want)
			}
			if diff := cmp.Diff(reads(chat(10)), reads(made.Plan.Conversation())); diff != "" || made.After != made.Before {
				t.Errorf("%d tokens became %d (-want +got):\n%s", made.Before, made.After, diff)
			}
		})
	}
}

func TestAFirstMessageThatIsTooLongStaysAsAnExcerpt(t *testing.T) {
	t.Parallel()
	c := chat(10)
	messages := c.Messages.Slice()
	messages[1] = plimsoll.Say(plimsoll.User, "Read this log: "+strings.Repeat("錨を上げる。", 2000)+" and fix the winch.")
	c.Messages = plimsoll.ListOf(messages...)
	archive := &shelf{}
	made := compacted(t, fit.Options{Archive: archive, Rungs: []fit.Rung{&rung.Compact{Summarizer: &scribe{text: snapshot}}}}, c)
	first := made.Plan.Conversation().Messages.At(1)
	text := first.Text()
	if first.Role != plimsoll.User || !strings.HasPrefix(text, "Read this log: 錨") || !strings.HasSuffix(text, "and fix the winch.") || len([]rune(text)) > 1000 {
		t.Fatalf("the first message is %s %.80q… of %d characters", first.Role, text, len([]rune(text)))
	}
	_, ref, _ := strings.Cut(text, "ref=")
	ref, _, _ = strings.Cut(ref, "]")
	if archive.kept[ref] != messages[1].Text() {
		t.Errorf("ref %q leads to %.40q", ref, archive.kept[ref])
	}
}

func TestPinnedMessagesOutliveACompaction(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		pin := 4
		made := compacted(t, fit.Options{
			Pins:  []fit.Pin{{Index: &pin}},
			Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: &scribe{text: snapshot}, KeepTurns: 1}},
		}, chat(10))
		if all := reads(made.Plan.Conversation()); made.Status != fit.Compressed || !strings.Contains(all, "assistant: answer 1") {
			t.Errorf("layout %d: %s %s\n%s", layout, made.Status, made.Reason, all)
		}
	}
}

func TestInstructionsGivenOnTheWayAreNeverSummarisedAway(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		messages := chat(10).Messages.Slice()
		messages[7] = plimsoll.Say(plimsoll.Developer, "from now on answer in metres")
		made := compacted(t, fit.Options{
			Rungs: []fit.Rung{&rung.Compact{Layout: layout, Summarizer: &scribe{text: snapshot}, KeepTurns: 1}},
		}, plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)})
		if all := reads(made.Plan.Conversation()); made.Status != fit.Compressed || !strings.Contains(all, "developer: from now on answer in metres") {
			t.Errorf("layout %d: %s %s\n%s", layout, made.Status, made.Reason, all)
		}
	}
}
