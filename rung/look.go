package rung

import (
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// Outputs are large, and an agent sends them with every request, so each is read once
// and what was found is remembered by its message.

// look is what an output says of itself.
type look struct {
	// failed says that it bears an error, didWork that a tool that changes
	// something says that it did.
	failed, didWork bool
	// placeholder says that nothing is left but a mark, ref is the id that the
	// mark names.
	placeholder bool
	ref         string
}

// What is asked of outputs.
var (
	lookOf  = plimsoll.NewQuestion[look]()
	shapeOf = plimsoll.NewQuestion[shape]()
)

// shape is what an output is compared by.
type shape struct {
	extent extent
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
	return plimsoll.FactOf(w, o.at, lookOf, func() look { return o.looked(w) })
}

func (o output) looked(w *plimsoll.Work) look { return lookAt(o.result(w)) }

// shape measures the output. While it is at hand it is looked at as well: what is
// measured is often cut next.
func (o output) shape(w *plimsoll.Work) shape {
	if o.edited {
		return measure(o.result(w).Content.Slice())
	}
	return plimsoll.FactOf(w, o.at, shapeOf, func() shape { return o.measured(w) })
}

func (o output) measured(w *plimsoll.Work) shape {
	r := o.result(w)
	parts := r.Content.Slice()
	plimsoll.FactOf(w, o.at, lookOf, func() look { return lookAtParts(r.IsError, parts) })
	return measure(parts)
}

func measure(parts []plimsoll.Part) shape { return shape{extentOf(textsOf(parts)), contentKey(parts)} }

// ahead finds out on all processors what is asked about outputs next, one after another.
// It is of no use for an output that is not what it was.
func ahead[T any](w *plimsoll.Work, all []output, q plimsoll.Question[T], find func(output) T) {
	parts, of := make([]plimsoll.PartRef, 0, len(all)), make([]int, 0, len(all))
	for i, o := range all {
		if !o.edited {
			parts, of = append(parts, o.at), append(of, i)
		}
	}
	plimsoll.Learn(w, parts, q, func(k int) T { return find(all[of[k]]) })
}

// mayExceed is false for an output that is known to be smaller than any limit of a view,
// so that it need not be looked at.
func (o output) mayExceed(w *plimsoll.Work, c cutter) bool {
	g, known := w.Draft().Glimpse(o.at)
	return !known || g.Bytes > c.bytes || c.line > 0 && g.Bytes > c.line
}

func lookAt(r plimsoll.ToolResult) look { return lookAtParts(r.IsError, r.Content.Slice()) }

func lookAtParts(isError bool, parts []plimsoll.Part) look {
	texts := textsOf(parts)
	l := look{failed: isError, didWork: !isError}
	if len(texts) == 0 {
		return l
	}
	if !isError {
		isFailed, told := failed(texts)
		l.failed, l.didWork = isFailed, !told || !wrongFrom(texts[0])
	}
	last := texts[len(texts)-1]
	l.placeholder = len(parts) == 1 && isMark(last)
	l.ref = strings.Clone(markedRef(last))
	return l
}

// wrongFrom reports whether the first line of an output tells of a failure.
func wrongFrom(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	bad, _ := exitStatus(first)
	return bad || errorLine(first)
}

func extentOf(texts []string) extent {
	var e extent
	for _, text := range texts {
		body, _ := splitMark(text)
		e.bytes += len(body)
		for at := 0; len(body)-at > e.line; {
			// Of lines that end within the longest so far, the last one's end is enough.
			if n := strings.LastIndexByte(body[at:at+e.line+1], '\n'); n >= 0 {
				at += n + 1
				continue
			}
			end := lineEnd(body, at)
			e.line = max(e.line, utf8.RuneCountInString(body[at:end]))
			at = end + 1
		}
	}
	return e
}

// exceeds reports whether an output is larger than the limits of a view.
func (e extent) exceeds(c cutter) bool { return e.bytes > c.bytes || c.line > 0 && e.line > c.line }
