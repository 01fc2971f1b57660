package split

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// This file is the independent reference: a small backtracking matcher that
// runs the regular expressions themselves, as they are published, over code
// points with Go's own Unicode tables cut down to the pinned version.

// matcher matches at position i and calls k with the end of each possible
// match in order of preference until k returns true.
type matcher func(t []rune, i int, k func(int) bool) bool

type charSet func(rune) bool

var assigned = rangetable.Assigned(UnicodeVersion)

func category(name string) charSet {
	table := unicode.Categories[name]
	return func(r rune) bool {
		if r == '\u0295' {
			return name == "L" || name == "Ll"
		}
		return unicode.Is(table, r) && unicode.Is(assigned, r)
	}
}

func whitespace(r rune) bool { return unicode.Is(unicode.White_Space, r) }

func compile(regex string) matcher {
	p := &regexParser{rest: regex}
	return p.alternation(false)
}

type regexParser struct{ rest string }

func (p *regexParser) accept(prefix string) bool {
	if !strings.HasPrefix(p.rest, prefix) {
		return false
	}
	p.rest = p.rest[len(prefix):]
	return true
}

func (p *regexParser) next() rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[n:]
	return r
}

func (p *regexParser) alternation(fold bool) matcher {
	options := []matcher{p.sequence(fold)}
	for p.accept("|") {
		options = append(options, p.sequence(fold))
	}
	return func(t []rune, i int, k func(int) bool) bool {
		for _, option := range options {
			if option(t, i, k) {
				return true
			}
		}
		return false
	}
}

func (p *regexParser) sequence(fold bool) matcher {
	var items []matcher
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		items = append(items, p.quantified(p.atom(fold)))
	}
	var from func(n int) matcher
	from = func(n int) matcher {
		if n == len(items) {
			return func(_ []rune, i int, k func(int) bool) bool { return k(i) }
		}
		head, tail := items[n], from(n+1)
		return func(t []rune, i int, k func(int) bool) bool {
			return head(t, i, func(j int) bool { return tail(t, j, k) })
		}
	}
	return from(0)
}

func (p *regexParser) quantified(m matcher) matcher {
	switch {
	case p.accept("++"):
		return atomic(repeat(m, 1, -1))
	case p.accept("?"):
		return repeat(m, 0, 1)
	case p.accept("*"):
		return repeat(m, 0, -1)
	case p.accept("+"):
		return repeat(m, 1, -1)
	case p.accept("{1,3}"):
		return repeat(m, 1, 3)
	}
	return m
}

func repeat(m matcher, least, most int) matcher {
	var from func(n int) matcher
	from = func(n int) matcher {
		return func(t []rune, i int, k func(int) bool) bool {
			if n != most && m(t, i, func(j int) bool { return from(n+1)(t, j, k) }) {
				return true
			}
			return n >= least && k(i)
		}
	}
	return from(0)
}

// atomic takes the first match of m and never gives it back.
func atomic(m matcher) matcher {
	return func(t []rune, i int, k func(int) bool) bool {
		end := -1
		m(t, i, func(j int) bool { end = j; return true })
		return end >= 0 && k(end)
	}
}

func (p *regexParser) atom(fold bool) matcher {
	switch {
	case p.accept("$"):
		return func(t []rune, i int, k func(int) bool) bool { return i == len(t) && k(i) }
	case p.accept("(?!"):
		inner := p.alternation(fold)
		p.accept(")")
		return func(t []rune, i int, k func(int) bool) bool {
			return !inner(t, i, func(int) bool { return true }) && k(i)
		}
	case p.accept("(?i:"):
		inner := p.alternation(true)
		p.accept(")")
		return inner
	case p.accept("(?:"):
		inner := p.alternation(fold)
		p.accept(")")
		return inner
	case p.accept("[^"):
		set := p.class()
		return one(func(r rune) bool { return !set(r) })
	case p.accept("["):
		return one(p.class())
	}
	set, _ := p.single(fold)
	return one(set)
}

