package interop_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/interop/agent"
	"github.com/plimsoll/plimsoll/interop/job"
	"github.com/plimsoll/plimsoll/interop/rig"
)

// The window of the upstream, and one in which nothing has to be cut.
const (
	small = 45_000
	large = 200_000
)

// most is how many overflows there may be: the one that the window is learned from.
var most = map[rig.Way]int{rig.Learned: 1, rig.Untold: 1}

// points is by how much less of the prompts may come out of the cache when something
// is cut.
const points = 0.10

var (
	everyAgent = flag.Bool("agents", false, "test with all agents, not only with the quick ones")
	fileLines  = flag.Int("lines", 0, "lines of each file that agents read; 0 means 96, some 2,700 tokens")
)

// quick are the agents that take a few seconds.
var quick = []string{"pi", "codex"}

func TestRealAgentsFinishAJobThatIsLargerThanTheWindow(t *testing.T) {
	var done table
	for _, a := range agent.All() {
		if !*everyAgent && !slices.Contains(quick, a.Name) {
			continue
		}
		t.Run(a.Name+"/"+string(a.Dialect), func(t *testing.T) {
			uncut := work(t, a, rig.Direct, large)
			if uncut.Overflows > 0 {
				t.Errorf("the job does not fit into %d tokens", large)
			}
			for _, way := range []rig.Way{rig.Limited, rig.Learned} {
				t.Run(string(way), func(t *testing.T) {
					v := work(t, a, way, small)
					done.add(a, way, v, uncut)
					check(t, way, v, uncut)
				})
			}
		})
	}
	t.Logf("\n%s", done.String())
}

func TestWithoutPlimsollTheJobDoesNotFit(t *testing.T) {
	for _, a := range agent.All() {
		if a.Name != "pi" || a.Dialect != plimsoll.OpenAI {
			continue
		}
		ran, v := start(t, a, rig.Direct, small)
		if v.Overflows == 0 || len(v.Told) == 0 || strings.Contains(ran.Output, job.Done) {
			t.Errorf("%d overflows, %d failures seen by the client, and it says %q", v.Overflows, len(v.Told), ran.Output)
		}
	}
}

// start lets an agent do the job.
func start(t *testing.T, a *agent.Agent, way rig.Way, window int) (agent.Run, rig.Verdict) {
	t.Helper()
	dir := t.TempDir()
	j, err := job.New(dir, &job.Options{Lines: *fileLines})
	if err != nil {
		t.Fatal(err)
	}
	r := rig.New(t, way, &rig.Options{Window: window, Script: j.Script})
	ran := a.Start(t, r.URL, dir, j.Prompt(), 3*time.Minute)
	v := r.Judge(t, j)
	t.Logf("%s in %s, %s", way, ran.Elapsed.Round(100*time.Millisecond), v)
	return ran, v
}

// work is the same for those who are to succeed.
func work(t *testing.T, a *agent.Agent, way rig.Way, window int) rig.Verdict {
	t.Helper()
	ran, v := start(t, a, way, window)
	if ran.Err != nil || !strings.Contains(ran.Output, job.Done) {
		t.Errorf("%s did not finish: %v\n%.2000s", a.Name, ran.Err, ran.Output)
	}
	blame(t, v)
	return v
}

// blame reports what the client was told and what the upstream refused, the first of
// each.
func blame(t *testing.T, v rig.Verdict) {
	t.Helper()
	if len(v.Told) > 0 {
		t.Errorf("the client was told of %d failures, first: %s", len(v.Told), v.Told[0])
	}
	if len(v.Refusals) > 0 {
		t.Errorf("the upstream refused %d requests, first: %s", len(v.Refusals), v.Refusals[0])
	}
}

// check says what a job that was cut may not have done.
func check(t *testing.T, way rig.Way, v, uncut rig.Verdict) {
	t.Helper()
	if v.Cuts+v.Recalled == 0 { // a cut inside a stream that had begun is told by the next request
		t.Error("nothing was cut")
	}
	if v.Steps != v.Of || v.Repeated > 0 {
		t.Errorf("%d of %d steps, %d of them asked for again", v.Steps, v.Of, v.Repeated)
	}
	if v.Overflows > most[way] {
		t.Errorf("%d overflows, want at most %d", v.Overflows, most[way])
	}
	if !v.Offered || v.Hidden == 0 {
		t.Errorf("the cache tools: offered %t, answered %d times", v.Offered, v.Hidden)
	}
	if len(v.Failures) > 0 {
		t.Errorf("the cache tools failed %d times, first: %s", len(v.Failures), v.Failures[0])
	}
	if len(v.Lost) > 0 || len(v.Sent) < 2*v.Of {
		t.Errorf("of %d marks (%d without cuts) %d are lost: %v", len(v.Sent), len(uncut.Sent), len(v.Lost), slices.Sorted(maps.Keys(v.Lost)))
	}
	if v.Cached < uncut.Cached-points {
		t.Errorf("%.1f%% of the prompts were cached, without cuts %.1f%%", 100*v.Cached, 100*uncut.Cached)
	}
}
