package markdown

import "strings"

// Stream draws a text that grows. Blocks that are complete are drawn once, so that
// an answer costs its length and not the square of it. The zero value is not usable;
// [NewStream] makes one. It is for one goroutine.
type Stream struct {
	width int
	theme *Theme
	// done is how much of the text the lines stand for.
	done  int
	lines []string
}

// NewStream returns a stream for one text.
func NewStream(width int, theme *Theme) *Stream {
	return &Stream{width: width, theme: theme}
}

// Lines draws the text, which must begin with what was drawn before. References to
// links that are defined in another block are not resolved; [Render] does.
func (s *Stream) Lines(text string) []string {
	if settled := settledUpTo(text[s.done:]); settled > 0 {
		s.lines = appendBlock(s.lines, Render(text[s.done:s.done+settled], s.width, s.theme))
		s.done += settled
	}
	tail := Render(text[s.done:], s.width, s.theme)
	return appendBlock(s.lines[:len(s.lines):len(s.lines)], tail)
}

func appendBlock(lines, block []string) []string {
	if len(block) == 0 {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return append(lines, block...)
}

// settledUpTo finds the last place where a block begins that nothing can join to
// what is in front of it: behind a blank line, outside of a fence, at a line that
// begins with a letter or a heading's mark. Where a fence may stand inside of a list,
// or HTML may span blank lines, it looks no further.
func settledUpTo(text string) int {
	at, pos, fence, blank := 0, 0, "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		mark := fenceOf(trimmed)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == trimmed {
				fence = ""
			}
		case blank && startsBlock(line):
			at = pos
		case mark != "" && line[0] == mark[0]:
			fence = mark
		case mark != "" || strings.HasPrefix(trimmed, "<"):
			return at
		}
		blank = trimmed == ""
		pos += len(line)
	}
	return at
}

// fenceOf is the run of marks that opens or closes a block of code, or nothing.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return line[:n]
		}
	}
	return ""
}

// startsBlock reports lines that begin a block of their own behind a blank line: no
// items of a list, no indents, nothing that could yet become one of them.
func startsBlock(line string) bool {
	c := line[0]
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '#' || c >= 0x80
}
