package rung

import (
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
		if at == len(s.text) {
			return false
		}
		if long {
			if at <= s.end { // it was read for another reason
				continue
			}
			s.start, s.end = at, lineEnd(s.text, at)
			return true
		}
		told := spellings.at(s.text, at)
		if told == 0 {
			continue
		}
		if told&spellings.statuses != 0 && namesStatus(s.text, at) {
			s.named = true
		}
		if at > s.end && (told&spellings.words != 0 && isWord(s.text, at) || told&spellings.starts != 0 && beginsLine(s.text, at)) {
			s.start = s.end + 2 + strings.LastIndexByte(s.text[s.end+1:at], '\n')
			s.end = lineEnd(s.text, at)
			return true
		}
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

// isWord reports whether what stands at a place of a word that tells of an error is one.
func isWord(text string, at int) bool {
	rest := text[at:]
	switch rest[0] {
	case ':':
		return isColon(text, at)
	case '=':
		return strings.HasSuffix(text[:at], "level")
	case 'E':
		return endsName(rest, "Error") || endsName(rest, "Exception") || strings.HasPrefix(rest, "ERROR")
	case 'F':
		return strings.HasPrefix(rest, "FATAL")
	case 'K':
		return endsName(rest, interrupt)
	case 'k':
		return strings.HasPrefix(rest, "ked at ") && strings.HasSuffix(text[:at], " panic")
	}
	return true
}

// beginsLine reports whether nothing but blanks stand before a place in its line.
func beginsLine(text string, at int) bool {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at == 0 || text[at-1] == '\n'
}

// isColon reports whether words of an error follow a colon, or whether it may end a place in
// a file.
func isColon(text string, at int) bool {
	for _, words := range errorWords[0].words {
		if strings.HasPrefix(text[at:], words) {
			return true
		}
	}
	column := strings.TrimRight(text[:at], "0123456789")
	row, found := strings.CutSuffix(column, ":")
	return found && len(column) < at && row != "" && strings.IndexByte("0123456789", row[len(row)-1]) >= 0
}

// endsName reports whether a text begins with a word that ends a name, before a colon or
// the end of the line.
func endsName(text, word string) bool {
	rest, found := strings.CutPrefix(text, word)
	return found && (rest == "" || rest[0] == ':' || rest[0] == '\n' || rest[0] == '\r')
}
