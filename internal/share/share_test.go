package share_test

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/share"
)

func TestSharedWorkIsDoneOnceEach(t *testing.T) {
	t.Parallel()
	const batch = 16
	for _, n := range []int{0, 1, batch, 2 * batch, 4*batch - 1, 4 * batch, 1001} {
		done := make([]atomic.Int32, n)
		share.Do(n, batch, func(i int) { done[i].Add(1) })
		for i := range done {
			if got := done[i].Load(); got != 1 {
				t.Errorf("%d of %d was done %d times", i, n, got)
			}
		}
	}
}

func TestAPanicInSharedWorkIsTheCallers(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := recover(); r != "at 700" {
			t.Errorf("recovered %v", r)
		}
	}()
	share.Do(1001, 16, func(i int) {
		if i == 700 {
			panic("at 700")
		}
	})
	t.Error("the panic got lost")
}

func TestToolsAreTakenByOneGoroutineAndGivenBack(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 1001} {
		var out, wrong, done atomic.Int32
		share.Call(n, 1).DoEquipped(func() (func(int), func()) {
			out.Add(1)
			var inUse atomic.Bool
			return func(int) {
				if inUse.Swap(true) {
					wrong.Add(1)
				}
				done.Add(1)
				inUse.Store(false)
			}, func() { out.Add(-1) }
		})
		if done.Load() != int32(n) || wrong.Load() != 0 {
			t.Errorf("of %d: %d were done, %d with the tools of others", n, done.Load(), wrong.Load())
		}
		allBack(t, &out)
	}
}

// allBack waits until no tools are out: a helper may still have some when the work is done.
func allBack(t *testing.T, out *atomic.Int32) {
	t.Helper()
	for range 1000 {
		if out.Load() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d tools are missing", out.Load())
}

// TestNobodyWaitsForAHelperWithoutTools is not parallel: it sets how many processors there are.
func TestNobodyWaitsForAHelperWithoutTools(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	release := make(chan struct{})
	var out, done, late atomic.Int32
	share.Call(1001, 16).DoEquipped(func() (func(int), func()) {
		out.Add(1)
		giveBack := func() { out.Add(-1) }
		if bytes.Contains(debug.Stack(), []byte("(*Crew).help")) {
			<-release
			return func(int) { late.Add(1) }, giveBack
		}
		return func(int) { done.Add(1) }, giveBack
	})
	if done.Load() != 1001 {
		t.Errorf("%d of 1001 were done", done.Load())
	}
	close(release)
	allBack(t, &out)
	if late.Load() != 0 {
		t.Errorf("%d were done by those who came too late", late.Load())
	}
}

func TestToolsAreGivenBackAfterAPanic(t *testing.T) {
	t.Parallel()
	var out atomic.Int32
	defer func() {
		if r := recover(); r != "at 700" {
			t.Errorf("recovered %v", r)
		}
		allBack(t, &out)
	}()
	share.Call(1001, 16).DoEquipped(func() (func(int), func()) {
		out.Add(1)
		return func(i int) {
			if i == 700 {
				panic("at 700")
			}
		}, func() { out.Add(-1) }
	})
	t.Error("the panic got lost")
}

func TestACrewThatIsSentAwayDoesNothing(t *testing.T) {
	t.Parallel()
	crew := share.Call(1001, 16)
	crew.Dismiss()
	crew.Dismiss()
	crew = share.Call(100, 1)
	var done atomic.Int32
	crew.Do(func(int) { done.Add(1) })
	crew.Dismiss()
	if done.Load() != 100 {
		t.Errorf("%d of 100 were done", done.Load())
	}
}
