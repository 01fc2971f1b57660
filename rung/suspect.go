package rung

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/needle"
)

// Most outputs are large and most of their lines tell of nothing, so lines are not read
// one by one: what an error must have in it is looked for in the whole text at once, and
// only lines that have it are read.

// suspects goes through the lines of a text that may look like an error, in order.
type suspects struct {
	text string
	// start and end are those of the present line.
	start, end int
	clues      needle.Finder
	// clue is the next place that makes its line suspect.
	clue int
}

func suspectsOf(text string) suspects {
	return suspects{text: text, end: -1, clues: clues.In(text), clue: -1}
}

// next goes on to the next suspect line, if there is one. Lines that are longer than what is
// looked at of them are always suspect: a name may end where they are cut.
func (s *suspects) next() bool {
	at := s.end + 1
	for s.clue < at {
		s.clue = s.nextClue()
	}
	for at < len(s.text) && s.clue-at > errorReach {
		rest := s.text[at:min(len(s.text), at+errorReach+1)]
		n := lateNewline(rest)
		if n < 0 {
			return len(rest) > errorReach && s.take(at)
		}
		at += n + 1
	}
	if s.clue >= len(s.text) {
		return false
	}
	return s.take(at + 1 + strings.LastIndexByte(s.text[at:s.clue], '\n'))
}

// lateNewline returns where a newline stands, if there is one, rather late than early.
func lateNewline(text string) int {
	half := len(text) / 2
	if n := strings.IndexByte(text[half:], '\n'); n >= 0 {
		return half + n
	}
	return strings.LastIndexByte(text[:half], '\n')
}

func (s *suspects) take(start int) bool {
	s.start, s.end = start, lineEnd(s.text, start)
	return true
}

// clues are what lines that look like an error have in them: behind a blank or at the
// beginning of the line what errorStarts begin with and frames do, and anywhere a colon and
// the names and words that tell of an error.
var clues = needle.New(
	needle.Pattern{blank, "eE", "rRxX", "rRcC"},
	needle.Pattern{blank, "fFpP", "aA", "tTiInN"},
	needle.Pattern{blank, "uUnN", "nNpPoO", "cChHmMtT"},
	needle.Pattern{blank, "tTcCsSgG", "rRaAoOeE", "aAuUrRgG"},
	needle.Pattern{blank, "-[aAE", "-eEfFtT ", "-rRaA "},
	needle.Pattern{"", ":", " ", ""},
	needle.Pattern{"", "EFK", "rRxAe", "rRcTy"},
	needle.Pattern{"", "=\xe2\xe3\xe4\xe5", "ef\x9c\x82\xbe\xa4", "ra\x97\x95\xa8\x8b\xb1"},
)

const blank = " \t\n"

// nextClue returns the next place that makes its line suspect, far behind the text if there
// is none.
func (s *suspects) nextClue() int {
	for {
		at := s.clues.Next()
		if at == len(s.text) {
			return len(s.text) + errorReach + 1
		}
		if isClue(s.text, at) {
			return at
		}
	}
}

func isClue(text string, at int) bool {
	rest, found := text[at:], false
	switch rest[0] {
	case ':':
		return isColon(text, at)
	case '=':
		return strings.HasSuffix(text[:at], "level")
	case 'E':
		found = endsName(rest, "Error") || endsName(rest, "Exception") || strings.HasPrefix(rest, "ERROR")
	case 'F':
		found = strings.HasPrefix(rest, "FATAL")
	case 'K':
		found = endsName(rest, interrupt)
	case 'p':
		found = strings.HasPrefix(rest, "panicked at ")
	case 0xe3, 0xe4, 0xe5:
		found = strings.HasPrefix(rest, "エラー") || strings.HasPrefix(rest, "例外が") || strings.HasPrefix(rest, "失敗しました")
	}
	return found || mayBegin(rest) && beginsLine(text, at)
}

// beginnings are those of lines that look like an error by their beginning, by the first
// byte: as much of each as fits into a word, in small letters.
var beginnings = func() (by [256][]beginning) {
	for _, start := range append(errorStarts[:], "E   ", "at ", "goroutine ") {
		b := beginning{small(start), small("\xff\xff\xff\xff"[:min(4, len(start))])}
		for _, first := range []byte{start[0], start[0] | 0x20, start[0] &^ 0x20} {
			if !slices.Contains(by[first], b) {
				by[first] = append(by[first], b)
			}
		}
	}
	return by
}()

// beginning is a word of which the bytes count that are in the mask.
type beginning struct{ word, mask uint32 }

// small returns the first four bytes of a text in small letters; other bytes may become
// others as well.
func small(text string) (word uint32) {
	for i := range min(4, len(text)) {
		word |= uint32(text[i]|0x20) << (8 * i)
	}
	return word
}

// mayBegin reports whether a line that begins like the text may look like an error.
func mayBegin(text string) bool {
	word := small(text)
	for _, b := range beginnings[text[0]] {
		if word&b.mask == b.word {
			return true
		}
	}
	return false
}

// beginsLine reports whether nothing but blanks stand before a place in its line.
func beginsLine(text string, at int) bool {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at == 0 || text[at-1] == '\n'
}

// isColon reports whether words of an error may follow a colon, or whether it may end a
// place in a file.
func isColon(text string, at int) bool {
	rest := text[at:]
	if len(rest) < 2 || rest[1] != ' ' {
		return false
	}
	return at > 0 && text[at-1] >= '0' && text[at-1] <= '9' || len(rest) > 2 && strings.IndexByte("efcNP", rest[2]) >= 0
}

// endsName reports whether a text begins with a word that ends a name, before a colon or
// the end of the line.
func endsName(text, word string) bool {
	rest, found := strings.CutPrefix(text, word)
	return found && (rest == "" || rest[0] == ':' || rest[0] == '\n' || rest[0] == '\r')
}
