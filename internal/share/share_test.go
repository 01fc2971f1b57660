package share_test

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
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

// TestNobodyWaitsForAHelperThatIsNotPrepared is not parallel: it sets how many processors
// there are.
func TestNobodyWaitsForAHelperThatIsNotPrepared(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	began, release := make(chan struct{}, 4), make(chan struct{})
	var preparing, done atomic.Int32
	share.Call(1001, 16).DoPrepared(func() {
		if bytes.Contains(debug.Stack(), []byte("(*Crew).help")) {
			preparing.Add(1)
			began <- struct{}{}
			<-release
			preparing.Add(-1)
		}
	}, func(i int) {
		if i == 0 {
			<-began // a helper has come, and is not prepared
		}
		done.Add(1)
	})
	if done.Load() != 1001 {
		t.Errorf("%d of 1001 were done", done.Load())
	}
	close(release)
	for range 1000 {
		if preparing.Load() == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if preparing.Load() != 0 || done.Load() != 1001 {
		t.Errorf("%d helpers did not leave, and %d were done", preparing.Load(), done.Load())
	}
}

func TestWhoWorksIsPreparedFirst(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 1001} {
		var prepared sync.Map // by the goroutine
		var done atomic.Int32
		share.Call(n, 1).DoPrepared(func() { prepared.Store(goroutine(), true) }, func(int) {
			if _, is := prepared.Load(goroutine()); !is {
				t.Error("who worked was not prepared")
			}
			done.Add(1)
		})
		if done.Load() != int32(n) {
			t.Errorf("of %d: %d were done", n, done.Load())
		}
	}
}

// goroutine returns the first line of a stack, without what the goroutine does.
func goroutine() string {
	line, _, _ := strings.Cut(string(debug.Stack()), " [")
	return line
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
