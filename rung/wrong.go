package rung

import (
	"slices"
	"strings"
)

// errorReach is how much of a line is looked at.
const errorReach = 256

// errorLine reports whether a line looks like an error of a compiler, a test, a
// shell or a log, or like a frame of a stack trace.
func errorLine(line string) bool {
	if len(line) > errorReach {
		line = line[:errorReach]
	}
	line = strings.TrimRight(line, "\r")
	t := strings.TrimLeft(line, " \t")
	if t == "" {
		return false
	}
	return startsWrong(t) || strings.HasPrefix(line, "E   ") || said(t) || named(t) || frame(t) || located(t)
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

// errorWords tell of a failure wherever they stand in a line. Most lines lack what all
// words of a group contain.
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

func said(t string) bool {
	for i := range errorWords {
		group := &errorWords[i]
		if strings.Contains(t, group.shared) && slices.ContainsFunc(group.words, func(words string) bool { return strings.Contains(t, words) }) {
			return true
		}
	}
	return false
}

// interrupt is an exception whose name does not say so.
const interrupt = "KeyboardInterrupt"

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
