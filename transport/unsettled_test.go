package transport_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

func TestTheNextRequestIsDecidedWithWhatTheLastOneTaught(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		var learning, early atomic.Int32
		script := job(3)
		b := newBench(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
			early.Add(learning.Load())
			return script(c)
		}}, transport.Options{Billed: func(string, plimsoll.Conversation, plimsoll.Usage) {
			learning.Add(1)
			time.Sleep(20 * time.Millisecond)
			learning.Add(-1)
		}})
		b.agent(d, stream).work()
		if n := early.Load(); n > 0 {
			t.Errorf("%d requests were sent before the last bill was settled", n)
		}
	})
}

func TestABillThatIsNeverSettledStopsNoConversation(t *testing.T) {
	t.Parallel()
	settle := make(chan struct{})
	b := newBench(t, &scripted.Options{Script: job(2)}, transport.Options{
		Billed: func(string, plimsoll.Conversation, plimsoll.Usage) { <-settle },
	})
	defer close(settle)
	b.agent(plimsoll.Anthropic, true).work()
}
