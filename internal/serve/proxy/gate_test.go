package proxy

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestSmallRequestsDoNotWaitBehindLargeOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(80 << 20)
		first := g.enter(t.Context(), 20<<20, time.Second) // 60 of 70 MiB
		if g.enter(t.Context(), 5<<20, 0) != nil {         // 15 more would fit, but for what is kept for small ones
			t.Fatal("large requests take what is kept for small ones")
		}
		granted := make(chan *reservation)
		go func() { granted <- g.enter(t.Context(), 20<<20, time.Minute) }()
		synctest.Wait()
		before := time.Now()
		small := g.enter(t.Context(), 200<<10, time.Minute)
		if small == nil || time.Since(before) != 0 {
			t.Fatal("a small request waits")
		}
		if c := g.enter(t.Context(), 20<<20, time.Second); c != nil || time.Since(before) != time.Second {
			t.Fatal("a large request does not wait its time out")
		}
		first.release()
		second := <-granted
		if second == nil {
			t.Fatal("memory that is free is not handed out")
		}
		second.release()
		small.release()
		small.release()
		if g.used != 0 || g.large != 0 {
			t.Errorf("%d bytes, %d of them large, are still out", g.used, g.large)
		}
	})
}

func TestARequestLargerThanTheBudgetIsServedAlone(t *testing.T) {
	t.Parallel()
	g := newGate(1 << 20)
	c := g.enter(t.Context(), 64<<20, time.Second)
	if c == nil {
		t.Fatal("it is not served")
	}
	if g.enter(t.Context(), 64<<20, 0) != nil {
		t.Error("it is not alone")
	}
	c.release()
}

func TestAClientThatLeavesTheQueueLeavesItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(8 << 20)
		held := g.enter(t.Context(), 2<<20, 0)
		ctx, leave := context.WithCancel(t.Context())
		left, stays := make(chan *reservation), make(chan *reservation)
		go func() { left <- g.enter(ctx, 2<<20, time.Hour) }()
		synctest.Wait()
		go func() { stays <- g.enter(t.Context(), 256<<10, time.Hour) }() // would fit, but is behind
		synctest.Wait()
		leave()
		if <-left != nil {
			t.Fatal("it is still there")
		}
		if c := <-stays; c == nil {
			t.Fatal("who is next does not move up")
		}
		held.release()
	})
}

func TestMemoryIsNeverOverspentNorLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.Int64Range(1<<20, 64<<20).Draw(t, "budget")
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 16<<20), 1, 30).Draw(t, "sizes")
		g := newGate(budget)
		var all sync.WaitGroup
		for i, size := range sizes {
			all.Go(func() {
				c := g.enter(context.Background(), size, 20*time.Millisecond)
				if c == nil {
					return
				}
				if i%3 == 0 {
					c.grow(size * 2)
				}
				g.mu.Lock()
				used, large := g.used, g.large
				g.mu.Unlock()
				if used > budget || large > g.most || large > used || large < 0 {
					t.Errorf("%d of %d used, %d of %d by large ones", used, budget, large, g.most)
				}
				if i%2 == 0 {
					c.shrink(size)
				}
				c.release()
				if c.grow(size * 4) {
					t.Errorf("a reservation grows after its end")
				}
			})
		}
		all.Wait()
		if g.used != 0 || g.large != 0 || len(g.waiting[0])+len(g.waiting[1]) != 0 {
			t.Fatalf("left over: %d used, %d large", g.used, g.large)
		}
	})
}
