package rung

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

// What failed is what an agent comes back to: outputs that report a failure are
// taken out last, and their telling lines survive a cut.

// failed reports whether a result bears an error: it is marked so, a command ended
// with another status than 0, or a line looks like an error. A status of 0 has the
// last word over lines, because logs of things that went well mention errors too.
func failed(r plimsoll.ToolResult) bool {
	if r.IsError {
		return true
	}
	succeeded := false
	for _, p := range r.Content.All() {
		t, ok := p.(plimsoll.Text)
		if !ok {
			continue
		}
		if status, known := exitStatus(t.Text); known && status {
			return true
		} else if known {
			succeeded = true
		}
	}
	if succeeded {
		return false
	}
	for _, p := range r.Content.All() {
		if t, ok := p.(plimsoll.Text); ok && hasErrorLine(t.Text) {
			return true
		}
	}
	return false
}

// statusReach is how far from either end of an output a status is looked for:
// programs that run commands put it into the first or the last lines, and texts
// about statuses stand in between.
const statusReach = 1024

// exitStatus looks for the status of a command and reports whether it is a bad one.
func exitStatus(text string) (bad, known bool) {
	ends := []string{text}
	if len(text) > 2*statusReach {
		ends = []string{text[:statusReach], text[len(text)-statusReach:]}
	}
	for _, end := range ends {
		for _, word := range []string{"xit", "XIT", "eturn", "終了コード"} {
			for rest := end; ; {
				_, after, found := strings.Cut(rest, word)
				if !found {
					break
				}
				if status, ok := statusAfter(after, word == "終了コード"); ok {
					known = true
					bad = bad || status != "0"
				}
				rest = after
			}
		}
	}
	return bad, known
}

// statusAfter reads "ed with code 1", "_code\":1", " status: -9" and the like.
// Without the words code or status a number means nothing, unless named says that
// they came before.
func statusAfter(s string, named bool) (string, bool) {
	s = trimFold(s, "ed")
	for {
		s = strings.TrimLeft(s, " \t_\"'\\:=：")
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

func hasErrorLine(text string) bool {
	words := hintsOf(text)
	for line := range strings.SplitSeq(text, "\n") {
		if words.wrong(line) {
			return true
		}
	}
	return false
}

// errorReach is how much of a line is looked at.
const errorReach = 256

// errorLine reports whether a line looks like an error of a compiler, a test, a
// shell or a log, or like a frame of a stack trace.
func errorLine(line string) bool { return hintsOf(line).wrong(line) }

// wrong is errorLine for a line of the text that the hints are of.
func (h hints) wrong(line string) bool {
	if len(line) > errorReach {
		line = line[:errorReach]
	}
	line = strings.TrimRight(line, "\r")
	t := strings.TrimLeft(line, " \t")
	if t == "" {
		return false
	}
	return startsWrong(t) || strings.HasPrefix(line, "E   ") || h.said(t) || h.names && named(t) || frame(t) || h.words[colon] && located(t)
}

// errorStarts are beginnings of lines that tell of a failure, in any case.
var errorStarts = []string{
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

// errorWords tell of a failure wherever they stand in a line. Most texts lack what
// all words of a group contain.
var errorWords = [...]struct {
	shared string
	words  []string
}{
	{": ", []string{
		": error:", ": error ", ": fatal error", ": command not found", ": No such file or directory", ": Permission denied",
	}},
	{"ERROR", []string{" ERROR ", " ERROR:", "[ERROR]"}},
	{"FATAL", []string{" FATAL ", "[FATAL]"}},
	{"level=", []string{"level=error", "level=fatal"}},
	{" panicked at ", []string{" panicked at "}},
	{"\xe3", []string{"エラー:", "エラー：", "エラーが", "例外が", "失敗しました"}},
}

// colon is the group of words behind a colon, which a place in a file has as well.
const colon = 0

// hints say what the lines of a text can contain at all.
type hints struct {
	// words are the groups of errorWords.
	words [len(errorWords)]bool
	// names are those of exceptions.
	names bool
}

func hintsOf(text string) (h hints) {
	for i := range errorWords {
		h.words[i] = strings.Contains(text, errorWords[i].shared)
	}
	h.names = strings.Contains(text, "Error") || strings.Contains(text, "Exception") || strings.Contains(text, "KeyboardInterrupt")
	return h
}

func (h hints) said(t string) bool {
	for i, group := range errorWords {
		if !h.words[i] || !strings.Contains(t, group.shared) {
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
	return len(name) > len("Error") && strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || name == "KeyboardInterrupt"
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
