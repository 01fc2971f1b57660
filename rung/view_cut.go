package rung

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// cutter shortens texts: long lines first, then the whole. It never cuts inside a
// character.
type cutter struct {
	// bytes is what a text may have; line is what a line of it may have, in
	// characters, 0 for no limit.
	bytes, line int
	// tail is the share of the bytes that is kept from the end.
	tail float64
	// errors keeps lines of the middle that look like errors.
	errors bool
}

// shorten cuts a line.
func (c cutter) shorten(line string) string {
	if c.line == 0 || len(line) <= c.line {
		return line
	}
	n := 0
	for at := range line {
		if n == c.line {
			return line[:at]
		}
		n++
	}
	return line
}

// lines returns the text with its long lines cut, and reports whether it cut any.
func (c cutter) lines(text string) (string, bool) {
	if c.line == 0 || len(text) <= c.line {
		return text, false
	}
	var b strings.Builder
	from, cut := 0, false
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if kept := c.shorten(text[at:end]); at+len(kept) < end {
			b.WriteString(text[from : at+len(kept)])
			from, cut = end, true
		}
		at = end + 1
	}
	if !cut {
		return text, false
	}
	b.WriteString(text[from:])
	return b.String(), true
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// noteRoom is the bytes kept free for each note about what is left out.
const noteRoom = 80

// whole cuts a text with short lines to the limit of bytes.
func (c cutter) whole(text string) string {
	if len(text) <= c.bytes {
		return text
	}
	if c.bytes < 8*noteRoom {
		return c.head(text, c.bytes)
	}
	foot := c.foot(text, int(min(max(c.tail, 0), 0.9)*float64(c.bytes)))
	middle := text[:len(text)-len(foot)]
	room := c.bytes - 2*noteRoom - len(foot)
	if c.errors {
		share := c.bytes / 8
		head := c.head(middle, room-share)
		if found := c.errorLines(middle, len(head), share); found != "" {
			return head + gap(middle, len(head), found, foot) + foot
		}
	}
	if foot == "" {
		return c.head(text, c.bytes)
	}
	head := c.head(middle, room)
	return head + gap(middle, len(head), "", foot) + foot
}

// head returns the beginning of a text that fits into n bytes: whole lines, or if they
// fill less than half of that, a part of the next one too.
func (c cutter) head(text string, n int) string {
	if n >= len(text) {
		return text
	}
	n = max(0, n)
	end := n
	if text[n] != '\n' {
		end = strings.LastIndexByte(text[:n], '\n')
	}
	if end*2 >= n && end > 0 {
		return text[:end]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// foot returns the end of a text that fits into n bytes.
func (c cutter) foot(text string, n int) string {
	if n <= 0 {
		return ""
	}
	at := len(text) - n
	start := at
	if text[at-1] != '\n' {
		start = len(text)
		if next := strings.IndexByte(text[at:], '\n'); next >= 0 {
			start = at + next + 1
		}
	}
	if (len(text)-start)*2 >= n {
		return text[start:]
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// errorLineLimit is how many characters a view keeps of a line that looks like an error.
const errorLineLimit = 300

// errorLines returns the lines from a byte of the text on that look like errors, with
// their line numbers, as many as fit into room bytes.
func (c cutter) errorLines(text string, from, room int) string {
	var b strings.Builder
	number, words := strings.Count(text[:from], "\n"), errorWordsIn(text[from:])
	for line := range strings.SplitSeq(text[from:], "\n") {
		number++
		if !errorLine(line, words) {
			continue
		}
		entry := fmt.Sprintf("%d: %s\n", number, cutter{line: errorLineLimit}.shorten(strings.TrimSpace(line)))
		if b.Len()+len(entry) > room {
			break
		}
		b.WriteString(entry)
	}
	return b.String()
}

// gap says what is left out between the beginning and the end of a text.
func gap(middle string, from int, found, tail string) string {
	first := 1 + strings.Count(middle[:from], "\n")
	if strings.HasPrefix(middle[from:], "\n") {
		first++
	}
	last := 1 + strings.Count(strings.TrimSuffix(middle, "\n"), "\n")
	note := fmt.Sprintf("\n[lines %d to %d left out", first, last)
	if first >= last {
		note = fmt.Sprintf("\n[a part of line %d left out", last)
	}
	switch {
	case found == "":
		return note + "]\n"
	case tail == "":
		return note + "; among them:]\n" + strings.TrimSuffix(found, "\n")
	}
	return note + "; among them:]\n" + found + "[and so on to the last lines:]\n"
}

// waterline returns the largest size that each may have so that all together are at most
// room. Smaller ones keep their size.
func waterline(sizes []int, room int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	left := max(0, room)
	for i, size := range sorted {
		if level := left / (len(sorted) - i); size > level {
			return level
		}
		left -= size
	}
	return math.MaxInt
}
