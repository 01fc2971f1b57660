package rung

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/needle"
)

// Most outputs are large and most of their lines tell of nothing, so lines are not read
// one by one: what an error must have in it is looked for in the whole text at once, and
// only lines that have it are read.

// suspects goes through the lines of a text that may look like an error, in order. Lines
// that are longer than what is looked at of them always may: a name may end where they are
// cut.
type suspects struct {
	text string
	// start and end are those of the present line.
	start, end int
	clues      needle.Finder
	// named says that a status may be named in what has been passed.
	named bool
}

func (s *suspects) begin(text string) {
	s.text, s.start, s.end = text, 0, -1
	s.clues.Begin(clues, text, errorReach)
}

// next goes on to the next suspect line, if there is one.
func (s *suspects) next() bool {
	for {
		at, long := s.clues.Next()
		switch {
		case at == len(s.text):
			return false
		case !long && isEnding[s.text[at]] && namesStatus(s.text, at):
			s.named = true
			continue
		case at <= s.end: // its line was read for another reason
			continue
		case long:
			s.start = at
		case isClue(s.text, at):
			s.start = s.end + 2 + strings.LastIndexByte(s.text[s.end+1:at], '\n')
		default:
			continue
		}
		s.end = lineEnd(s.text, at)
		return true
	}
}

// clues are what lines that look like an error have in them: at the beginning of the line
// what errorStarts begin with and frames do, and anywhere a colon and the names and words
// that tell of an error. While the text is gone through, the words are looked for as well
// that a status is named by.
var clues = needle.New([]needle.Pattern{
	{"eEfFpP", "rRxXaA", "rRcCtTiInN"},
	{"uUnNtTcCsSgG", "nNpPoOrRaAeE", "cChHmMtTaAuUrRgG"},
	{"-[aAE", "-eEfFtT ", "-rRaA "},
}, []needle.Pattern{
	{":", " ", ""},
	{"EFK", "rRxAe", "rRcTy"},
	{"koO", "edD", "deE"},
	{"tT", "uU", "sS"},
	{"=\xe2\xe3\xe4\xe5\xe7", "ef\x9c\x82\xbe\xa4\xb5", "ra\x97\x95\xa8\x8b\xb1\x82"},
})

// isEnding has the bytes that the words which name a status may be found by.
var isEnding = [256]bool{'o': true, 'O': true, 't': true, 'T': true, 0xe7: true}

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
	case 'k':
		return strings.HasPrefix(rest, "ked at ") && strings.HasSuffix(text[:at], " panic")
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
