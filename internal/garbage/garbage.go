// Package garbage says how much a server may allocate between two collections.
//
// A proxy has a small heap that lives and large requests that do not. Go collects when
// the heap has doubled: with little alive that is every few dozen requests, each time
// for the price of looking at everything; with many large requests at once it lets as
// much garbage lie as there is alive, which is when memory is short. Here a small heap
// may grow many times over, and a large one by a sixth. What makes it large are bodies
// of requests, which the collector need not look into, so that is no loss.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// most and little are what may be allocated between two collections of a small and
	// of a large heap, and grown is where one becomes the other.
	most   = 96 << 20
	little = 32 << 20
	grown  = 160 << 20
	// liveMetric is what was found alive by the last collection.
	liveMetric = "/gc/heap/live:bytes"
	// least is the smallest heap that is reckoned with.
	least = 4 << 20
)

// Bound sets the collector's percentage after every collection, from now on until the
// returned function is called. It does nothing where the user has set GOGC.
func Bound() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	b := &bound{set: percentFor(alive())}
	b.original = debug.SetGCPercent(b.set)
	b.await()
	return b.stop
}

type bound struct {
	original int
	stopped  atomic.Bool
	// set is the percentage in force.
	set int
}

// await has adjust called by the next collection, which finds that nobody holds mark.
func (b *bound) await() {
	mark := new([16]byte)
	runtime.AddCleanup(mark, (*bound).adjust, b)
}

func (b *bound) adjust() {
	if b.stopped.Load() {
		return
	}
	// To set it stops the program for a moment, so small differences are left.
	if percent := percentFor(alive()); percent > b.set+b.set/8 || percent < b.set-b.set/8 {
		b.set = percent
		debug.SetGCPercent(percent)
	}
	b.await()
}

// stop sets the percentage that was in force before.
func (b *bound) stop() {
	if !b.stopped.Swap(true) {
		debug.SetGCPercent(b.original)
	}
}

// percentFor returns the percentage for a heap of which so many bytes are alive.
func percentFor(live uint64) int {
	live = max(live, least)
	room := max(little, live/6)
	if live < grown {
		room = max(room, min(most, grown-live))
	}
	return int(room * 100 / live)
}

func alive() uint64 {
	sample := []metrics.Sample{{Name: liveMetric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return most // an unknown runtime gets Go's own percentage
	}
	return sample[0].Value.Uint64()
}
