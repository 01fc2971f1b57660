// Package share has a piece of work done by all processors while somebody waits for it.
package share

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// most is how many goroutines work at one piece: each needs scratch memory for itself,
// and not much of that is kept.
const most = 4

// Do calls do for all numbers below n, from several goroutines if there is enough to do
// for two: each takes so many at a time as batch says. A panic of one becomes the
// caller's.
func Do(n, batch int, do func(i int)) {
	sharers := min(runtime.GOMAXPROCS(0), most, n/(2*batch))
	if sharers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Value
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				failed.CompareAndSwap(nil, &r)
			}
		}()
		for failed.Load() == nil {
			end := int(next.Add(int64(batch)))
			if end-batch >= n {
				return
			}
			for i := end - batch; i < min(end, n); i++ {
				do(i)
			}
		}
	}
	var others sync.WaitGroup
	for range sharers - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	if r, ok := failed.Load().(*any); ok {
		panic(*r)
	}
}
