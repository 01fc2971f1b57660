package summary

import (
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// The lengths of a repeated run: in words and names, and in characters for scripts
// without blanks between words.
const (
	echoWords      = 5
	echoCharacters = 10
)

// withoutEchoes drops the texts that repeat a run of words of a tool result in the span.
// The assistant may quote a tool; the quote must not become knowledge or a plan.
func withoutEchoes[T any](c plimsoll.Conversation, span plimsoll.Span, all []T, text func(T) string) []T {
	if len(all) == 0 {
		return nil
	}
	e := echoes{of: map[uint64][]int{}, repeated: make([]bool, len(all))}
	for i, item := range all {
		e.runs(text(item), func(run uint64) { e.of[run] = append(e.of[run], i) })
	}
	for i := span.Start; i < span.End; i++ {
		for _, p := range c.Messages.At(i).Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok {
				e.mark(plimsoll.TextOf(r.Content))
			}
		}
	}
	var kept []T
	for i, item := range all {
		if !e.repeated[i] {
			kept = append(kept, item)
		}
	}
	return kept
}

type echoes struct {
	// of lists the texts that have a run.
	of       map[uint64][]int
	repeated []bool
}

func (e *echoes) mark(text string) {
	e.runs(text, func(run uint64) {
		for _, i := range e.of[run] {
			e.repeated[i] = true
		}
	})
}

// runs visits the hashes of all runs of a text.
func (e *echoes) runs(text string, visit func(uint64)) {
	var last [echoCharacters]uint64
	words, units := 0, 0
	echoUnits(text, func(unit uint64, word bool) {
		copy(last[:], last[1:])
		last[echoCharacters-1] = unit
		units++
		if words++; !word {
			words = 0
		}
		switch {
		case words >= echoWords:
			visit(runHash(last[echoCharacters-echoWords:]))
		case words == 0 && units >= echoCharacters:
			visit(runHash(last[:]))
		}
	})
}

func runHash(units []uint64) uint64 {
	h := uint64(len(units))
	for _, u := range units {
		h = (h ^ u) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// FNV-1a.
const (
	hashStart = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

// echoUnits visits the hashes of the words of a text, in lower case. A name is one word.
// Letters of scripts without blanks are single units.
func echoUnits(text string, visit func(unit uint64, word bool)) {
	h, inWord := uint64(hashStart), false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		kind := scriptOf(r)
		joins := inWord && size == 1 && classOf[text[i]]&innerByte != 0 && i+1 < len(text) && classOf[text[i+1]]&wordByte != 0
		if inWord && kind != alphabetic && !joins {
			visit(h, true)
			h, inWord = hashStart, false
		}
		if kind != noScript || joins {
			inWord = inWord || kind == alphabetic
			for _, c := range []byte(text[i : i+size]) {
				if classOf[c]&upperByte != 0 {
					c |= 0x20
				}
				h = (h ^ uint64(c)) * hashPrime
			}
			if !inWord {
				visit(h, false)
				h = hashStart
			}
		}
		i += size
	}
	if inWord {
		visit(h, true)
	}
}
