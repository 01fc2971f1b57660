package fit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// encoded writes the names of tools and the texts of a draft.
func encoded(d *plimsoll.Draft) ([]byte, error) {
	c := d.Result()
	var b strings.Builder
	for _, tool := range c.Tools.All() {
		fmt.Fprintf(&b, "tool %s\n", tool.Name)
	}
	b.WriteString(transcriptOf(c))
	return []byte(b.String()), nil
}

// dropping is a rung that drops one span of messages.
func dropping(name string, start, end int) fit.Rung {
	return rungOf(name, func(w *fit.Work) error {
		return w.Draft().Drop(plimsoll.Span{Start: start, End: end}, plimsoll.Why{Rung: name, Reason: "test"})
	})
}

// TestACheckpointIsNotLostToALaterRungThatIsRefused has a rung behind the checkpoint
// that the provider would refuse.
func TestACheckpointIsNotLostToALaterRungThatIsRefused(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	c := talk(14)
	last := c.Messages.Len() - 3
	k := compacting(t, s, func(o *fit.Options) {
		o.Arrival = []fit.Rung{&rung.Compact{Summarizer: s}, dropping("bad", last, last+2)}
	})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: c, Encode: encoded, Check: func(d *plimsoll.Draft, _ []byte) error {
		if _, stays := d.Message(last); !stays {
			return errors.New("the newest answer is missing")
		}
		return nil
	}})
	testkit.Must(t, err)
	if s.calls.Load() != 1 || !strings.Contains(said(p.Conversation()), "<plimsoll_checkpoint>") {
		t.Errorf("%d summaries were made, and what is sent is\n%s", s.calls.Load(), said(p.Conversation()))
	}
	if len(p.Rungs) != 2 || p.Rungs[0].Undone != "" || p.Rungs[1].Undone != "the newest answer is missing" {
		t.Errorf("rungs %+v", p.Rungs)
	}
	checkBody(t, p)
}

// checkBody checks that the body of a plan is that of its draft.
func checkBody(t *testing.T, p *plimsoll.Plan) {
	t.Helper()
	want, err := encoded(p.Draft)
	testkit.Must(t, err)
	if diff := cmp.Diff(string(want), string(p.Body)); diff != "" {
		t.Errorf("the body is not that of the draft (-draft +body):\n%s", diff)
	}
}

// TestAWalkUsesACheckpointThatWasMadeSinceItBegan lets another request make the
// checkpoint after this one has looked into the memory.
func TestAWalkUsesACheckpointThatWasMadeSinceItBegan(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	var k *fit.Keeper
	var other string
	begun := false
	k = compacting(t, s, func(o *fit.Options) {
		o.Policy = meddler(func() {
			if begun {
				return
			}
			begun = true
			p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
			testkit.Must(t, err)
			other = said(p.Conversation())
		})
	})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	testkit.Must(t, err)
	if diff := cmp.Diff(other, said(p.Conversation())); diff != "" || s.calls.Load() != 1 {
		t.Errorf("%d summaries were made, and the requests differ:\n%s", s.calls.Load(), diff)
	}
}

// TestARungSeesTheWork asks everything that a rung may ask.
func TestARungSeesTheWork(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string]fit.Archive{"with an archive": &vault{}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := ""
			dry, asked := false, 0
			looking := rungOf("look", func(w *fit.Work) error {
				asked++
				if w.HasArchive() != (archive != nil) || w.DryRun() != dry || w.Count("hull") != 4 || w.Line().Window != 100_000 {
					t.Errorf("archive %v, dry %v, count %d, line %+v", w.HasArchive(), w.DryRun(), w.Count("hull"), w.Line())
				}
				// 7 and 2 for the instructions, 11 and 4 for the tool, 13 for the whole, and the message at the head.
				if w.Fixed() != 37 || w.Base() != 37+9 {
					t.Errorf("beside the messages %d tokens, at the head %d", w.Fixed(), w.Base())
				}
				if got := transcriptOf(w.Replayed(t.Context()).Result()); before != "" && !strings.HasPrefix(got, before) || before == "" && strings.Contains(got, "none") {
					t.Errorf("sent before:\n%s\nand the rung sees\n%s", before, got)
				}
				return nil
			})
			k, err := fit.New(&fit.Options{Meter: framed{}, Window: 100_000, Reserve: new(0), Sticky: true, Archive: archive, Arrival: []fit.Rung{looking, stowing}})
			testkit.Must(t, err)
			for rounds := 3; rounds < 6; rounds++ {
				c := withTool(readings(rounds), "read")
				c.System = testkit.Text("hi")
				dry = true
				_, err := k.Plan(t.Context(), fit.Task{Conversation: c})
				testkit.Must(t, err)
				dry = false
				p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
				testkit.Must(t, err)
				// The newest round is cut when there is a newer one.
				before = transcriptOf(plimsoll.Conversation{Messages: plimsoll.ListOf(p.Conversation().Messages.Slice()[:2*rounds-2]...)})
			}
			if asked != 6 {
				t.Errorf("the rung was asked %d times", asked)
			}
		})
	}
}
