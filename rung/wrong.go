package rung

import (
	"math/bits"
	"slices"
	"strings"
)

// hasErrorLine reports whether a line of the text looks like an error.
func hasErrorLine(text string) bool {
	c := cluesOf(text)
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if c.tell(at, end) {
			return true
		}
		at = end + 1
	}
	return false
}

// errorReach is how much of a line is looked at.
const errorReach = 256

// errorLine reports whether a line looks like an error of a compiler, a test, a
// shell or a log, or like a frame of a stack trace.
func errorLine(line string) bool {
	c := cluesOf(line)
	return c.wrong(line)
}

// wrong is errorLine for a line of the text that the clues are of.
func (c *clues) wrong(line string) bool {
	if len(line) > errorReach {
		line = line[:errorReach]
	}
	line = strings.TrimRight(line, "\r")
	t := strings.TrimLeft(line, " \t")
	if t == "" {
		return false
	}
	return startsWrong(t) || strings.HasPrefix(line, "E   ") || c.said(t) || named(t) || frame(t) || c.words[colon] && located(t)
}

// errorStarts are beginnings of lines that tell of a failure, in any case.
var errorStarts = [...]string{
	"error:", "error[", "error!", "fatal:", "fatal error", "panic:", "uncaught ", "unhandled ", "caused by:",
	"traceback (most recent call last)", "exception in thread", "npm err", "--- fail", "fail\t", "failed", "fail:",
	"not ok ", "segmentation fault", "core dumped", "エラー", "[error]", "[fatal]", "✗ ", "✕ ",
}

func startsWrong(t string) bool {
	for _, start := range errorStarts {
		if t[0]|0x20 == start[0]|0x20 && hasFold(t, start) {
			return true
		}
	}
	return false
}

// beginnings are what lines begin with that look like an error by their beginning: as
// much of it as is compared before a line is read, by the first byte.
var beginnings = func() (by [256][]string) {
	for _, start := range append(errorStarts[:], "E   ", "at ", "goroutine ") {
		for _, first := range cases(start[0]) {
			by[first] = append(by[first], start[:min(4, len(start))])
		}
	}
	return by
}()

// begins has a bit for every two bytes that one of them begins with.
var begins = func() (set [1 << 16 / 64]uint64) {
	for first, all := range beginnings {
		for _, beginning := range all {
			for _, second := range cases(beginning[1]) {
				pair := first<<8 | int(second)
				set[pair/64] |= 1 << (pair % 64)
			}
		}
	}
	return set
}()

// cases are a letter in both cases, and any other byte as it is.
func cases(c byte) []byte {
	if lower := c | 0x20; lower >= 'a' && lower <= 'z' {
		return []byte{lower, lower &^ 0x20}
	}
	return []byte{c}
}

// mayBegin reports whether the line at a place may begin like an error.
func mayBegin(text string, at int) bool {
	if at+8 < len(text) {
		skip := blanks(text[at:])
		at += skip
		if skip < 8 {
			return isBeginning(text[at:])
		}
	}
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return isBeginning(text[at:])
}

func isBeginning(s string) bool {
	if len(s) < 2 {
		return false
	}
	pair := int(s[0])<<8 | int(s[1])
	return begins[pair/64]>>(pair%64)&1 != 0 && slices.ContainsFunc(beginnings[s[0]], func(b string) bool { return hasFold(s, b) })
}

// blanks counts the blanks that a text begins with, up to eight, all at once: how many
// there are differs from line to line, and a loop would be guessed wrong.
func blanks(s string) int {
	const ones, lows = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	s = s[:8]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	space, tab := w^' '*ones, w^'\t'*ones
	other := (space&lows + lows | space) & (tab&lows + lows | tab) &^ lows
	return bits.TrailingZeros64(other) / 8
}

// errorWords tell of a failure wherever they stand in a line. Most texts lack what
// all words of a group contain, and in these its rare part, which begins with a letter
// that few texts have many of, is looked for.
var errorWords = [...]struct {
	shared, rare string
	words        []string
}{
	{": ", ": ", []string{
		": error:", ": error ", ": fatal error", ": command not found", ": No such file or directory", ": Permission denied",
	}},
	{"ERROR", "ERROR", []string{" ERROR ", " ERROR:", "[ERROR]"}},
	{"FATAL", "FATAL", []string{" FATAL ", "[FATAL]"}},
	{"level=", "vel=", []string{"level=error", "level=fatal"}},
	{" panicked at ", "ked at ", []string{" panicked at "}},
	{"\xe3", "\xe3", []string{"エラー:", "エラー：", "エラーが", "例外が", "失敗しました"}},
}

