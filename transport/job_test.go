package transport_test

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// eachDialect runs a test for every dialect, streamed and whole.
func eachDialect(t *testing.T, test func(t *testing.T, d plimsoll.Dialect, stream bool)) {
	t.Helper()
	for _, d := range dialects.All() {
		for name, stream := range map[string]bool{"whole": false, "streamed": true} {
			t.Run(string(d)+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, d, stream)
			})
		}
	}
}

func TestAJobUnderItsLineIsSentByteForByte(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: job(4)}, transport.Options{Store: newStore(t)})
		a := b.agent(d, stream)
		var sent [][]byte
		a.say("read all files")
		for {
			a.ask()
			sent = append(sent, a.last)
			if a.answerCalls(func(plimsoll.ToolCall) string { return output(len(sent) - 1) }) == 0 {
				break
			}
		}
		log := b.model.Log()
		if len(log) != len(sent) || len(sent) != 5 {
			t.Fatalf("%d requests arrived, %d were sent", len(log), len(sent))
		}
		for i := range sent {
			if !bytes.Equal(log[i].Body, sent[i]) {
				t.Errorf("request %d changed", i)
			}
			if log[i].Header.Get("Authorization") != "Bearer sk-test" {
				t.Errorf("request %d lost its key", i)
			}
		}
	})
}

func TestALongJobNeverOverflowsASmallWindow(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: job(24), Window: 30_000}, transport.Options{Store: newStore(t), Window: 30_000})
		a := b.agent(d, stream)
		if n := a.work(); n != 25 {
			t.Errorf("%d answers, want 25", n)
		}
		if over, wrong := b.upstreamFaults(); over+wrong > 0 {
			t.Errorf("%d overflows and %d violations reached the upstream", over, wrong)
		}
	})
}

func TestALimitIsLearnedFromTheFirstOverflow(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: job(24), Window: 30_000}, transport.Options{Store: newStore(t)})
		a := b.agent(d, stream)
		a.work()
		over, wrong := b.upstreamFaults()
		if over > 1 || wrong > 0 {
			t.Errorf("%d overflows, want the one that is learned from; %d violations", over, wrong)
		}
		if d == plimsoll.Anthropic && over != 1 { // elsewhere cutting pays before it comes to that
			t.Errorf("%d overflows, want one", over)
		}
	})
}
