package weave

// maxAnswer is how many bytes of answers a reply keeps. An answer that is longer passes
// and cannot be continued.
const maxAnswer = 64 << 20

// joiner knows the answers of a dialect that are not streamed.
type joiner interface {
	// read says what an answer was, and notes what of it the client is shown. It
	// reports false for what is no answer.
	read(body []byte, seen *shown) (answered, bool)
	// join makes one answer of several, without our calls.
	join(bodies [][]byte, rounds []answered) []byte
}

// whole weaves answers that are not streamed. Nothing is handed on before Finish,
// except of one that is too long to be kept.
type whole struct {
	history
	joiner joiner
	bodies [][]byte
	body   []byte
	// passing says that the answer is too long.
	passing bool
}

func newWhole(h history, j joiner) *whole { return &whole{history: h, joiner: j} }

// Write implements [Reply].
func (r *whole) Write(p []byte) []byte {
	if r.passing {
		return p
	}
	r.body = append(r.body, p...)
	if len(r.body) <= maxAnswer {
		return nil
	}
	r.passing = true
	out := r.body
	r.body = nil
	return out
}

// End implements [Reply].
func (r *whole) End() Round {
	a, ok := r.joiner.read(r.body, r.seen)
	a.Broken = !ok || r.passing
	r.rounds = append(r.rounds, a)
	r.bodies = append(r.bodies, r.body)
	r.body = nil
	return a.Round
}

// Again implements [Reply].
func (r *whole) Again() {}

// Finish implements [Reply].
func (r *whole) Finish() []byte {
	last := len(r.rounds) - 1
	switch {
	case last < 0 || len(r.body) > 0:
		return r.body
	case r.rounds[last].Broken, last == 0 && !r.rounds[0].hides:
		return r.bodies[last]
	}
	return r.joiner.join(r.bodies, r.rounds)
}

// Record implements [Reply].
func (r *whole) Record(results [][]Result) (Record, bool) { return r.record(results) }
