package expand

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	programs "github.com/plimsoll/plimsoll/internal/pattern"
)

// pattern is what is looked for. A nil regexp means that finding the text is enough;
// with one, the text is where it may match, and nil if that is every line.
type pattern struct {
	text   finder
	regexp *regexp.Regexp
	// size is how many instructions a byte may cost.
	size int
}

// newPattern checks what a pattern may cost before it costs anything.
func newPattern(g Grep, l Limits) (*pattern, error) {
	switch {
	case g.Pattern == "":
		return nil, badPattern(errors.New("it is empty"), "say what to look for")
	case len(g.Pattern) > l.Pattern:
		return nil, badPattern(fmt.Errorf("it has %d bytes, and at most %d are allowed", len(g.Pattern), l.Pattern), "look for a part of it")
	case !g.Regex && strings.Contains(g.Pattern, "\n"):
		return nil, badPattern(errors.New("it has a line break, and lines are searched one by one"), "look for one of its lines, with before and after for the others")
	case g.Regex:
		return newRegexp(g, l)
	case g.IgnoreCase:
		return &pattern{text: newFolded(g.Pattern), size: 1}, nil
	}
	return &pattern{text: exact(g.Pattern), size: 1}, nil
}

func newRegexp(g Grep, l Limits) (*pattern, error) {
	source := g.Pattern
	if g.IgnoreCase {
		source = "(?i)" + source
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, badPattern(err, "the syntax is that of RE2, without look-around and back-references; leave regex out to look for the text as it is")
	}
	size := programs.Size(tree, l.Program)
	if size > l.Program {
		return nil, badPattern(fmt.Errorf("it is too costly: it would need more than %d instructions", l.Program), "repeat less: use *, + or a small {n}, or look for a text and filter what is found")
	}
	p := &pattern{size: size}
	if p.regexp, err = regexp.Compile(source); err != nil {
		return nil, badPattern(err, "")
	}
	p.text = required(tree)
	return p, nil
}

// required returns a finder for the longest text that stands in every match, which is
// found faster than the match; nil if there is none.
func required(re *syntax.Regexp) finder {
	literal := requiredLiteral(re)
	// The replacement character in an expression matches any invalid byte too.
	if literal == nil || slices.Contains(literal.Rune, '\n') || slices.Contains(literal.Rune, utf8.RuneError) {
		return nil
	}
	if literal.Flags&syntax.FoldCase != 0 {
		return newFolded(string(literal.Rune))
	}
	return exact(string(literal.Rune))
}

func requiredLiteral(re *syntax.Regexp) *syntax.Regexp {
	switch {
	case re.Op == syntax.OpLiteral:
		return re
	case re.Op == syntax.OpCapture, re.Op == syntax.OpPlus, re.Op == syntax.OpRepeat && re.Min > 0:
		return requiredLiteral(re.Sub[0])
	case re.Op != syntax.OpConcat:
		return nil
	}
	var longest *syntax.Regexp
	for _, sub := range re.Sub {
		if literal := requiredLiteral(sub); literal != nil && (longest == nil || len(literal.Rune) > len(longest.Rune)) {
			longest = literal
		}
	}
	return longest
}

// costly is how many instructions a line may cost that is searched in one go: about
// 30 milliseconds at the worst. What costs more is searched as a stream, which can be
// stopped.
const costly = 1 << 20

// index returns where in whole lines the first match begins, or -1.
func (p *pattern) index(lines []byte, b *budget) (int, error) {
	if p.regexp == nil {
		return p.text.index(lines), nil
	}
	for at := 0; at < len(lines); {
		if p.text != nil {
			skip := p.text.index(lines[at:])
			if skip < 0 {
				return -1, nil
			}
			at += bytes.LastIndexByte(lines[at:at+skip], '\n') + 1
		}
		end := at + bytes.IndexByte(lines[at:], '\n')
		place, err := p.line(lines[at:end], b)
		if err != nil {
			return -1, err
		}
		if place >= 0 {
			return at + place, nil
		}
		at = end + 1
	}
	return -1, nil
}

// line returns where in a line the expression matches, or -1.
func (p *pattern) line(line []byte, b *budget) (int, error) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	cost := (len(line) + 16) * p.size
	if cost > costly {
		r := &runes{b: b, size: p.size, more: func() ([]byte, error) { return nil, nil }, rest: line}
		return p.stream(r)
	}
	if err := b.spend(cost); err != nil {
		return -1, err
	}
	if place := p.regexp.FindIndex(line); place != nil {
		return place[0], nil
	}
	return -1, nil
}

// stream is line for one that is not in memory.
func (p *pattern) stream(r *runes) (int, error) {
	place := p.regexp.FindReaderIndex(r)
	switch {
	case r.err != nil:
		return -1, r.err
	case place == nil:
		return -1, nil
	}
	return place[0], nil
}

// runes reads a line for an expression and stops when the budget is spent; then the
// expression's answer says nothing.
type runes struct {
	b    *budget
	size int
	// more returns the next bytes of the line, none at its end.
	more func() ([]byte, error)
	rest []byte
	done bool
	err  error
}

// ReadRune returns the next character of the line.
func (r *runes) ReadRune() (rune, int, error) {
	if r.err == nil {
		r.err = r.b.spend(r.size)
	}
	for r.err == nil && !r.done && (len(r.rest) == 0 || !utf8.FullRune(r.rest)) {
		var next []byte
		next, r.err = r.more()
		r.done = len(next) == 0
		r.rest = append(bytes.Clone(r.rest), next...)
	}
	if r.err != nil || len(r.rest) == 0 {
		return 0, 0, errStop
	}
	c, size := rune(r.rest[0]), 1
	if c >= utf8.RuneSelf {
		c, size = utf8.DecodeRune(r.rest)
	}
	r.rest = r.rest[size:]
	return c, size, nil
}

// errStop ends an expression's reading.
var errStop = errors.New("end of line")
