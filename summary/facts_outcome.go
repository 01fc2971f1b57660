package summary

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Bounds of the part of a failed result that is read and kept.
const (
	outcomeWindow = 8 << 10
	maxProblem    = 4
	maxLine       = 200
)

// outcome reports whether a result is a failure, and which of its lines say what went
// wrong. These are the lines about an error, or else the first lines.
func outcome(r plimsoll.ToolResult) (failed bool, problem []string) {
	text := plimsoll.TextOf(r.Content)
	if !r.IsError && !reportsFailure(text) {
		return false, nil
	}
	first := ""
	for line := range windowLines(text) {
		if first == "" {
			first = line
		}
		if speaksOfError(line) {
			if problem = append(problem, clip(line, maxLine)); len(problem) == maxProblem {
				break
			}
		}
	}
	if len(problem) == 0 && first != "" {
		problem = []string{clip(first, maxLine)}
	}
	return true, problem
}

// windowLines yields the non-empty lines of the beginning and of the end of a text,
// trimmed.
func windowLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		parts := []string{text}
		if len(text) > 2*outcomeWindow {
			parts = []string{text[:outcomeWindow], text[len(text)-outcomeWindow:]}
		}
		for _, part := range parts {
			for line := range strings.Lines(part) {
				line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
				if line != "" && !yield(line) {
					return
				}
			}
		}
	}
}

// reportsFailure looks for the words in which programs and harnesses report that a
// command failed.
func reportsFailure(text string) bool {
	head, tail := strings.ToLower(text[:min(len(text), 400)]), strings.ToLower(text[max(0, len(text)-400):])
	for _, opening := range [...]string{"error:", "error ", "fatal:", "panic:", "traceback (most recent"} {
		if strings.HasPrefix(strings.TrimSpace(head), opening) {
			return true
		}
	}
	for _, words := range [...]string{"exit code", "exit status", "exit_code", "exitcode", "exited with code"} {
		if nonZeroAfter(head, words) || nonZeroAfter(tail, words) {
			return true
		}
	}
	return false
}

// nonZeroAfter reports whether a number other than zero follows the last of the words.
func nonZeroAfter(text, words string) bool {
	_, after, found := lastCut(text, words)
	if !found {
		return false
	}
	after = strings.TrimLeft(after, " \t\":='")
	return after != "" && after[0] >= '1' && after[0] <= '9'
}

func lastCut(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

func speaksOfError(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range [...]string{"error", "fail", "panic", "exception", "fatal", "undefined", "cannot", "not found", "no such", "denied", "エラー", "失敗", "例外"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
