package interop_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/interop/job"
	"github.com/plimsoll/plimsoll/interop/plain"
	"github.com/plimsoll/plimsoll/interop/rig"
)

var everyCourse = flag.Bool("courses", false, "play jobs of all sizes in all windows, and print what share of them is cached")

// course is a job of one size in one window.
type course struct {
	dialect plimsoll.Dialect
	// Window of the upstream, and tokens of a file and of the instructions.
	window, file, base int
	steps              int
	// maxOutput is what the client asks for.
	maxOutput int
}

func (c course) String() string {
	return fmt.Sprintf("%s,window=%d,file=%d,base=%d,steps=%d", c.dialect, c.window, c.file, c.base, c.steps)
}

// tokensOfALine is what a line of a file weighs.
const tokensOfALine = 28

// play lets a plain client do the job.
func (c course) play(t *testing.T, way rig.Way, window int) rig.Verdict {
	t.Helper()
	j, err := job.New(t.TempDir(), &job.Options{Steps: c.steps, Lines: c.file / tokensOfALine})
	if err != nil {
		t.Fatal(err)
	}
	r := rig.New(t, way, &rig.Options{Window: window, Script: j.Script})
	said, err := plain.New(c.dialect, r.URL, r.Client, plain.Options{Base: c.base, MaxOutput: c.maxOutput}).Work(t.Context(), j.Prompt())
	v := r.Judge(t, j)
	if err != nil || !strings.Contains(said, job.Done) {
		t.Fatalf("%s: %v, said last: %q", v, err, said)
	}
	blame(t, v)
	return v
}

// TestEnoughIsCachedWhateverTheSizeOfTheFiles plays the job of the agents with other
// sizes than theirs, up to files of which ten fill the window.
func TestEnoughIsCachedWhateverTheSizeOfTheFiles(t *testing.T) {
	for _, c := range []course{
		{plimsoll.OpenAI, small, 2000, 1000, 24, 8192},
		{plimsoll.Responses, small, 2700, 10_000, 24, 0},
		{plimsoll.Anthropic, small, 2700, 18_000, 24, 32_000},
		{plimsoll.Gemini, small, 3300, 1000, 24, 8192},
		{plimsoll.Responses, small, 4000, 10_000, 24, 0},
		{plimsoll.OpenAI, 64_000, 4500, 10_000, 40, 0},
		{plimsoll.Responses, 128_000, 6000, 2000, 40, 0},
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			uncut := c.play(t, rig.Direct, 0)
			for _, way := range []rig.Way{rig.InProcess, rig.Untold} {
				v := c.play(t, way, c.window)
				t.Logf("%s: %.1f%% cached, without cuts %.1f%%; cost %.2f; %s", way, 100*v.Cached, 100*uncut.Cached, v.Paid/uncut.Paid, v)
				check(t, way, v, uncut)
			}
		})
	}
}

// TestSharesOfAllCourses plays everything and prints a table. It runs only when it is
// asked for: there are sizes at which no way of cutting leaves enough in the cache.
func TestSharesOfAllCourses(t *testing.T) {
	if !*everyCourse {
		t.Skip("run it with -courses")
	}
	cut, missed, dear, twice := 0, 0, 0, 0
	for _, d := range everyDialect {
		for _, steps := range []int{16, 24, 40, 60} {
			for _, base := range []int{2000, 10_000, 20_000} {
				for _, file := range []int{1500, 2700, 3300, 4500, 6000} {
					c := course{dialect: d, file: file, base: base, steps: steps}
					uncut := c.play(t, rig.Direct, 0)
					for _, c.window = range []int{32_000, small, 64_000, 128_000} {
						for _, way := range []rig.Way{rig.InProcess, rig.Untold} {
							v := c.play(t, way, c.window)
							if v.Cuts+v.Recalled == 0 {
								continue
							}
							cut++
							misses := v.Cached < uncut.Cached-points
							missed += count(misses)
							dear += count(v.Paid > uncut.Paid)
							twice += count(v.Overflows > most[way])
							fmt.Printf("%s,%s,cuts=%d,overflows=%d,cached=%.1f,uncut=%.1f,missed=%t,cost=%.2f\n",
								c, way, v.Cuts, v.Overflows, 100*v.Cached, 100*uncut.Cached, misses, v.Paid/uncut.Paid)
						}
					}
				}
			}
		}
	}
	fmt.Printf("%d jobs were cut; %d miss the share, %d cost more than without cuts, %d overflowed too often\n", cut, missed, dear, twice)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
