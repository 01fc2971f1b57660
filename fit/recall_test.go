package fit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// learningMeter weighs percent tokens for 100 letters. A test changes the figure, as
// bills do.
type learningMeter struct{ percent int }

func (m *learningMeter) learned(n int) int { return n * m.percent / 100 }

func (m *learningMeter) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := plimsoll.Load{System: m.learned(testkit.ByteMeter{}.Weigh(c).System), Tools: m.learned(testkit.ByteMeter{}.Weigh(c).Tools)}
	load.Total = load.System + load.Tools
	siblings := c.Outline().Siblings
	for i, message := range c.Messages.All() {
		ml := m.WeighMessage(c, message, siblings[i])
		load.Messages = append(load.Messages, ml)
		load.Total += ml.Tokens
	}
	return load
}

func (m *learningMeter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	load := testkit.ByteMeter{}.WeighMessage(c, message, siblings)
	load.Framing = m.learned(load.Framing)
	load.Tokens = load.Framing
	for i := range load.Parts {
		load.Parts[i] = m.learned(load.Parts[i])
		load.Tokens += load.Parts[i]
	}
	return load
}

func (m *learningMeter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	return m.learned(testkit.ByteMeter{}.WeighSystem(c, p))
}

func (m *learningMeter) WeighTool(c plimsoll.Conversation, tool plimsoll.Tool) int {
	return m.learned(testkit.ByteMeter{}.WeighTool(c, tool))
}

// TestAConversationIsCutAsBeforeWhateverItWeighsNow has a meter that learns to weigh
// less. The mark is the limit, 4,000 tokens.
func TestAConversationIsCutAsBeforeWhateverItWeighsNow(t *testing.T) {
	t.Parallel()
	c := talk(14)
	whole := testkit.ByteMeter{}.Weigh(c).Total
	for _, tt := range []struct {
		name    string
		percent int
	}{
		{"over it", 100},
		{"far under it", 85 * 4000 / whole},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			meter := &learningMeter{percent: 100}
			k := compacting(t, &scribe{}, func(o *fit.Options) { o.Meter, o.Marks.Soft = meter, 0 })
			_, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			meter.percent = tt.percent
			p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			if !p.Changed() {
				t.Errorf("a conversation of %d tokens is sent whole", p.Before.Total)
			}
		})
	}
}

// TestWhatIsCutAsBeforeIsWeighedByWhatTheMeterHasLearned cuts once, and lets the meter
// learn before each later request.
func TestWhatIsCutAsBeforeIsWeighedByWhatTheMeterHasLearned(t *testing.T) {
	t.Parallel()
	meter := &learningMeter{percent: 100}
	k := clearing(t, 8000, func(o *fit.Options) { o.Meter = meter })
	for i, percent := range []int{100, 100, 103, 103, 99, 101} {
		meter.percent = percent
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20 + i)})
		testkit.Must(t, err)
		if replayed := p.Rungs[0].Replayed; replayed != (i > 0) {
			t.Fatalf("request %d was cut as before: %v", i, replayed)
		}
		if diff := cmp.Diff(meter.Weigh(p.Conversation()), p.After); diff != "" {
			t.Errorf("request %d (-weighed now +plan):\n%s", i, diff)
		}
	}
}

// TestWhatIsCutAsBeforeHasTheToolsThatAreOfferedNow cuts once, and changes the offer
// before each later request.
func TestWhatIsCutAsBeforeHasTheToolsThatAreOfferedNow(t *testing.T) {
	t.Parallel()
	k := clearing(t, 8000, nil)
	other := []plimsoll.Tool{{Name: "read_archive", Schema: "{}"}}
	for i, tt := range []struct {
		offer []plimsoll.Tool
		want  string
	}{
		{cacheTools(), "read_cache grep_cache"},
		{nil, ""},
		{other, "read_archive"},
		{cacheTools()[:1], "read_cache"},
		{cacheTools(), "read_cache grep_cache"},
	} {
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20 + i), Offer: tt.offer})
		testkit.Must(t, err)
		if got := toolsOf(p); got != tt.want || p.Rungs[0].Replayed != (i > 0) {
			t.Errorf("request %d has the tools %q, want %q; rungs %+v", i, got, tt.want, p.Rungs)
		}
		if diff := cmp.Diff(testkit.ByteMeter{}.Weigh(p.Conversation()), p.After); diff != "" {
			t.Errorf("request %d (-weighed +plan):\n%s", i, diff)
		}
	}
}

// meddler is a policy that waits, and does something meanwhile.
type meddler func()

func (m meddler) Next(s fit.PolicyState, _ fit.Outlook) (fit.PolicyState, fit.Action) {
	m()
	return s, fit.Wait
}

// TestAWalkKeepsItsLongerCutWhenAnotherRequestUndoesIt has two checkpoints in the memory.
// A request begins with the longer one, and another takes that back meanwhile. The
// first goes on from where it was: what it knows already is not summarised again.
func TestAWalkKeepsItsLongerCutWhenAnotherRequestUndoesIt(t *testing.T) {
	t.Parallel()
	memory, archive, s := &notebook{}, &vault{}, &scribe{}
	keeper := func(p fit.Policy) *fit.Keeper {
		return compacting(t, s, func(o *fit.Options) {
			o.Memory, o.Archive, o.Policy, o.Marks.Soft = memory, archive, p, 0
			o.Rungs = []fit.Rung{&rung.Compact{Summarizer: s}}
		})
	}
	var last *fit.Compaction
	for turns := 14; turns <= 26; turns += 12 {
		made, err := keeper(nil).Compact(t.Context(), fit.Task{Conversation: talk(turns)}, fit.CompactOptions{})
		testkit.Must(t, err)
		if made.Status != fit.Compressed {
			t.Fatalf("%d turns: %s, %s", turns, made.Status, made.Reason)
		}
		last = made
	}
	var k *fit.Keeper
	undone := 0
	k = keeper(meddler(func() {
		undone++
		_, err := k.Undo(t.Context(), fit.Task{Conversation: talk(38)}, last.Checkpoint.Ref.ID)
		testkit.Must(t, err)
	}))
	_, err := k.Fit(t.Context(), fit.Task{Conversation: talk(38)})
	testkit.Must(t, err)
	if got, want := s.asked[len(s.asked)-1].Old.Start, last.Checkpoint.Old.End; got != want || undone != 1 || len(s.asked) != 3 {
		t.Errorf("summary %d begins with message %d, want %d; undone %d times", len(s.asked), got, want, undone)
	}
}
