package fit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

func TestAPinOfALaterRequestIsHeededWhereTheCutStands(t *testing.T) {
	t.Parallel()
	s := &spy{cutAt: 1, action: fit.CutCheap}
	k := clearing(t, 100_000, func(o *fit.Options) { o.Policy = s })
	_, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20)})
	testkit.Must(t, err)
	newest := 43 // behind what was cut
	_, err = k.Fit(t.Context(), fit.Task{Conversation: readings(24)})
	testkit.Must(t, err)
	free := s.outlooks[len(s.outlooks)-1].Cheap.Removable
	_, err = k.Fit(t.Context(), fit.Task{Conversation: readings(25), Pins: []fit.Pin{{Index: &newest}}})
	testkit.Must(t, err)
	// One more round could go, and the pinned one cannot.
	if got := s.outlooks[len(s.outlooks)-1].Cheap.Removable; got != free {
		t.Errorf("%d tokens could go, want %d", got, free)
	}
}

func TestWhatComesLaterIsCutOnArrivalToo(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, 100_000, fit.Options{Arrival: []fit.Rung{stowing}, Sticky: true})
	for rounds := 2; rounds < 6; rounds++ {
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
		testkit.Must(t, err)
		if got := strings.Count(transcriptOf(p.Conversation()), " none\n"); got != rounds-1 {
			t.Errorf("of %d results %d were cut, want all but the newest", rounds, got)
		}
	}
}

