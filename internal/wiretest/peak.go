package wiretest

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
)

// stopping makes the collector mark while nothing else runs. Otherwise it takes what is
// dropped meanwhile for used, and nobody could say how much of it was.
const stopping = "gcstoptheworld=1"

func stopsTheWorld() bool { return strings.Contains(os.Getenv("GODEBUG"), stopping) }

// againStopping runs a test in a process of its own whose collector stops the world.
func againStopping(t *testing.T) {
	t.Helper()
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), "GODEBUG="+stopping)
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// peakOf runs work and returns by how much the heap in use grew at most, as the
// garbage collector found it. It makes the collector run after every hundredth of
// growth and looks at what each run leaves, so that garbage does not count; see
// stopping. What work returns is in use until the end.
func peakOf[T any](work func() T) (T, int) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	w := &watch{}
	before := inUse()
	w.arm()
	result := work()
	runtime.GC()
	w.look()
	w.done.Store(true)
	runtime.KeepAlive(result)
	return result, int(w.most.Load()) - before
}

// watch keeps the most that was in use after any run of the collector.
type watch struct {
	most atomic.Int64
	done atomic.Bool
}

// arm makes the next run of the collector look, and arm again.
func (w *watch) arm() {
	runtime.SetFinalizer(&sentinel{w}, func(*sentinel) {
		w.look()
		if !w.done.Load() {
			w.arm()
		}
	})
}

// sentinel is what the collector finds unused. It has a pointer, so that it shares
// its memory with nothing else.
type sentinel struct{ *watch }

func (w *watch) look() {
	for now := int64(inUse()); ; {
		most := w.most.Load()
		if now <= most || w.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// inUse returns what the last run of the collector found in use, in bytes.
func inUse() int {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