// colon is the group of words behind a colon, which a place in a file has as well.
const colon = 0

// clues say what the lines of a text can contain at all, and where.
type clues struct {
	text string
	// words are the groups of errorWords that there may be.
	words [len(errorWords)]bool
	// loud says that there are words of other groups than colon, anywhere. Those of
	// colon and names of exceptions stand at known places: these are the next ones, and
	// next is the first of them.
	loud                               bool
	nextColon, nextName, nextInterrupt int
	next                               int
}

func cluesOf(text string) clues {
	c := clues{text: text, nextColon: -1, nextName: -1, nextInterrupt: -1}
	c.pass(0)
	c.words[colon] = c.nextColon < len(text)
	for i := colon + 1; i < len(errorWords); i++ {
		c.words[i] = strings.Contains(text, errorWords[i].rare)
		c.loud = c.loud || c.words[i]
	}
	return c
}

// tell reports whether the line from at to end looks like an error. It must be asked
// line by line. Most lines are passed over by their first two letters: only those that
// may begin like an error, have a clue in them, or are cut, are read.
func (c *clues) tell(at, end int) bool {
	if c.next < at {
		c.pass(at)
	}
	return (c.loud || c.next < end || end-at > errorReach || mayBegin(c.text, at)) && c.wrong(c.text[at:end])
}

// pass finds the next clues from a place on.
func (c *clues) pass(at int) {
	if c.nextColon < at {
		c.nextColon = colonFrom(c.text, at)
	}
	if c.nextName < at {
		c.nextName = nameFrom(c.text, at, "Error", "Exception")
	}
	if c.nextInterrupt < at {
		c.nextInterrupt = nameFrom(c.text, at, interrupt, interrupt)
	}
	c.next = min(c.nextColon, c.nextName, c.nextInterrupt)
}

// colonFrom returns where a colon stands next that words of its group may follow, or
// that may end a place in a file; the end of the text if there is none.
func colonFrom(text string, at int) int {
	for {
		n := strings.Index(text[at:], errorWords[colon].shared)
		if n < 0 {
			return len(text)
		}
		at += n
		if at > 0 && text[at-1] >= '0' && text[at-1] <= '9' || at+2 < len(text) && strings.IndexByte("efcNP", text[at+2]) >= 0 {
			return at
		}
		at += 2
	}
}

// interrupt is an exception whose name does not say so.
const interrupt = "KeyboardInterrupt"

// nameFrom returns where one of two words, which begin with the same letter, stands next
// at the end of a name, before a colon or the end of the line; the end of the text if
// there is none.
func nameFrom(text string, at int, word, other string) int {
	for ; ; at++ {
		n := strings.IndexByte(text[at:], word[0])
		if n < 0 {
			return len(text)
		}
		at += n
		rest, found := strings.CutPrefix(text[at:], word)
		if !found {
			rest, found = strings.CutPrefix(text[at:], other)
		}
		if found && (rest == "" || rest[0] == ':' || rest[0] == '\n' || rest[0] == '\r') {
			return at
		}
	}
}

func (c *clues) said(t string) bool {
	for i := range errorWords {
		group := &errorWords[i]
		if !c.words[i] || !strings.Contains(t, group.shared) {
			continue
		}
		for _, words := range group.words {
			if strings.Contains(t, words) {
				return true
			}
		}
	}
	return false
}

// named reports whether a line begins with the name of an exception.
func named(t string) bool {
	name, _, _ := strings.Cut(t, ":")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name == "" || strings.ContainsAny(name, " \t\"'(=") || name[0] < 'A' || name[0] > 'Z' {
		return false
	}
	return len(name) > len("Error") && strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || name == interrupt
}

// frame reports whether a line belongs to a stack trace.
func frame(t string) bool {
	if at, ok := strings.CutPrefix(t, "at "); ok {
		open := strings.IndexByte(at, '(')
		return open > 0 && !strings.Contains(strings.TrimPrefix(at[:open], "new "), ", ") && strings.Contains(at[open:], ":") && strings.HasSuffix(at, ")")
	}
	return strings.HasPrefix(t, "goroutine ") && strings.Contains(t, " [")
}

// located reports whether a compiler points at a place: file:line:column: and a
// message that is no warning.
func located(t string) bool {
	file, rest, _ := strings.Cut(t, ":")
	row, rest, _ := strings.Cut(rest, ":")
	column, message, found := strings.Cut(rest, ": ")
	if !found || !isNumber(row) || !isNumber(column) || !strings.Contains(file, ".") || strings.Contains(file, " ") {
		return false
	}
	return !hasFold(message, "warning") && !hasFold(message, "note") && !hasFold(message, "info")
}