// TestWhatWasCutStandsInLaterRequests lets rungs cut in every way that can be written
// down, once, and compares what later requests send, in this process and in another.
func TestWhatWasCutStandsInLaterRequests(t *testing.T) {
	t.Parallel()
	why := func(ref string) plimsoll.Why {
		if ref == "" {
			return plimsoll.Why{Rung: "cut", Reason: "test"}
		}
		return plimsoll.Why{Rung: "cut", Reason: "test", Ref: &plimsoll.Ref{ID: ref}}
	}
	at := func(message, part int) plimsoll.PartRef { return plimsoll.PartRef{Message: message, Part: part} }
	picture, odd := plimsoll.Media{Kind: plimsoll.Image, URL: "hull.png"}, plimsoll.Opaque{Kind: "chart", Raw: `{"depth":4}`}
	var messages []plimsoll.Message
	messages = append(messages, plimsoll.Say(plimsoll.System, "SYS"), plimsoll.Say(plimsoll.User, "begin")) // 0, 1
	for i := range 4 {                                                                                      // 2 to 9
		id := fmt.Sprint("c", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "hm " + id}, plimsoll.Text{Text: "aside " + id}, plimsoll.Text{Text: "look " + id}, plimsoll.ToolCall{ID: id, Name: "read"}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](
				picture, plimsoll.Text{Text: strings.Repeat("x", 300)}, plimsoll.Media{Kind: plimsoll.Image, URL: "other.png"}, plimsoll.Opaque{Kind: "chart", Raw: "{}"}, odd)}))
	}
	messages = append(messages, plimsoll.Say(plimsoll.Assistant, "done "+strings.Repeat("d", 100)), plimsoll.Say(plimsoll.User, "go on")) // 10, 11
	for name, cut := range map[string]func(*plimsoll.Draft) error{
		"parts": func(d *plimsoll.Draft) error {
			return errors.Join(d.RemovePart(at(2, 0), why("")), d.RemovePart(at(2, 2), why("r1")), d.RemovePart(at(4, 1), why("")))
		},
		"results": func(d *plimsoll.Draft) error {
			return errors.Join(
				d.ReplaceResult(at(3, 0), testkit.Text("first"), why("r1")),
				d.ReplaceResult(at(3, 0), testkit.Text("then"), why("r2")),
				d.ReplaceResult(at(5, 0), plimsoll.ListOf[plimsoll.Part](odd, plimsoll.Text{Text: "with"}, picture), why("")))
		},
		"messages": func(d *plimsoll.Draft) error {
			return errors.Join(d.Drop(plimsoll.Span{Start: 2, End: 4}, why("r1")), d.Drop(plimsoll.Span{Start: 4, End: 6}, why("r2")),
				d.Drop(plimsoll.Span{Start: 10, End: 11}, why("")))
		},
		"messages that are apart": func(d *plimsoll.Draft) error {
			return errors.Join(d.Drop(plimsoll.Span{Start: 2, End: 4}, why("r1")), d.Drop(plimsoll.Span{Start: 6, End: 8}, why("r1")))
		},
		"messages with and without a reference": func(d *plimsoll.Draft) error {
			return errors.Join(d.Drop(plimsoll.Span{Start: 2, End: 4}, why("r1")), d.Drop(plimsoll.Span{Start: 4, End: 6}, why("")),
				d.Drop(plimsoll.Span{Start: 6, End: 8}, why("r1")))
		},
		"messages that several rungs took": func(d *plimsoll.Draft) error {
			other := why("r1")
			other.Rung = "other"
			return errors.Join(d.Drop(plimsoll.Span{Start: 2, End: 4}, why("r1")), d.Drop(plimsoll.Span{Start: 4, End: 6}, other))
		},
		"messages that notes replace": func(d *plimsoll.Draft) error {
			if err := d.Drop(plimsoll.Span{Start: 2, End: 6}, why("r1")); err != nil {
				return err
			}
			gone, err := d.Insert(2, plimsoll.Say(plimsoll.User, "taken back"), why(""))
			if err != nil {
				return err
			}
			_, one := d.Insert(2, plimsoll.Say(plimsoll.User, "four messages went"), why("r2"))
			_, two := d.Insert(6, plimsoll.Say(plimsoll.User, "and here it goes on"), why(""))
			return errors.Join(d.Withdraw(gone, why("")), one, two)
		},
		"what was edited and then dropped": func(d *plimsoll.Draft) error {
			return errors.Join(d.ReplaceResult(at(3, 0), testkit.Text("first"), why("r1")), d.RemovePart(at(2, 0), why("")), d.Drop(plimsoll.Span{Start: 2, End: 4}, why("r1")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := &notebook{}
			once := true
			keeper := func() *fit.Keeper {
				return newKeeper(t, 100_000, fit.Options{Sticky: true, Memory: memory, Arrival: []fit.Rung{rungOf("cut", func(w *fit.Work) error {
					if !once {
						return nil
					}
					once = false
					return cut(w.Draft())
				})}})
			}
			k := keeper()
			first, err := k.Fit(t.Context(), fit.Task{Conversation: testkit.Conversation(messages)})
			testkit.Must(t, err)
			if first.Rungs[0].Edits == 0 || first.Degraded != "" {
				t.Fatalf("nothing was cut: %+v", first.Rungs)
			}
			longer := testkit.Conversation(append(messages[:len(messages):len(messages)], plimsoll.Say(plimsoll.Assistant, "more"), plimsoll.Say(plimsoll.User, "and now?")))
			for who, later := range map[string]*fit.Keeper{"this process": k, "another process": keeper()} {
				p, err := later.Fit(t.Context(), fit.Task{Conversation: longer})
				testkit.Must(t, err)
				n := first.Conversation().Messages.Len()
				got := p.Conversation().Messages.Slice()
				if len(got) != n+2 {
					t.Fatalf("%s sends %d messages, want %d", who, len(got), n+2)
				}
				if diff := cmp.Diff(dump(first.Conversation().Messages.Slice()), dump(got[:n])); diff != "" {
					t.Errorf("%s sends something else (-first +later):\n%s", who, diff)
				}
				if diff := cmp.Diff(lost(first), lost(p)); diff != "" {
					t.Errorf("%s loses something else (-first +later):\n%s", who, diff)
				}
				if p.After.Total >= p.Before.Total || !p.Rungs[0].Replayed || p.Degraded != "" {
					t.Errorf("%s: %d tokens became %d by %+v", who, p.Before.Total, p.After.Total, p.Rungs)
				}
			}
			var refs []string
			for _, d := range memory.decisions {
				refs = append(refs, d.Refs...)
			}
			last := 0
			for _, e := range first.Edits {
				if e.Ref != nil && strings.Contains(strings.Join(lost(first), " "), e.Ref.ID) && !slices.Contains(refs, e.Ref.ID) {
					t.Errorf("the decision does not name %s, but %v", e.Ref.ID, refs)
				}
				if e.Kind != plimsoll.EditInsert && e.Kind != plimsoll.EditWithdraw {
					last = max(last, e.Message)
				}
			}
			// Another history is not cut so.
			other := slices.Clone(longer.Messages.Slice())
			m := other[last]
			other[last] = plimsoll.NewMessage(m.Role, append([]plimsoll.Part{plimsoll.Text{Text: "another"}}, m.Parts.Slice()...)...)
			p, err := k.Fit(t.Context(), fit.Task{Conversation: testkit.Conversation(other)})
			testkit.Must(t, err)
			if p.Changed() {
				t.Errorf("a history with another message %d was cut: %+v", last, p.Edits)
			}
		})
	}
}

