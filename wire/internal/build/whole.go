package build

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// MaxReply is how many bytes of answers that are not streamed a reply keeps. Longer ones
// pass and cannot be continued.
const MaxReply = 32 << 20

// Joiner is a codec that knows answers which are not streamed. Hidden reports whether a
// tool is one that the client does not know.
type Joiner interface {
	wire.Codec
	// ReadRound says what an answer was. It reports false for a body that is no
	// complete answer.
	ReadRound(body []byte, hidden func(name string) bool) (Answer, bool)
	// JoinRounds makes one answer of several, without the hidden calls.
	JoinRounds(bodies [][]byte, rounds []Answer, hidden func(name string) bool) []byte
}

// whole joins answers that are not streamed. It returns nothing before Finish, except for
// an answer that is too long to keep.
type whole struct {
	History
	joiner Joiner
	hidden func(string) bool
	bodies [][]byte
	body   []byte
	// passing says that the answer is too long.
	passing bool
}

// NewWholeReply returns a reply for answers that are not streamed.
func NewWholeReply(c Joiner, hidden func(name string) bool) wire.Reply {
	return &whole{History: NewHistory(c), joiner: c, hidden: hidden}
}

// Write implements [wire.Reply].
func (r *whole) Write(p []byte) []byte {
	if r.passing {
		return p
	}
	r.body = append(r.body, p...)
	if len(r.body) <= MaxReply {
		return nil
	}
	r.passing = true
	out := r.body
	r.body = nil
	return out
}

// End implements [wire.Reply].
func (r *whole) End() wire.Round {
	a, ok := r.joiner.ReadRound(r.body, r.hidden)
	a.Broken = !ok || r.passing
	r.bodies = append(r.bodies, r.body)
	r.body = nil
	return r.Add(a)
}

// Again implements [wire.Reply].
func (r *whole) Again() {}

// Finish implements [wire.Reply].
func (r *whole) Finish() []byte {
	last := len(r.Rounds) - 1
	switch {
	case last < 0 || len(r.body) > 0:
		return r.body
	case r.Rounds[last].Broken, last == 0 && !r.Rounds[0].Hides:
		return r.bodies[last]
	}
	return r.joiner.JoinRounds(r.bodies, r.Rounds, r.hidden)
}

// AssistantMessage makes blocks a message of the assistant's; none if there are none. It
// must not end in reasoning.
func AssistantMessage(blocks [][]byte, isReasoning func(block []byte) bool) [][]byte {
	for len(blocks) > 0 && isReasoning(blocks[len(blocks)-1]) {
		blocks = blocks[:len(blocks)-1]
	}
	if len(blocks) == 0 {
		return nil
	}
	return [][]byte{fmt.Appendf(nil, `{"role":"assistant","content":%s}`, rawjson.Array(blocks))}
}

// LeadingResults counts the results that a message begins with.
func LeadingResults(m plimsoll.Message) int {
	n := 0
	for n < m.Parts.Len() {
		if _, ok := plimsoll.Peek(m, n).(plimsoll.ToolResult); !ok {
			break
		}
		n++
	}
	return n
}
