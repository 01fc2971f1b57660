package replay

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

// seen plays a request in which of the first three rounds one stands, one is cleared
// and one is replaced by words of management.
func seen(t *testing.T) (*history, *visible) {
	t.Helper()
	track := trackOf(t, voyage(4, 30))
	h := newHistory(track)
	h.say(track.items...)
	ref, err := h.archive.Put(t.Context(), plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "stored_name and other/stored.txt"}))
	if err != nil {
		t.Fatal(err)
	}
	v := &visible{stands: make([]bool, len(h.items)), changed: map[plimsoll.PartRef]bool{{Message: 4, Part: 0}: true}}
	for _, i := range []int{0, 1, 2, 3, 4} { // the first round stands, the result of the second is cleared
		v.stands[i] = true
	}
	v.words = []*managedText{h.read("[tool output trimmed; ref=" + ref.ID + "]"), h.read("I noted buoy_2 and far/away/sheet_4.txt.")}
	return h, v
}

func TestAnIdentifierIsSeenWhereItStandsIsNamedOrIsStored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		atom string
		want sight
	}{
		"in a message that nobody touched":         {"buoy_0", sight{verbatim: true, stored: true, alike: true}},
		"in a call beside a cleared result":        {"charts/sheet_1.txt", sight{verbatim: true, stored: true, alike: true}},
		"in a result that was cleared":             {"buoy_1", sight{}},
		"in a message that is gone, but is noted":  {"buoy_2", sight{named: true, stored: true, alike: true}},
		"in a message that is gone":                {"buoy_3", sight{}},
		"by the base name of another path":         {"charts/sheet_4.txt", sight{alike: true}},
		"behind a reference that stands somewhere": {"stored_name", sight{stored: true}},
	} {
		h, v := seen(t)
		if got := h.see(v, h.names.of(tt.atom)); got != tt.want {
			t.Errorf("%s: %s is seen as %+v, want %+v", name, tt.atom, got, tt.want)
		}
	}
}

func TestReachCountsWhatACallNeeds(t *testing.T) {
	t.Parallel()
	h, v := seen(t)
	var need []atom
	for _, name := range []string{"buoy_0", "buoy_1", "buoy_2", "buoy_3", "charts/sheet_4.txt", "stored_name"} {
		need = append(need, h.names.of(name))
	}
	o := &Outcome{}
	lost := o.saw(h, v, need)
	if len(lost) != 4 || o.need != 6 || o.exact != 2 || o.alike != 3 || o.stored != 3 || o.hard != 5 || o.hardSeen != 1 {
		t.Errorf("lost %d of %d: %d exact, %d alike, %d stored, %d of %d hard", len(lost), o.need, o.exact, o.alike, o.stored, o.hardSeen, o.hard)
	}
}

func TestACallNeedsWhatItUsesAndWasSaidBefore(t *testing.T) {
	t.Parallel()
	track := trackOf(t, voyage(20, 30))
	for i, c := range track.calls {
		want := 1 // the chart, which the last result named
		if i == 0 || i == len(track.calls)-1 {
			want = 0 // nobody has named the first one; the last answer calls nothing
		}
		if len(c.need) != want {
			t.Errorf("call %d needs %d identifiers, want %d", i, len(c.need), want)
		}
	}
}

func TestTheBaseComesFromTheFirstBill(t *testing.T) {
	t.Parallel()
	s := voyage(6, 30)
	assumed := trackOf(t, s)
	if assumed.base < agentBase || assumed.base > agentBase+10 || assumed.baseFrom != "assumed" {
		t.Errorf("without a bill: %d, %s", assumed.base, assumed.baseFrom)
	}
	s.Entries[1].Bill = plimsoll.Usage{Input: 10, CacheRead: 30_000}
	billed := trackOf(t, s)
	if want := 30_010 - billed.items[0].tokens; billed.base < want || billed.base > want+10 || billed.baseFrom != "first bill" {
		t.Errorf("with a bill: %d, %s, want %d", billed.base, billed.baseFrom, want)
	}
	if load := billed.meter.Weigh(billed.with(nil)); load.Total != billed.base {
		t.Errorf("the meter says that system and tools weigh %d", load.Total)
	}
}
