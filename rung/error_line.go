package rung

import (
	"slices"
	"strings"
)

// errorReach is how many bytes of a line errorLine reads.
const errorReach = 256

func hasErrorLine(text string) bool {
	words := errorWordsIn(text)
	for line := range strings.SplitSeq(text, "\n") {
		if errorLine(line, words) {
			return true
		}
	}
	return false
}

// errorLine reports whether a line looks like an error of a compiler, a test, a
// shell or a log, or like a frame of a stack trace. words are the errorWordsIn the text
// that has the line.
func errorLine(line string, words []string) bool {
	line = strings.TrimRight(line[:min(len(line), errorReach)], "\r")
	t := line
	for t != "" && (t[0] == ' ' || t[0] == '\t') {
		t = t[1:]
	}
	if t == "" {
		return false
	}
	for _, word := range words {
		if strings.Contains(t, word) {
			return true
		}
	}
	start, rest, _ := strings.Cut(t, ":")
	return startsError(t) || strings.HasPrefix(line, "E   ") || isException(start) || isFrame(t) || isCompilerError(start, rest)
}

// errorStarts are what lines about an error start with, in upper or lower case.
var errorStarts = [...]string{
	"error:", "error[", "error!", "fatal:", "fatal error", "panic:", "uncaught ", "unhandled ", "caused by:",
	"traceback (most recent call last)", "exception in thread", "npm err", "--- fail", "fail\t", "failed", "fail:",
	"not ok ", "segmentation fault", "core dumped", "エラー", "[error]", "[fatal]", "✗ ", "✕ ",
}

// errorStartsOf holds errorStarts by their first byte, for a lower-case letter.
var errorStartsOf = func() (of [256][]string) {
	for _, start := range errorStarts {
		of[start[0]] = append(of[start[0]], start)
	}
	return of
}()

func startsError(t string) bool {
	first := t[0]
	if first >= 'A' && first <= 'Z' {
		first += 'a' - 'A'
	}
	return slices.ContainsFunc(errorStartsOf[first], func(start string) bool { return hasFold(t, start) })
}

// errorWords are found anywhere in lines about an error. All words of a group contain
// what they share, and few texts do.
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
	{"panicked", []string{" panicked at "}},
	{"\xe3", []string{"エラー:", "エラー：", "エラーが", "例外が", "失敗しました"}}, // the first byte of kana
}

// errorWordsIn returns the errorWords that a text contains.
func errorWordsIn(text string) (found []string) {
	for _, group := range errorWords {
		if !strings.Contains(text, group.shared) {
			continue
		}
		for _, word := range group.words {
			if strings.Contains(text, word) {
				found = append(found, word)
			}
		}
	}
	return found
}

// isException reports whether a name is that of an exception, such as "ValueError" or
// "java.io.IOException".
func isException(name string) bool {
	isError, isException := strings.HasSuffix(name, "Error"), strings.HasSuffix(name, "Exception")
	if !isError && !isException && !strings.HasSuffix(name, "KeyboardInterrupt") {
		return false
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	if isError && name == "Error" || !isError && !isException && name != "KeyboardInterrupt" {
		return false
	}
	return name[0] >= 'A' && name[0] <= 'Z' && !strings.ContainsAny(name, " \t\"'(=")
}

// isFrame reports whether a line belongs to a stack trace.
func isFrame(t string) bool {
	if at, ok := strings.CutPrefix(t, "at "); ok {
		open := strings.IndexByte(at, '(')
		return open > 0 && !strings.Contains(strings.TrimPrefix(at[:open], "new "), ", ") && strings.Contains(at[open:], ":") && strings.HasSuffix(at, ")")
	}
	return strings.HasPrefix(t, "goroutine ") && strings.Contains(t, " [")
}

// isCompilerError reports whether "line:column: message" follows the name of a file, and
// the message is not a warning.
func isCompilerError(file, rest string) bool {
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
