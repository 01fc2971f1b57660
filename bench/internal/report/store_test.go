package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

const ms = time.Millisecond

func storing() *storage.Result {
	return &storage.Result{
		Pairs: storage.Pairs{Outputs: 2, Bytes: 1 << 20, Rounds: []storage.Round{
			{Store: storage.Trip{Put: 90 * ms, Get: 10 * ms}, Files: storage.Trip{Put: 60 * ms, Get: 5 * ms}},
			{Store: storage.Trip{Put: 120 * ms, Get: 10 * ms}, Files: storage.Trip{Put: 80 * ms, Get: 5 * ms}},
		}},
		Large: storage.Large{
			Bytes: 1 << 30, Lines: 9, Matches: 3,
			Reads:   []storage.Read{{Percent: 0, Median: 2 * ms}, {Percent: 99, Median: 4 * ms}},
			Reading: storage.Run{Wall: ms, CPU: ms, Peak: 31 << 20},
			Grep:    storage.Run{Wall: 15 * ms, CPU: 19 * ms, Peak: 33 << 20},
			Pipe:    storage.Run{Wall: 10 * ms, CPU: 10 * ms},
		},
		Refs: []storage.Refs{
			{Count: 1_000, Trip: storage.Trip{Put: 2 * ms, Get: ms}, GC: ms},
			{Count: 100_000, Trip: storage.Trip{Put: 4 * ms, Get: ms}, GC: 3 * ms},
		},
		Server: storage.ServerRefs{Refs: []storage.Refs{
			{Count: 1_000, Trip: storage.Trip{Put: 2 * ms, Get: ms}, GC: ms},
			{Count: 100_000, Trip: storage.Trip{Put: 2 * ms, Get: 3 * ms}, GC: 2 * ms},
		}},
	}
}

func TestGoalsOfTheStoreFollowTheFigures(t *testing.T) {
	t.Parallel()
	want := []struct {
		got     string
		reached bool
	}{
		{"65 %", true},
		{"2.00×", false},
		{"31.0 MiB", true},
		{"33.0 MiB", false},
		{"1.50× wall, 1.90× CPU", true},
		{"2.00×", true},
		{"1.00×", true},
		{"3.00×", false},
		{"1.00×", true},
		{"3.00×", false},
		{"2.00×", true},
	}
	got := StoreGoals(storing())
	if len(got) != len(want) {
		t.Fatalf("%d goals, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.Got != w.got || g.Reached != w.reached {
			t.Errorf("%s: got %s, %v; want %s, %v", g.What, g.Got, g.Reached, w.got, w.reached)
		}
	}
}

func TestSearchThatOnlyWaitsLessIsNotWithinItsGoal(t *testing.T) {
	t.Parallel()
	l := storing().Large
	l.Grep.CPU = 21 * ms
	if g := searchGoal(l); g.Reached {
		t.Errorf("got %+v, want not reached: the CPU counts too", g)
	}
}

func TestWhatWasNotMeasuredOfTheStoreIsSaid(t *testing.T) {
	t.Parallel()
	for _, g := range StoreGoals(&storage.Result{}) {
		if g.verdict() != "not measured" {
			t.Errorf("%s: verdict %q of nothing, want not measured", g.What, g.verdict())
		}
	}
	r := storing()
	r.Large.Smaller, r.Large.NoPipe = "no room", "no zstd"
	r.Server = storage.ServerRefs{Missing: "no server"}
	text := Store(r, measure.Machine{})
	for _, want := range []string{"**Smaller than 1 GiB:** no room.", "**Not compared:** no zstd.", "**Not measured:** no server."} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

func TestTheStoreHasItsOwnPartOfThePage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	page := begin + end + fitBegin + "fit\n" + fitEnd + storeBegin + "old\n" + storeEnd + "after\n"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := UpdateStore(file, "new"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := begin + end + fitBegin + "fit\n" + fitEnd + storeBegin + "\nnew\n\n" + storeEnd + "after\n"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
