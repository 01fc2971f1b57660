package build

import "github.com/plimsoll/plimsoll/wire"

// MaxReply is how many bytes of answers a reply keeps. An answer that is longer passes
// and cannot be continued.
const MaxReply = 64 << 20

// Joiner knows the answers of a dialect that are not streamed.
type Joiner interface {
	// Read says what an answer was. It reports false for a body that is no complete
	// answer.
	Read(body []byte) (Answer, bool)
	// Join makes one answer of several, without the hidden calls.
	Join(bodies [][]byte, rounds []Answer) []byte
}

// whole joins answers that are not streamed. It returns nothing before Finish, except for
// an answer that is too long to keep.
type whole struct {
	History
	joiner Joiner
	bodies [][]byte
	body   []byte
	// passing says that the answer is too long.
	passing bool
}

// NewWholeReply returns a reply for answers that are not streamed.
func NewWholeReply(h History, j Joiner) wire.Reply { return &whole{History: h, joiner: j} }

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
	a, ok := r.joiner.Read(r.body)
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
	return r.joiner.Join(r.bodies, r.Rounds)
}
