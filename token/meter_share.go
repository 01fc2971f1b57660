package token

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll"
)

// The first sight of a long conversation is shared among processors: whoever sent it
// waits for it, and what a message weighs does not depend on the others.
const (
	// mostSharers is how many goroutines weigh one conversation; each has a counter's
	// memory for itself, and not many of these are kept.
	mostSharers = 4
	// shareLen is how many messages one takes at a time.
	shareLen = 16
)

// rawFrom weighs the messages from an index on.
func (m *Meter) rawFrom(s *scale, messages plimsoll.List[plimsoll.Message], from int, siblings []int) []weight {
	weights := make([]weight, len(siblings))
	share(len(weights), func(i int) { weights[i] = m.raw(s, messages.At(from+i), siblings[i]) })
	return weights
}

// share calls do for all numbers below n, from several goroutines if there are many. A
// panic of one becomes the caller's.
func share(n int, do func(i int)) {
	sharers := min(runtime.GOMAXPROCS(0), mostSharers, n/(2*shareLen))
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
			end := int(next.Add(shareLen))
			if end-shareLen >= n {
				return
			}
			for i := end - shareLen; i < min(end, n); i++ {
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
