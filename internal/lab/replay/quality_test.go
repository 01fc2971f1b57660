package replay

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

// harbour is a chat that comes back to what was said first.
func harbour(t *testing.T) *track {
	t.Helper()
	s := &Session{ID: "harbour", Model: "gpt-4o", Dialect: plimsoll.OpenAI}
	for i, text := range []string{
		"My sister Maud lives in Saltmere.", "What a pleasant harbour.", "The weather is calm.",
		"Good.", "Where does Maud live?", "She lives in Saltmere near the harbour, calm and safe.",
	} {
		s.Entries = append(s.Entries, entryOf(plimsoll.Say([]plimsoll.Role{plimsoll.User, plimsoll.Assistant}[i%2], text)))
	}
	return newTrack(s, token.NewMeter(nil))
}

// request is one of 300 of at most 1,000 tokens that has the newest of the messages of a
// history, and texts of management.
func request(h *history, newest int, texts ...string) *sending {
	s := &sending{limit: 1000, view: visible{stands: make([]bool, len(h.items))}}
	s.total = 300
	for i := range newest {
		s.view.stands[len(h.items)-1-i] = true
	}
	for _, text := range texts {
		s.view.words = append(s.view.words, h.read(text))
	}
	return s
}

func TestWordsSurviveACutIfTheTextInPlaceOfTheOldPartNamesThem(t *testing.T) {
	t.Parallel()
	track := harbour(t)
	h := newHistory(track)
	h.say(track.items[:3]...)
	for name, tt := range map[string]struct {
		newest int
		text   string
		want   quality
	}{
		// Later messages need maud, lives, saltmere and harbour; calm still stands.
		"two of four":       {1, "Maud: Saltmere", quality{cuts: 1, used: 0.3, words: 4, wordsKept: 2}},
		"none":              {1, "", quality{cuts: 1, used: 0.3, words: 4}},
		"nothing is gone":   {3, "", quality{cuts: 1, used: 0.3}},
		"all that was said": {0, "My sister Maud lives in Saltmere. A harbour. Calm.", quality{cuts: 1, used: 0.3, words: 5, wordsKept: 5}},
	} {
		var got quality
		if got.cut(h, request(h, tt.newest, tt.text), 3); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestIdentifiersSurviveACutIfALaterCallUsesThemAndNothingNamedThemBefore(t *testing.T) {
	t.Parallel()
	track := trackOf(t, voyage(20, 30))
	h := newHistory(track)
	h.say(track.items[:25]...)
	// The next call uses the chart that the newest result names; the one after it uses
	// buoy_3, which only the old part has. Results name all later charts before they are used.
	for text, want := range map[string]quality{
		"I noted buoy_3.": {cuts: 1, used: 0.3, atoms: 1, atomsKept: 1},
		"I noted buoy_4.": {cuts: 1, used: 0.3, atoms: 1},
	} {
		var got quality
		if got.cut(h, request(h, 4, text), 25); got.atoms != want.atoms || got.atomsKept != want.atomsKept || got.cuts != 1 {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestAnIdentifierThatIsNamedAgainBeforeItsUseIsNoTest(t *testing.T) {
	t.Parallel()
	use := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "late", Name: "read", Arguments: `{"mark":"buoy_3"}`})
	for text, want := range map[string]int{"Read buoy_3 again.": 0, "Go on.": 1} {
		track := trackOf(t, voyage(12, 30))
		h := newHistory(track)
		h.say(track.items[:25]...)
		track.items = append(track.items[:25], track.item(plimsoll.Say(plimsoll.User, text), 1), track.item(use, 1))
		var got quality
		if got.cut(h, request(h, 4), 25); got.atoms != want {
			t.Errorf("%s: %d identifiers are needed, want %d", text, got.atoms, want)
		}
	}
}

func TestOnlyTheNextSixtyCallsAreLater(t *testing.T) {
	t.Parallel()
	for between, want := range map[int]int{horizon - 1: 1, horizon: 0} {
		track := trackOf(t, voyage(12, 30))
		h := newHistory(track)
		h.say(track.items[:25]...)
		track.items = track.items[:25]
		for range between {
			track.items = append(track.items, track.item(plimsoll.Say(plimsoll.Assistant, "Good."), 1))
		}
		use := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "late", Name: "read", Arguments: `{"mark":"buoy_3"}`})
		track.items = append(track.items, track.item(use, 1))
		var got quality
		if got.cut(h, request(h, 4), 25); got.atoms != want {
			t.Errorf("after %d calls, %d identifiers are needed, want %d", between, got.atoms, want)
		}
	}
}

func TestTheWordsOfAnAnswerAreInReachIfAnyTextOfTheRequestHasThem(t *testing.T) {
	t.Parallel()
	track := harbour(t)
	h := newHistory(track)
	h.say(track.items[:5]...)
	for name, tt := range map[string]struct {
		newest int
		text   string
		want   quality
	}{
		// The answer uses lives, saltmere and harbour of the removed messages; calm stands.
		"one of three":    {3, "Saltmere", quality{wordsUsed: 3, wordsSeen: 1}},
		"nothing is gone": {5, "Saltmere", quality{}},
	} {
		var got quality
		if got.answer(h, request(h, tt.newest, tt.text), track.items[5:]); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestARecollectionHitsIfTheAnswerUsesWhatNothingElseHas(t *testing.T) {
	t.Parallel()
	track := harbour(t)
	for name, tt := range map[string]struct {
		text, checkpoint string
		hits             int
	}{
		"a word of the answer":                         {"My sister Maud lives in Saltmere.", "", 1},
		"a word that the answer does not use":          {"My sister Maud", "", 0},
		"a word that stands in the request too":        {"calm", "", 0},
		"a word that the checkpoint has too":           {"harbour", "A harbour.", 0},
		"a word that was never said before the answer": {"near", "", 0},
	} {
		h := newHistory(track)
		h.say(track.items[:5]...)
		s := request(h, 3, tt.checkpoint, tt.text)
		s.recollections, s.recollected = []*managedText{h.read(tt.text)}, []int{40}
		var got quality
		known := map[*managedText]bool{}
		got.recollect(h, s, track.items[5:], known)
		got.recollect(h, s, track.items[5:], known) // a later request has it still
		if want := (quality{recollections: 1, recollected: 40, hits: tt.hits}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestARecollectionIsNoPartOfWhatACutLeaves(t *testing.T) {
	t.Parallel()
	track := harbour(t)
	h := newHistory(track)
	h.say(track.items[:3]...)
	s := request(h, 1, "Maud", "Saltmere")
	s.recollections = []*managedText{h.read("Saltmere")}
	var got quality
	if got.cut(h, s, 3); got.words != 4 || got.wordsKept != 1 {
		t.Errorf("%d of %d words survive, want 1 of 4", got.wordsKept, got.words)
	}
}

func TestARecollectionIsFoundByTheRungOfItsEdit(t *testing.T) {
	t.Parallel()
	track := harbour(t)
	h := newHistory(track)
	h.say(track.items[:3]...)
	c := track.with([]plimsoll.Message{h.items[0].message, h.items[1].message, h.items[2].message})
	d := plimsoll.NewDraft(c, track.meter)
	for _, in := range []struct{ rung, text string }{{"compact", "A checkpoint."}, {recollectRung, "Maud lives in Saltmere."}} {
		if _, err := d.Insert(2, plimsoll.Say(plimsoll.User, in.text), plimsoll.Why{Rung: in.rung}); err != nil {
			t.Fatal(err)
		}
	}
	s := sent(h, &plimsoll.Plan{Draft: d, Edits: d.Edits(), After: track.meter.Weigh(d.Result())})
	if len(s.recollections) != 1 || s.recollections[0] != h.read("Maud lives in Saltmere.") || s.recollected[0] != s.tokens[3] {
		t.Errorf("recollections %v of %v tokens", s.recollections, s.recollected)
	}
}

func TestMethodsArePlayedAsPolicies(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: []string{"window", "summary", "hybrid"}, Prices: "nocache", Window: 60_000}, voyage(60, 1500))
	for name, summaries := range map[string]bool{"window": false, "summary": true, "hybrid": true} {
		res := r.Policies[name]
		if res.Breaks == 0 || (res.Summaries > 0) != summaries || res.Used == nil || *res.Used <= 0 || *res.Used > 1 {
			t.Errorf("%s: %d breaks, %d summaries, window used %v", name, res.Breaks, res.Summaries, res.Used)
		}
	}
}
