package transport_test

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport"
)

func TestTheNextRequestFindsTheLastOneInTheAccounts(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		if d == plimsoll.OpenAI && stream {
			t.Skip("these answers say no usage")
		}
		options, err := preset.Auto(&preset.Options{Limit: transport.KnownLimit(nil)})
		if err != nil {
			t.Fatal(err)
		}
		options.Cost = func(string, plimsoll.Usage) (float64, bool) {
			time.Sleep(10 * time.Millisecond) // so that a request that does not wait is early
			return 0, false
		}
		keeper, err := fit.New(options)
		if err != nil {
			t.Fatal(err)
		}
		answered, script := int64(0), job(3)
		b := newBench(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
			if got := keeper.Total().Requests; got != answered {
				t.Errorf("%d requests are in the accounts, and %d were answered", got, answered)
			}
			answered++
			return script(c)
		}}, transport.Options{Keeper: func(string) (*fit.Keeper, error) { return keeper, nil }})
		b.agent(d, stream).work()
		if answered < 2 {
			t.Errorf("there were %d requests", answered)
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
