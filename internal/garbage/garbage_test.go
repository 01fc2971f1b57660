package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentages(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name string
		live uint64
		room uint64
	}{
		{"a small heap may allocate a fixed amount", 40 * mib, 96 * mib},
		{"one that grows may allocate less", 100 * mib, 60 * mib},
		{"and less still", 150 * mib, 32 * mib},
		{"a large heap may grow by a sixth", 600 * mib, 100 * mib},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := uint64(percentFor(c.live)) * c.live / 100
			if got > c.room || got < c.room-c.live/100 {
				t.Errorf("%d MiB alive: %d MiB may be allocated, want %d", c.live/mib, got/mib, c.room/mib)
			}
		})
	}
	if p := percentFor(0); p > 2400 {
		t.Errorf("an empty heap has %d %%", p)
	}
}

// held keeps what a test has allocated alive.
var held []byte

func TestThePercentageFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	stop := Bound()
	small := inForce()
	held = make([]byte, 512<<20)
	for end := time.Now().Add(20 * time.Second); inForce() > 20; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("with half a gigabyte alive it is %d %%", inForce())
		}
		runtime.GC()
	}
	held = nil
	for end := time.Now().Add(20 * time.Second); inForce() < small/2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("with little alive again it is %d %%, and was %d %%", inForce(), small)
		}
		runtime.GC()
	}
	stop()
	if p := inForce(); p != 100 {
		t.Errorf("after the end it is %d %%", p)
	}
}

func TestWhatTheUserHasSetIsLeft(t *testing.T) {
	t.Setenv("GOGC", "77")
	was := inForce()
	defer Bound()()
	if p := inForce(); p != was {
		t.Errorf("it is %d %%, and was %d %%", p, was)
	}
}

func inForce() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}