// lost returns what the draft of a plan has lost, in the order of the messages, by which
// rung and with which reference. What was edited twice or dropped later counts once.
func lost(p *plimsoll.Plan) []string {
	at := map[plimsoll.PartRef]string{}
	for _, e := range p.Edits {
		switch e.Kind {
		case plimsoll.EditDrop, plimsoll.EditReplace, plimsoll.EditRemove:
			ref := ""
			if e.Ref != nil {
				ref = e.Ref.ID
			}
			if _, stays := p.Draft.Message(e.Message); stays || e.Kind == plimsoll.EditDrop {
				at[plimsoll.PartRef{Message: e.Message, Part: e.Part}] = fmt.Sprintf("%03d.%d %s by %s %s", e.Message, e.Part, e.Kind, e.Rung, ref)
			}
		}
	}
	return slices.Sorted(maps.Values(at))
}

// dump writes messages with all their parts, one a line.
func dump(messages []plimsoll.Message) []string {
	var all []string
	for _, m := range messages {
		for _, p := range m.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok {
				ref := ""
				if r.Ref != nil {
					ref = r.Ref.ID
				}
				all = append(all, fmt.Sprintf("%s: result of %s, %s", m.Role, r.CallID, ref))
				for _, inner := range r.Content.All() {
					all = append(all, fmt.Sprintf("  %T%+v", inner, inner))
				}
				continue
			}
			all = append(all, fmt.Sprintf("%s: %T%+v", m.Role, p, p))
		}
	}
	return all
}

// TestWhatCannotBeWrittenDownIsNotReplayed lets a rung put in what no rung of the engine
// makes: each request is cut by itself.
func TestWhatCannotBeWrittenDownIsNotReplayed(t *testing.T) {
	t.Parallel()
	picture := plimsoll.Media{Kind: plimsoll.Image, URL: "new.png"}
	for name, cut := range map[string]func(*plimsoll.Draft) error{
		"a picture in a result": func(d *plimsoll.Draft) error {
			return d.ReplaceResult(plimsoll.PartRef{Message: 3}, plimsoll.ListOf[plimsoll.Part](picture), testkit.Because)
		},
		"a message with a picture": func(d *plimsoll.Draft) error {
			if err := d.Drop(plimsoll.Span{Start: 2, End: 4}, testkit.Because); err != nil {
				return err
			}
			_, err := d.Insert(4, plimsoll.NewMessage(plimsoll.User, picture), testkit.Because)
			return err
		},
		"a message of two texts": func(d *plimsoll.Draft) error {
			if err := d.Drop(plimsoll.Span{Start: 2, End: 4}, testkit.Because); err != nil {
				return err
			}
			_, err := d.Insert(4, plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "one"}, plimsoll.Text{Text: "two"}), testkit.Because)
			return err
		},
		"an instruction": func(d *plimsoll.Draft) error {
			d.AddSystem(plimsoll.Text{Text: "be brief"}, testkit.Because)
			return d.Drop(plimsoll.Span{Start: 2, End: 4}, testkit.Because)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := &notebook{}
			k := newKeeper(t, 100_000, fit.Options{Sticky: true, Memory: memory, Arrival: []fit.Rung{rungOf("cut", func(w *fit.Work) error { return cut(w.Draft()) })}})
			for rounds := 3; rounds < 5; rounds++ {
				p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(rounds)})
				testkit.Must(t, err)
				if !p.Changed() || p.Rungs[0].Replayed || len(memory.decisions) > 0 {
					t.Errorf("%d rounds: rungs %+v, %d decisions", rounds, p.Rungs, len(memory.decisions))
				}
			}
		})
	}
}

