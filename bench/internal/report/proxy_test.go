package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/relay"
)

func relaying() *relay.Result {
	const us = time.Microsecond
	one := func(c relay.Case, target string, p50, p99 time.Duration) relay.Latency {
		return relay.Latency{Case: c, Target: target, Rounds: []relay.Round{{P50: p50, P99: p99, CPU: p50}}, Decisions: map[string]int{}}
	}
	stream := func(target string, first time.Duration, coalesced int) relay.Streams {
		return relay.Streams{Target: target, Rounds: []relay.StreamRound{{First: first}}, Streams: 3, Events: 199, Coalesced: coalesced}
	}
	rate := func(target string, rate float64) relay.Throughput {
		return relay.Throughput{Target: target, Rates: []float64{rate}, CPU: []time.Duration{ms}}
	}
	ours := one(relay.Small, relay.Us, 500*us, 2*ms)
	ours.Decisions = map[string]int{"pass": 7}
	return &relay.Result{
		Peers: []relay.Peer{{Name: relay.Us}, {Name: "Bifrost", Version: "1", Missing: "not to be had"}},
		Latency: []relay.Latency{
			one(relay.Small, relay.Floor, 310*us, 900*us), ours,
			one(relay.History, relay.Floor, ms, ms), one(relay.History, relay.Us, 4*ms, 4*ms), one(relay.History, relay.UsCut, 5*ms, 5*ms),
			one(relay.Large, relay.Floor, 5*ms, 5*ms), one(relay.Large, relay.Us, 30*ms, 30*ms), one(relay.Large, relay.UsCut, 31*ms, 31*ms),
		},
		Streams:    []relay.Streams{stream(relay.Floor, ms, 1), stream(relay.Us, 2*ms, 3)},
		Throughput: []relay.Throughput{rate(relay.Floor, 100), rate(relay.Us, 60), rate(relay.UsCut, 59)},
		Bodies:     []relay.Bodies{{Target: relay.Us, Bytes: 100, Heap: 300, Held: 200}, {Target: relay.UsCut, Bytes: 100, Heap: 301}},
		Idle:       []relay.Idle{{Target: relay.Us, Started: 40e6, Asked: 71e6}},
		Vocabulary: 10e6,
	}
}

func TestGoalsOfTheProxyFollowTheFigures(t *testing.T) {
	t.Parallel()
	want := []struct {
		got     string
		reached bool
	}{
		{"190 µs", true},
		{"1.1 ms", false},
		{"3.0 ms", true},
		{"4.0 ms", false},
		{"25 ms", true},
		{"26 ms", false},
		{"1.0 ms", true},
		{"0 streams changed, 3 events coalesced (floor 1)", false},
		{"60 %", true},
		{"59 %", false},
		{"3.00 at its peak, 2.00 while they wait", true},
		{"3.01 at its peak, – while they wait", false},
		{"40 MB at the start, 61 MB after a request", false},
	}
	got := ProxyGoals(relaying())
	if len(got) != len(want) {
		t.Fatalf("%d goals, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.Got != w.got || g.Reached != w.reached {
			t.Errorf("%s: got %s, %v; want %s, %v", g.What, g.Got, g.Reached, w.got, w.reached)
		}
	}
}

func TestWhatWasNotMeasuredOfProxiesIsSaid(t *testing.T) {
	t.Parallel()
	r := relaying()
	r.Latency, r.Throughput, r.Streams, r.Idle, r.Bodies = r.Latency[:2], nil, nil, nil, nil
	for _, g := range ProxyGoals(r)[2:] {
		if g.verdict() != "not measured" {
			t.Errorf("%s: got %q", g.What, g.verdict())
		}
	}
	text := Proxy(r, measure.Machine{})
	for _, want := range []string{"**Not measured:** Bifrost 1: not to be had.", "4 KB, plimsoll: pass 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("report without %q:\n%s", want, text)
		}
	}
}

func TestGoalsOfWhatIsLeftBehind(t *testing.T) {
	t.Parallel()
	point := func(goroutines int, heap float64) relay.LeakPoint {
		return relay.LeakPoint{Goroutines: goroutines, Heap: heap}
	}
	for _, test := range []struct {
		name  string
		after relay.LeakPoint
		want  [2]bool
	}{
		{"as before", point(20, 100), [2]bool{true, true}},
		{"a little of both", point(22, 104.9), [2]bool{true, true}},
		{"goroutines stay", point(23, 100), [2]bool{false, true}},
		{"the heap grows", point(20, 106), [2]bool{true, false}},
		{"the heap shrinks", point(17, 94), [2]bool{false, false}},
	} {
		got := LeakGoals(&relay.Leak{Points: []relay.LeakPoint{point(20, 100), point(90, 900), test.after}})
		if len(got) != 2 || got[0].Reached != test.want[0] || got[1].Reached != test.want[1] {
			t.Errorf("%s: got %+v, want %v", test.name, got, test.want)
		}
	}
	if got := LeakGoals(nil); got != nil {
		t.Errorf("nothing measured: got %v", got)
	}
}

func TestPartsAboutProxiesAreWrittenIntoTheirOwnPlaces(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("a\n"+proxyBegin+"old\n"+proxyEnd+"b\n"+leakBegin+"old\n"+leakEnd+"c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := UpdateProxy(file, "one"); err != nil {
		t.Fatal(err)
	}
	if err := UpdateProxyLeak(file, "two"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\n" + proxyBegin + "\none\n\n" + proxyEnd + "b\n" + leakBegin + "\ntwo\n\n" + leakEnd + "c\n"; string(got) != want {
		t.Errorf("got:\n%s", got)
	}
}
