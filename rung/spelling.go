package rung

import "strings"

// spelling is how a place may be spelled that a clue stands at.
type spelling struct {
	// before are the bytes of which one stands before; none means any.
	before string
	// text is what stands there, of which the first bytes count.
	text string
	// anyCase says that its letters may be large or small.
	anyCase bool
}

// spelled has, for the byte before a place and for each of the first ones at it, the
// spellings that a byte may belong to: a bit for each. The many places that are none of all
// spellings are told from others without a branch for each of those.
type spelled struct {
	before [256]uint64
	text   [spelledLen][256]uint64
	// words, starts and statuses are the bits of three kinds of spellings: of what tells of
	// an error anywhere, of what does as the first thing of a line, and of what a status is
	// named by.
	words, starts, statuses uint64
}

// spelledLen is how much counts of a spelling.
const spelledLen = 6

var spellings = func() *spelled {
	s, n := &spelled{}, 0
	add := func(all ...spelling) (bits uint64) {
		for _, is := range all {
			s.add(is, 1<<n)
			bits |= 1 << n
			n++
		}
		return bits
	}
	for _, words := range errorWords[0].words {
		s.words |= add(spelling{text: words})
	}
	s.words |= add(
		spelling{before: "0123456789", text: ": "},
		spelling{before: "l", text: "=error"}, spelling{before: "l", text: "=fatal"},
		spelling{text: "ERROR"}, spelling{text: "FATAL"}, spelling{before: "c", text: "ked at"},
		spelling{text: "Error:"}, spelling{text: "Error\n"}, spelling{text: "Error\r"},
		spelling{text: "Exception"}, spelling{text: interrupt},
		spelling{text: "エラー"}, spelling{text: "例外が"}, spelling{text: "失敗しました"},
	)
	for _, start := range errorStarts {
		s.starts |= add(spelling{text: start, anyCase: true})
	}
	s.starts |= add(spelling{text: "E   "}, spelling{text: "at "}, spelling{text: "goroutine "})
	s.statuses = add(
		spelling{before: "cC", text: "ode", anyCase: true}, spelling{before: "aA", text: "tus", anyCase: true}, spelling{text: "終了コード"},
	)
	if n > 64 {
		panic("rung: too many spellings")
	}
	return s
}()

func (s *spelled) add(is spelling, bit uint64) {
	for b := range 256 {
		if is.before == "" || strings.IndexByte(is.before, byte(b)) >= 0 {
			s.before[b] |= bit
		}
		for i := range s.text {
			if i >= len(is.text) || is.isByte(i, byte(b)) {
				s.text[i][b] |= bit
			}
		}
	}
}

func (s spelling) isByte(i int, b byte) bool {
	want := s.text[i]
	if small := want | 0x20; s.anyCase && small >= 'a' && small <= 'z' {
		return b|0x20 == small
	}
	return b == want
}

// at returns the bits of the spellings that may stand at a place: where the text ends
// sooner than they do, of all that begin like the rest of it.
func (s *spelled) at(text string, at int) uint64 {
	rest := text[at:]
	is := s.text[0][rest[0]]
	if at > 0 {
		is &= s.before[text[at-1]]
	}
	if len(rest) >= spelledLen {
		return is & s.text[1][rest[1]] & s.text[2][rest[2]] & s.text[3][rest[3]] & s.text[4][rest[4]] & s.text[5][rest[5]]
	}
	for i := 1; i < len(rest); i++ {
		is &= s.text[i][rest[i]]
	}
	return is
}
