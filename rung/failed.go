package rung

import (
	"slices"
	"strings"
)

// Agents come back to what failed, so rungs take out outputs that report a failure last.

// failed reports whether a result tells of a failure: it is marked as an error, it names
// an exit status other than 0, or it names none and has a line that looks like an error.
// A status of 0 decides, because successful commands log errors too.
func failed(isError bool, texts []string) bool {
	if isError {
		return true
	}
	succeeded := false
	for _, text := range texts {
		bad, known := exitStatus(text)
		if bad {
			return true
		}
		succeeded = succeeded || known
	}
	return !succeeded && slices.ContainsFunc(texts, hasErrorLine)
}

// startsFailed reports whether a result is marked as an error, or its first line tells of
// a failure.
func startsFailed(isError bool, texts []string) bool {
	if isError || len(texts) == 0 {
		return isError
	}
	first, _, _ := strings.Cut(texts[0], "\n")
	bad, _ := exitStatus(first)
	return bad || hasErrorLine(first)
}

// statusReach is how far from either end of a text exitStatus looks, in bytes. Programs
// that run commands print the status there; in between may be prose about statuses.
const statusReach = 512

// exitStatus looks for the exit status of a command. It reports whether it found one and
// whether one of them is not 0.
func exitStatus(text string) (bad, known bool) {
	if len(text) <= 2*statusReach {
		return statusIn(text)
	}
	bad, known = statusIn(text[:statusReach])
	badEnd, knownEnd := statusIn(text[len(text)-statusReach:])
	return bad || badEnd, known || knownEnd
}

// japaneseStatus means "exit code".
const japaneseStatus = "終了コード"

func statusIn(text string) (bad, known bool) {
	for _, word := range []string{"xit", "XIT", "eturn", japaneseStatus} {
		for rest, found := text, true; found; {
			if _, rest, found = strings.Cut(rest, word); !found {
				break
			}
			if zero, ok := statusAfter(rest, word == japaneseStatus); ok {
				bad, known = bad || !zero, true
			}
		}
	}
	return bad, known
}

// statusAfter reads the number in texts such as "ed with code 1", `_code":1` and
// " status: -9", and reports whether it is 0. A number counts only after the word code
// or status, unless named says that such a word came before.
func statusAfter(s string, named bool) (zero, ok bool) {
	if hasFold(s, "ed") {
		s = s[len("ed"):]
	}
	for {
		s = strings.TrimLeft(s, " \t_\"'\\:=：")
		switch {
		case hasFold(s, "with"):
			s = s[len("with"):]
		case hasFold(s, "code"):
			s, named = s[len("code"):], true
		case hasFold(s, "status"):
			s, named = s[len("status"):], true
		default:
			unsigned := strings.TrimPrefix(s, "-")
			digits := len(unsigned) - len(strings.TrimLeft(unsigned, "0123456789"))
			if !named || digits == 0 || digits > 10 {
				return false, false
			}
			return unsigned == s && strings.Trim(s[:digits], "0") == "", true
		}
	}
}

func hasFold(s, start string) bool {
	return len(s) >= len(start) && strings.EqualFold(s[:len(start)], start)
}
