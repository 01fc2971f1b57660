package transport_test

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

func TestWhatIsSettledLaterIsSettledAsWell(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		at, later := newBench(t, &scripted.Options{Script: job(4)}, transport.Options{Store: newStore(t)}),
			newBench(t, &scripted.Options{Script: job(4)}, transport.Options{Store: newStore(t), SettleLater: true})
		n := at.agent(d, stream).work()
		if m := later.agent(d, stream).work(); m != n {
			t.Fatalf("it took %d answers, and %d at once", m, n)
		}
		for range n {
			x := <-at.exchanges
			select {
			case y := <-later.exchanges:
				if y.Err != nil || y.Billed != x.Billed || y.Usage != x.Usage || y.After.Total != x.After.Total || y.Decision != x.Decision || y.Status != x.Status {
					t.Errorf("told %s %d %+v %v, and at once %s %d %+v", y.Decision, y.After.Total, y.Usage, y.Err, x.Decision, x.After.Total, x.Usage)
				}
			case <-time.After(time.Minute):
				t.Fatal("one was never told")
			}
		}
	})
}

func TestObserversAreToldBeforeTheEnd(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: job(0)}, transport.Options{})
		a := b.agent(d, stream)
		a.say("hello")
		a.ask()
		select {
		case x := <-b.exchanges:
			if x.After.Total == 0 {
				t.Errorf("told %+v", x)
			}
		default:
			t.Error("nobody was told")
		}
	})
}
