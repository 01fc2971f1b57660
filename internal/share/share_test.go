package share_test

import (
	"sync/atomic"
	"testing"

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
		if done.Load() != int32(n) || wrong.Load() != 0 || out.Load() != 0 {
			t.Errorf("of %d: %d were done, %d with the tools of others, and %d tools are missing", n, done.Load(), wrong.Load(), out.Load())
		}
	}
}

func TestToolsAreGivenBackAfterAPanic(t *testing.T) {
	t.Parallel()
	var out atomic.Int32
	defer func() {
		if r := recover(); r != "at 700" || out.Load() != 0 {
			t.Errorf("recovered %v, and %d tools are missing", r, out.Load())
		}
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
