package answer

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// threeRounds shows all text, and has calls at the end of its first two answers.
type threeRounds struct {
	wire.Reply
	ended, again int
}

func (r *threeRounds) Write(p []byte) []byte { return p }

func (r *threeRounds) End() wire.Round {
	if r.ended++; r.ended == 3 {
		return wire.Round{}
	}
	return wire.Round{Calls: make([]plimsoll.ToolCall, r.ended)}
}

func (r *threeRounds) Again() { r.again++ }

func (r *threeRounds) Finish() []byte { return nil }

func TestAReadThatAsksTheModelAgainIsAnnounced(t *testing.T) {
	t.Parallel()
	reply := &threeRounds{}
	var log []string
	j := NewJoined(reply, io.NopCloser(strings.NewReader("one ")), Steps{
		Read: func([]byte) {}, Ended: func() {}, Finish: func(error) { log = append(log, "finish") },
		Next: func(round wire.Round) (io.ReadCloser, error) {
			if len(round.Calls) != reply.ended {
				t.Errorf("question %d has %d calls", reply.ended, len(round.Calls))
			}
			log = append(log, "ask")
			return io.NopCloser(strings.NewReader("more ")), nil
		},
	})
	for {
		if j.Waiting() {
			log = append(log, "waiting")
		}
		p := make([]byte, 100)
		n, err := j.Read(p)
		if n > 0 {
			log = append(log, string(p[:n]))
		}
		if err != nil {
			break
		}
	}
	want := []string{"one ", "waiting", "ask", "more ", "waiting", "ask", "more ", "finish"}
	if !slices.Equal(log, want) || reply.again != 2 {
		t.Errorf("%q, %d more answers, want %q", log, reply.again, want)
	}
}
