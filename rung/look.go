package rung

import (
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// look is what rungs must read a whole output for. Outputs are large, and an agent
// sends them with every request, so each is looked at once and remembered by its
// message.
type look struct {
	// failed says that it bears an error, didWork that a tool that changes
	// something says that it did.
	failed, didWork bool
	// placeholder says that nothing is left but a mark, ref is the id that the
	// mark names.
	placeholder bool
	ref         string
	extent      extent
	// key identifies the content.
	key contentHash
}

// extent is how large an output is, the mark of a view left out.
type extent struct {
	bytes int
	// line is the length of the longest line, in characters.
	line int
}

// look looks at the output. One that an earlier rung has edited is not the one that
// the message's digest stands for.
func (o output) look(w *plimsoll.Work) look {
	if o.edited {
		return lookAt(o.result(w))
	}
	return plimsoll.FactOf(w, o.at, "rung.look", func() look { return lookAt(o.result(w)) })
}

func lookAt(r plimsoll.ToolResult) look {
	r.Content = plimsoll.ListOf(r.Content.Slice()...) // loaded once
	first, _, _ := strings.Cut(plimsoll.TextOf(r.Content), "\n")
	bad, known := exitStatus(first)
	return look{
		failed:      failed(r),
		didWork:     !r.IsError && !errorLine(first) && (!known || !bad),
		placeholder: isPlaceholder(r),
		ref:         strings.Clone(markedRef(lastText(r.Content))),
		extent:      extentOf(textsOf(r.Content)),
		key:         contentKey(r.Content),
	}
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
