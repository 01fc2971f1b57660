package rung

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/needle"
)

// What failed is what an agent comes back to: outputs that report a failure are
// taken out last, and their telling lines survive a cut.

// failed reports whether the texts of a result that is not marked so bear an error: a
// command ended with another status than 0, or a line looks like an error. A status of 0
// has the last word over lines, because logs of things that went well mention errors too.
// Told is false if there is nothing of the kind, neither a status nor such a line.
func failed(texts []string) (failed, told bool) {
	succeeded, wrong := false, false
	for _, text := range texts {
		is := tell(text)
		told = told || is.wrong || is.named
		wrong = wrong || is.wrong
		if !is.named {
			continue
		}
		if bad, known := exitStatus(text); bad {
			return true, true
		} else if known {
			succeeded = true
		}
	}
	return wrong && !succeeded, told
}

// told is what a text tells.
type told struct {
	// wrong says that a line looks like an error, and named that a status may be named.
	wrong, named bool
}

func tell(text string) (t told) {
	var l suspects
	for l.begin(text); l.next(); {
		t.wrong = t.wrong || errorLine(text[l.start:l.end])
	}
	t.named = l.named
	return t
}

// statusReach is how far from either end of an output a status is looked for:
// programs that run commands put it into the first or the last lines, and texts
// about statuses stand in between.
const statusReach = 1024

// statusClues are what words begin with that stand before a status.
var statusClues = needle.New(nil, []needle.Pattern{{"x", "i", "t"}, {"X", "I", "T"}, {"e", "t", "u"}, {"\xe7", "\xb5", "\x82"}})

// exitStatus looks for the status of a command and reports whether it is a bad one.
func exitStatus(text string) (bad, known bool) {
	if len(text) <= 2*statusReach {
		return statusIn(text)
	}
	bad, known = statusIn(text[:statusReach])
	b, k := statusIn(text[len(text)-statusReach:])
	return bad || b, known || k
}

func statusIn(text string) (bad, known bool) {
	var clues needle.Finder
	clues.Begin(statusClues, text, len(text))
	for at, _ := clues.Next(); at < len(text); at, _ = clues.Next() {
		if status, ok := statusAt(text[at:]); ok {
			known = true
			bad = bad || status != "0"
		}
	}
	return bad, known
}

// statusAt returns the status that the words name which a text begins with.
func statusAt(text string) (string, bool) {
	word, named := "xit", false
	switch text[0] {
	case 'X':
		word = "XIT"
	case 'e':
		word = "eturn"
	case 0xe7:
		word, named = "終了コード", true
	}
	after, found := strings.CutPrefix(text, word)
	if !found {
		return "", false
	}
	return statusAfter(after, named)
}

// statusAfter reads "ed with code 1", "_code\":1", " status: -9" and the like.
// Without the words code or status a number means nothing, unless named says that
// they came before.
func statusAfter(s string, named bool) (string, bool) {
	if s != "" && s[0]|0x20 == 'e' {
		s = trimFold(s, "ed")
	}
	for {
		s = trimSigns(s)
		if s == "" || !named && !mayName[s[0]] {
			return "", false
		}
		switch {
		case hasFold(s, "with"):
			s = s[4:]
		case hasFold(s, "code"):
			s, named = s[4:], true
		case hasFold(s, "status"):
			s, named = s[6:], true
		default:
			digits := len(strings.TrimPrefix(s, "-"))
			number := strings.TrimLeft(strings.TrimPrefix(s, "-"), "0123456789")
			status := strings.TrimLeft(s[:len(s)-len(number)], "0")
			if !named || len(number) == digits || digits-len(number) > 10 {
				return "", false
			}
			if status == "" {
				status = "0"
			}
			return status, true
		}
	}
}

// namesStatus reports whether a status may be named where the end of one of the words stands
// that all names of statuses have: of code, of status, or 終了コード.
func namesStatus(text string, at int) bool {
	rest, before := text[at:], ""
	switch rest[0] | 0x20 {
	case 'o':
		before = "c"
	case 't':
		before = "sta"
	default:
		return strings.HasPrefix(rest, "終了コード")
	}
	if at < len(before) || len(rest) < 3 || !strings.EqualFold(text[at-len(before):at], before) {
		return false
	}
	// Where code or status follows, that is the word to ask.
	const enough = 64
	after := rest[3:]
	number := trimSigns(after[:min(len(after), enough)])
	if len(number) < len("with") && len(after) > enough {
		return true // what follows is too far away
	}
	return number != "" && (number[0] == '-' || number[0] >= '0' && number[0] <= '9' || hasFold(number, "with"))
}

// mayName are the letters that words begin with which say that a status follows.
var mayName = [256]bool{'w': true, 'W': true, 'c': true, 'C': true, 's': true, 'S': true}

// trimSigns removes what may stand between the words and the number of a status.
func trimSigns(s string) string {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '_', '"', '\'', '\\', ':', '=':
		default:
			if rest, ok := strings.CutPrefix(s[i:], "："); ok {
				return trimSigns(rest)
			}
			return s[i:]
		}
	}
	return ""
}

func isNumber(s string) bool {
	return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == ""
}

func hasFold(s, start string) bool {
	return len(s) >= len(start) && strings.EqualFold(s[:len(start)], start)
}

func trimFold(s, start string) string {
	if hasFold(s, start) {
		return s[len(start):]
	}
	return s
}