// TestADecisionThatDoesNotHoldIsNotReplayed gives the keeper a memory that says what
// cannot be done.
func TestADecisionThatDoesNotHoldIsNotReplayed(t *testing.T) {
	t.Parallel()
	c := readings(4) // ten messages; calls are in 2, 4, 6 and 8, results behind them
	pinned := 3
	for name, tt := range map[string]struct {
		body  string
		holds bool
	}{
		"a drop":                              {`{"version":2,"until":4,"drops":[{"start":2,"end":4,"rung":"r"}]}`, true},
		"a drop before the first message":     {`{"version":2,"until":4,"drops":[{"start":-1,"end":4,"rung":"r"}]}`, false},
		"a drop behind the last message":      {`{"version":2,"until":4,"drops":[{"start":2,"end":11,"rung":"r"}]}`, false},
		"a drop of the newest round":          {`{"version":2,"until":4,"drops":[{"start":8,"end":10,"rung":"r"}]}`, false},
		"a drop of the instructions":          {`{"version":2,"until":4,"drops":[{"start":0,"end":1,"rung":"r"}]}`, false},
		"a result":                            {`{"version":2,"until":4,"results":[{"at":{"message":5,"part":0},"content":[{"text":"x"}],"rung":"r"}]}`, true},
		"a result of the pinned message":      {`{"version":2,"until":4,"results":[{"at":{"message":3,"part":0},"content":[{"text":"x"}],"rung":"r"}]}`, false},
		"a result before the first message":   {`{"version":2,"until":4,"results":[{"at":{"message":-1,"part":0},"content":[{"text":"x"}],"rung":"r"}]}`, false},
		"a result behind the last message":    {`{"version":2,"until":4,"results":[{"at":{"message":10,"part":0},"content":[{"text":"x"}],"rung":"r"}]}`, false},
		"a result that is a call":             {`{"version":2,"until":4,"results":[{"at":{"message":4,"part":0},"content":[{"text":"x"}],"rung":"r"}]}`, false},
		"a part of a result that it has not":  {`{"version":2,"until":4,"results":[{"at":{"message":5,"part":0},"content":[{"same":1}],"rung":"r"}]}`, false},
		"a part of a result before its first": {`{"version":2,"until":4,"results":[{"at":{"message":5,"part":0},"content":[{"same":-1}],"rung":"r"}]}`, false},
		"a part of no message":                {`{"version":2,"until":4,"removed":[{"at":{"message":10,"part":0},"rung":"r"}]}`, false},
		"a part that is a call":               {`{"version":2,"until":4,"removed":[{"at":{"message":4,"part":0},"rung":"r"}]}`, false},
		"an insertion behind the end":         {`{"version":2,"until":4,"drops":[{"start":4,"end":6,"rung":"r"}],"inserts":[{"before":11,"role":"user","text":"x","rung":"r"}]}`, false},
		"what makes it larger":                {`{"version":2,"until":4,"inserts":[{"before":2,"role":"user","text":"x","rung":"r"}]}`, false},
		"a checkpoint behind the end":         {`{"version":2,"until":4,"checkpoint":{"old":{"start":4,"end":11},"messages":[{"before":6,"role":"user","text":"x"}]}}`, false},
		"a checkpoint over the pinned one":    {`{"version":2,"until":4,"checkpoint":{"old":{"start":2,"end":6},"messages":[{"before":6,"role":"user","text":"x"}]}}`, false},
		"a checkpoint":                        {`{"version":2,"until":4,"checkpoint":{"old":{"start":4,"end":8},"messages":[{"before":8,"role":"user","text":"x"}]}}`, true},
		"what saves nothing":                  {`{"version":2,"until":4,"results":[{"at":{"message":5,"part":0},"content":[{"text":"` + strings.Repeat("x", 400) + `"}],"rung":"r"}]}`, true},
		"another version":                     {`{"version":1,"until":4,"drops":[{"start":4,"end":6,"rung":"r"}]}`, false},
		"no decision":                         {`{"version":`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := fit.Task{Conversation: c, Memory: &oracle{body: tt.body}}
			if name != "a drop" {
				task.Pins = []fit.Pin{{Index: &pinned}}
			}
			k := newKeeper(t, 100_000, fit.Options{Sticky: true, Arrival: []fit.Rung{&archer{}}})
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if p.Changed() != tt.holds || p.Rungs[0].Replayed != tt.holds {
				t.Errorf("edits %+v, rungs %+v, want it replayed: %v", p.Edits, p.Rungs, tt.holds)
			}
		})
	}
}

// oracle is a memory that gives one decision to every request.
type oracle struct {
	notebook
	body string
}

func (o *oracle) Recall(_ context.Context, keys []plimsoll.Digest) (fit.Decision, error) {
	return fit.Decision{Key: keys[len(keys)-1], Body: []byte(o.body)}, nil
}
