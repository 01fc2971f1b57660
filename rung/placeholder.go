package rung

import (
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// A placeholder is a line in brackets that says what a rung took out, and under which
// id the archive has it:
//
//	[tool output trimmed; ref=c1]
//
// A model that has no tool to read it sees archived=c1 instead.
//
// It replaces an output, or it is the last line of a view. A client sends placeholders
// back in later requests, so rungs recognise them.

// Placeholders start with these words.
const (
	truncatedStart = plimsoll.ResultOpening + "truncated"
	trimmedStart   = plimsoll.ResultOpening + "trimmed"
	sameStart      = "[same output as "
	olderStart     = "[older content of "
)

const (
	// placeholderLimit is more bytes than any placeholder has. A longer text only looks
	// like one.
	placeholderLimit = 1024
	// runAgain ends the hint of a placeholder.
	runAgain = "run the tool again if it is needed"
)

// placeholder returns a placeholder with the id of the reference. If there is no id, it
// has the hint instead. A model that cannot read the reference gets the end of the hint,
// too.
func placeholder(reader bool, start, id, hint string) string {
	switch {
	case id == "" && hint == "":
		return start + "]"
	case id == "":
		return start + "; " + hint + "]"
	case hint != "" && !reader:
		start += "; " + runAgain
	}
	return refname.Write(start+"; "+refname.Ref+id+"]", reader, id)
}

// onlyPlaceholder reports whether a placeholder is all that is left of an output.
func onlyPlaceholder(r plimsoll.ToolResult) bool {
	if r.Content.Len() != 1 {
		return false
	}
	t, ok := r.Content.At(0).(plimsoll.Text)
	return ok && isPlaceholder(t.Text)
}

func isPlaceholder(text string) bool {
	if len(text) > placeholderLimit || !strings.HasSuffix(text, "]") {
		return false
	}
	for _, start := range []string{trimmedStart, truncatedStart, sameStart, olderStart} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// withPlaceholder appends a placeholder to a text.
func withPlaceholder(text, placeholder string) string {
	if text == "" {
		return placeholder
	}
	return text + "\n\n" + placeholder
}

// cutPlaceholder splits a view into its text and the placeholder at its end, if it has
// one.
func cutPlaceholder(view string) (text, placeholder string) {
	if !strings.HasSuffix(view, "]") {
		return view, ""
	}
	from := max(0, len(view)-placeholderLimit)
	at := strings.LastIndex(view[from:], truncatedStart)
	if at < 0 || strings.Contains(view[from+at:], "\n") {
		return view, ""
	}
	text, placeholder = view[:from+at], view[from+at:]
	if text == "" {
		return "", placeholder
	}
	text, found := strings.CutSuffix(text, "\n\n")
	if !found {
		return view, ""
	}
	return text, placeholder
}

var refAtEnd = regexp.MustCompile(`; ` + refname.Mark + `([^\s;\[\]]*)\]$`)

// refIn returns the id of the reference that a view or a placeholder names, or "".
func refIn(text string) string {
	_, p := cutPlaceholder(text)
	if p == "" && isPlaceholder(text) {
		p = text
	}
	if found := refAtEnd.FindStringSubmatch(p); found != nil {
		return found[1]
	}
	return ""
}
