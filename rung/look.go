package rung

import (
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// Outputs are large, and an agent sends them with every request. What rungs must
// read a whole output for is found out once for each and remembered by its
// message.

// about returns what find says of an output. An output that an earlier rung has
// edited is not the one that the message's digest stands for.
func about[T any](w *plimsoll.Work, o output, question string, find func(plimsoll.ToolResult) T) T {
	if o.edited {
		return find(o.result(w))
	}
	return plimsoll.FactOf(w, o.at, question, func() T { return find(o.result(w)) })
}

// failed reports whether the output bears an error.
func (o output) failed(w *plimsoll.Work) bool { return about(w, o, "rung.failed", failed) }

// isPlaceholder reports whether nothing is left of the output but a mark.
func (o output) isPlaceholder(w *plimsoll.Work) bool {
	return o.tokens <= markLimit && about(w, o, "rung.placeholder", isPlaceholder)
}

// markedRef returns the id of the reference that the output itself names.
func (o output) markedRef(w *plimsoll.Work) string {
	return about(w, o, "rung.ref", func(r plimsoll.ToolResult) string {
		return strings.Clone(markedRef(lastText(r.Content)))
	})
}

// key identifies the content of the output.
func (o output) key(w *plimsoll.Work) contentHash {
	return about(w, o, "rung.key", func(r plimsoll.ToolResult) contentHash { return contentKey(r.Content) })
}

// didWork reports whether a tool that changes something says that it did.
func (o output) didWork(w *plimsoll.Work) bool {
	return about(w, o, "rung.work", func(r plimsoll.ToolResult) bool {
		first, _, _ := strings.Cut(plimsoll.TextOf(r.Content), "\n")
		bad, known := exitStatus(first)
		return !r.IsError && !errorLine(first) && (!known || !bad)
	})
}

// extent is how large an output is, the mark of a view left out.
type extent struct {
	bytes int
	// line is the length of the longest line, in characters.
	line int
}

func (o output) extent(w *plimsoll.Work) extent {
	return about(w, o, "rung.extent", func(r plimsoll.ToolResult) extent { return extentOf(textsOf(r.Content)) })
}

func extentOf(texts []string) extent {
	var e extent
	for _, text := range texts {
		body, _ := splitMark(text)
		e.bytes += len(body)
		for line := range strings.SplitSeq(body, "\n") {
			if len(line) > e.line {
				e.line = max(e.line, utf8.RuneCountInString(line))
			}
		}
	}
	return e
}

// exceeds reports whether an output is larger than the limits of a view.
func (e extent) exceeds(c cutter) bool { return e.bytes > c.bytes || c.line > 0 && e.line > c.line }