func one(set charSet) matcher {
	return func(t []rune, i int, k func(int) bool) bool {
		return i < len(t) && set(t[i]) && k(i+1)
	}
}

// class reads the inside of brackets up to the closing one.
func (p *regexParser) class() charSet {
	var sets []charSet
	for !p.accept("]") {
		set, low := p.single(false)
		if low >= 0 && len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != ']' {
			p.accept("-")
			_, high := p.single(false)
			set = func(r rune) bool { return low <= r && r <= high }
		}
		sets = append(sets, set)
	}
	return func(r rune) bool {
		for _, set := range sets {
			if set(r) {
				return true
			}
		}
		return false
	}
}

// single reads one character or escape; value is -1 for a set.
func (p *regexParser) single(fold bool) (set charSet, value rune) {
	switch {
	case p.accept(`\p{`):
		name, rest, _ := strings.Cut(p.rest, "}")
		p.rest = rest
		return category(name), -1
	case p.accept(`\s`):
		return whitespace, -1
	case p.accept(`\S`):
		return func(r rune) bool { return !whitespace(r) }, -1
	case p.accept(`\r`):
		value = '\r'
	case p.accept(`\n`):
		value = '\n'
	case p.accept(`\`):
		value = p.next()
	default:
		value = p.next()
	}
	return func(r rune) bool { return r == value || fold && foldsTo(r, value) }, value
}

func foldsTo(r, value rune) bool {
	for f := unicode.SimpleFold(value); f != value; f = unicode.SimpleFold(f) {
		if f == r {
			return true
		}
	}
	return false
}

// reference is one pattern in the form of its expressions.
type reference []matcher

func newReference(regex string) reference {
	var stages reference
	for _, stage := range strings.Split(regex, Separator) {
		stages = append(stages, compile(stage))
	}
	return stages
}

// ends splits text by every stage in turn and returns the ends of the pieces.
// Invalid bytes are replaced by U+FFFD for matching and keep their length.
func (ref reference) ends(text string) []int {
	var runes []rune
	offsets := []int{0}
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		runes = append(runes, r)
		i += width
		offsets = append(offsets, i)
	}
	cuts := []int{len(runes)}
	for _, stage := range ref {
		var finer []int
		start := 0
		for _, end := range cuts {
			for _, cut := range isolate(stage, runes[start:end]) {
				finer = append(finer, start+cut)
			}
			start = end
		}
		cuts = finer
	}
	var ends []int
	for _, cut := range cuts {
		if cut > 0 {
			ends = append(ends, offsets[cut])
		}
	}
	return ends
}

// isolate returns the ends of the matches and of the gaps between them.
func isolate(m matcher, t []rune) []int {
	var ends []int
	last := 0
	for i := 0; i < len(t); {
		end := i
		m(t, i, func(j int) bool { end = j; return true })
		if end == i {
			i++
			continue
		}
		if i > last {
			ends = append(ends, i)
		}
		ends = append(ends, end)
		i, last = end, end
	}
	if last < len(t) {
		ends = append(ends, len(t))
	}
	return ends
}

// patternCase is a pattern with its name and its reference.
type patternCase struct {
	name    string
	pattern Pattern
	ref     reference
}

func patternCases() []patternCase {
	return []patternCase{
		{"gpt2", GPT2, newReference(gpt2Regex)},
		{"cl100k", CL100K, newReference(cl100kRegex)},
		{"o200k", O200K, newReference(o200kRegex)},
		{"qwen2", Qwen2, newReference(qwen2Regex)},
		{"tekken", Tekken, newReference(tekkenRegex)},
		{"deepseek3", DeepSeek3, newReference(deepSeek3Regex)},
	}
}

// forEachPattern runs f as a parallel subtest for every pattern.
func forEachPattern(t *testing.T, f func(t *testing.T, c patternCase)) {
	t.Helper()
	for _, c := range patternCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f(t, c)
		})
	}
}
