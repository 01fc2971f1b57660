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

// TestTheBodyIsWrittenAfterToolsWereTakenBack has a rung that is refused, so that each
// step is checked with a body of its own, and no room for the tools.
func TestTheBodyIsWrittenAfterToolsWereTakenBack(t *testing.T) {
	t.Parallel()
	c := readings(20)
	floor := floorOf(t, offering(c))
	newest := plimsoll.PartRef{Message: c.Messages.Len() - 1}
	shorten := rungOf("shorten", func(w *fit.Work) error {
		return w.Draft().ReplaceResult(newest, testkit.Text(strings.Repeat("9", 390)), testkit.Because)
	})
	for name, refused := range map[string]bool{"nothing is refused": false, "a rung is refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := clearing(t, floor+150, func(o *fit.Options) { o.Rungs = []fit.Rung{shorten, &rung.Slide{}} })
			task := offering(c)
			task.Encode = encoded
			task.Check = func(_ *plimsoll.Draft, body []byte) error {
				if refused && !strings.Contains(string(body), "c19 "+strings.Repeat("9", 400)) {
					return errors.New("the newest result is too short")
				}
				return nil
			}
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if (p.Rungs[0].Undone != "") != refused || p.Rungs[len(p.Rungs)-1].Undone == "" || toolsOf(p) != "" {
				t.Errorf("tools %q, rungs %+v", toolsOf(p), p.Rungs)
			}
			checkBody(t, p)
		})
	}
}

// TestToolsCountOnceToTheFloorWhenARungIsRefused applies the rungs a second time.
func TestToolsCountOnceToTheFloorWhenARungIsRefused(t *testing.T) {
	t.Parallel()
	task := offering(readings(20))
	floor := floorOf(t, task)
	task.Check = func(d *plimsoll.Draft, _ []byte) error {
		if _, stays := d.Message(2); !stays {
			return errors.New("the first call is missing")
		}
		return nil
	}
	for name, always := range map[string]bool{"when they come with the cut": false, "when they are there from the first request on": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := task
			task.OfferAlways = always
			k := clearing(t, 8000, func(o *fit.Options) {
				o.Marks.Low, o.Rungs = 0.01, []fit.Rung{dropping("bad", 2, 4), &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}}
			})
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if undone := slices.ContainsFunc(p.Rungs, func(r plimsoll.RungReport) bool { return r.Rung == "bad" && r.Undone != "" }); !undone {
				t.Errorf("the rung was not refused: %+v", p.Rungs)
			}
			if toolsOf(p) != "read_cache grep_cache" || p.Floor != floor+200 {
				t.Errorf("tools %q, floor %d, want %d; rungs %+v", toolsOf(p), p.Floor, floor+200, p.Rungs)
			}
		})
	}
}

// floorOf returns what no rung could take off a task, without added tools.
func floorOf(t *testing.T, task fit.Task) int {
	t.Helper()
	_, err := clearing(t, 50, nil).Fit(t.Context(), task)
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		t.Fatalf("a window of 50 tokens gives %v", err)
	}
	return over.Floor
}

func TestToolsOfAnEarlierRequestCountToTheFloorAndTheGoal(t *testing.T) {
	t.Parallel()
	const window = 3000
	k := clearing(t, window, func(o *fit.Options) {
		o.Marks.Low, o.Rungs = 0.01, []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Slide{}}
	})
	for rounds, cuts := 8, 0; cuts < 3; rounds++ {
		task := offering(readings(rounds))
		p, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		if len(p.Rungs) == 0 || len(p.Rungs) == 1 && p.Rungs[0].Replayed {
			continue // nothing new was cut
		}
		cuts++
		floor := floorOf(t, task) + 200
		if toolsOf(p) == "" || p.Floor != floor || p.Goal != (floor+window)/2 {
			t.Errorf("%d rounds, cut %d: tools %q, floor %d, want %d, goal %d, want %d", rounds, cuts, toolsOf(p), p.Floor, floor, p.Goal, (floor+window)/2)
		}
	}
}

// TestAPolicyIsToldWhatIsSoNowWhereMessagesMustSurvive compares with a keeper that sees
// the conversation for the first time: what must survive may be other messages in each
// request.
func TestAPolicyIsToldWhatIsSoNowWhereMessagesMustSurvive(t *testing.T) {
	t.Parallel()
	fourth := 5
	for name, tt := range map[string]struct {
		keeper []fit.Pin
		task   fit.Task
	}{
		"by a pin of the keeper": {keeper: []fit.Pin{{Index: &fourth}}},
		"by a pin of the task":   {task: fit.Task{Pins: []fit.Pin{{Index: &fourth}}}},
		"by the task's own list": {task: fit.Task{Keep: []int{fourth}}},
		"by a pin and the list":  {keeper: []fit.Pin{{Index: &fourth}}, task: fit.Task{Keep: []int{fourth}}},
		"by pins of both":        {keeper: []fit.Pin{{Index: &fourth}}, task: fit.Task{Pins: []fit.Pin{{Index: &fourth}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keeper := func(s *spy) *fit.Keeper {
				return clearing(t, 100_000, func(o *fit.Options) { o.Policy, o.Pins = s, tt.keeper })
			}
			s := &spy{}
			k := keeper(s)
			for rounds := 20; rounds < 23; rounds++ {
				task := tt.task
				task.Conversation = readings(rounds)
				_, err := k.Fit(t.Context(), task)
				testkit.Must(t, err)
				now := &spy{}
				_, err = keeper(now).Fit(t.Context(), task)
				testkit.Must(t, err)
				is, told := now.outlooks[0], s.outlooks[len(s.outlooks)-1]
				is.Now = told.Now
				if diff := cmp.Diff(is, told); diff != "" {
					t.Errorf("%d rounds (-what is so +what the policy sees):\n%s", rounds, diff)
				}
			}
		})
	}
}

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
