package gemini

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// listReply joins answers that are no events. One that is a list is streamed: that is
// how pieces come to those who do not ask for events, and each is handed on when it is
// there. Any other is whole.
type listReply struct {
	build.History
	joiner *chunkJoiner
	// whole takes over if the first answer is no list.
	whole wire.Reply
	// at is where in the list the next byte stands.
	at int
	// gap is what stands before the next piece, piece what has come of it.
	gap, piece []byte
	// depth of brackets in the piece; quoted and escaped say where in a text it ends.
	depth           int
	quoted, escaped bool
	// tail ends the list.
	tail []byte
	// given is how many pieces the client has, kept how many bytes of all there were.
	given, kept int
	// lone says that the answer is one piece and no list; lost that it is neither, and
	// passes as it comes.
	lone, lost bool
	out        []byte
}

var _ wire.Reply = (*listReply)(nil)

// Where in a list the next byte may stand.
const (
	beforeList = iota
	beforePiece
	inPiece
	behindPiece
	behindList
)

func newListReply(hidden func(string) bool) *listReply {
	r := &listReply{History: build.NewHistory(Codec{})}
	r.joiner = &chunkJoiner{hidden: hidden, emit: r.give}
	return r
}

// Write implements [wire.Reply].
func (r *listReply) Write(p []byte) []byte {
	for len(p) > 0 && r.whole == nil && !r.lost {
		p = p[r.take(p):]
	}
	switch {
	case r.whole != nil:
		return r.whole.Write(p)
	case r.lost:
		r.out = append(r.out, p...)
	}
	out := r.out
	r.out = nil
	return out
}

// take takes some bytes and returns how many.
func (r *listReply) take(p []byte) int {
	switch r.at {
	case inPiece:
		return r.goOn(p)
	case behindList:
		r.tail = append(r.tail, p...)
		return len(p)
	}
	c := p[0]
	switch {
	case bytes.IndexByte([]byte(" \t\r\n"), c) >= 0:
		r.gap = append(r.gap, c)
	case r.at == beforeList:
		return r.open(c)
	case c == ']':
		r.tail, r.gap, r.at = append(r.gap, c), nil, behindList
	case c == ',' && r.at == behindPiece:
		r.gap, r.at = append(r.gap, c), beforePiece
	case r.at == beforePiece && c != ',' && c != '}':
		r.at = inPiece
		return 0
	default:
		r.lose()
		return 0
	}
	return 1
}

// open begins a list. A later answer may be a lone piece of it.
func (r *listReply) open(c byte) int {
	first := len(r.Rounds) == 0
	switch {
	case c == '[':
		if first {
			r.out = append(append(r.out, r.gap...), c)
		}
		r.gap, r.at = nil, beforePiece
		return 1
	case first:
		r.whole = build.NewWholeReply(Codec{}, r.joiner.hidden)
		_ = r.whole.Write(r.gap)
	case c == '{':
		r.gap, r.at, r.lone = nil, inPiece, true
	default:
		r.lose()
	}
	return 0
}

// goOn reads on in a piece, and returns how many bytes of it there are.
func (r *listReply) goOn(p []byte) int {
	n, ends := r.end(p)
	r.piece = append(r.piece, p[:n]...)
	switch {
	case ends:
		r.complete()
	case len(r.piece) > build.MaxEvent:
		r.lose()
	}
	return n
}

// end finds the end of a piece.
func (r *listReply) end(p []byte) (n int, ends bool) {
	for n < len(p) {
		c := p[n]
		switch {
		case r.escaped:
			r.escaped = false
		case r.quoted:
			skip := bytes.IndexAny(p[n:], `"\`)
			if skip < 0 {
				return len(p), false
			}
			n += skip
			r.quoted, r.escaped = p[n] == '\\', p[n] == '\\'
			if !r.quoted && r.depth == 0 {
				return n + 1, true
			}
		case c == '"':
			r.quoted = true
		case c == '{' || c == '[':
			r.depth++
		case r.depth == 0 && (c == ',' || c == ']' || c == '}' || c <= ' '): // behind a number or a word
			return n, true
		case c == '}' || c == ']':
			if r.depth--; r.depth == 0 {
				return n + 1, true
			}
		}
		n++
	}
	return n, false
}

// complete lets the client have what it may of a piece.
func (r *listReply) complete() {
	piece := r.piece
	r.piece, r.at = nil, behindPiece
	if r.lone {
		r.tail, r.at = []byte{']'}, behindList
	}
	r.kept += len(piece)
	r.joiner.full = r.kept > build.MaxStream
	if r.joiner.take(piece) {
		r.give(piece)
	}
	r.gap = nil
}

// give lets the client have a piece, behind a comma if it is not the first.
func (r *listReply) give(piece []byte) {
	comma := bytes.IndexByte(r.gap, ',')
	switch {
	case r.given > 0 && comma < 0:
		r.out = append(r.out, ',')
	case r.given == 0 && comma >= 0:
		r.gap = slices.Delete(r.gap, comma, comma+1)
	}
	r.out = append(append(r.out, r.gap...), piece...)
	r.gap = nil
	r.given++
}

// lose lets everything pass as it comes.
func (r *listReply) lose() {
	r.lost = true
	r.out = append(append(r.out, r.gap...), r.piece...)
	r.gap, r.piece = nil, nil
}

// End implements [wire.Reply].
func (r *listReply) End() wire.Round {
	if r.whole != nil {
		return r.whole.End()
	}
	a := r.joiner.ended()
	a.Broken = a.Broken || r.at != behindList || r.lost
	return r.Add(a)
}

// Again implements [wire.Reply].
func (r *listReply) Again() {
	if r.whole != nil {
		r.whole.Again()
		return
	}
	r.at, r.gap, r.piece, r.tail, r.lone = beforeList, nil, nil, nil, false
	r.depth, r.quoted, r.escaped = 0, false, false
	r.joiner.again()
}

// Finish implements [wire.Reply].
func (r *listReply) Finish() []byte {
	if r.whole != nil {
		return r.whole.Finish()
	}
	r.joiner.finish()
	if !r.joiner.joining { // of a piece that broke off
		r.out = append(append(r.out, r.gap...), r.piece...)
	}
	return append(r.out, r.tail...)
}

// Record implements [wire.Reply].
func (r *listReply) Record(results [][]wire.Result) (wire.Record, bool) {
	if r.whole != nil {
		return r.whole.Record(results)
	}
	return r.History.Record(results)
}
