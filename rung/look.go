package rung

import (
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

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

// seen is what a rung has found out about an output. Outputs are large, so each is read
// once.
type seen struct {
	look  *look
	shape *shape
}

// look looks at the output.
func (o output) look(w *fit.Work) look {
	if o.seen.look == nil {
		r := o.result(w)
		l := lookAtParts(r.IsError, r.Content.Slice())
		o.seen.look = &l
	}
	return *o.seen.look
}

// shape measures the output.
func (o output) shape(w *fit.Work) shape {
	if o.seen.shape == nil {
		parts := o.result(w).Content.Slice()
		o.seen.shape = &shape{extentOf(textsOf(parts)), contentKey(parts)}
	}
	return *o.seen.shape
}

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
	l.ref = markedRef(last)
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
