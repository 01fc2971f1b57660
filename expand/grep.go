package expand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// Grep asks for the lines of stored content that match.
type Grep struct {
	// Ref is the reference.
	Ref string
	// Pattern is a text, or a regular expression of RE2's syntax if Regex is set. It
	// is compared with one line at a time.
	Pattern           string
	Regex, IgnoreCase bool
	// Before and After are how many lines to show around a match.
	Before, After int64
	// MaxMatches is how many matching lines to show; 0 means 50.
	MaxMatches int64
	// Offset is the line to begin at, counted from 0.
	Offset int64
}

const defaultMatches = 50

// Matches writes the lines that match, each with the lines around it and the
// reference above it.
func (g Grep) Matches(ctx context.Context, w io.Writer, t *store.Tenant, l Limits) error {
	c, err := t.Open(ctx, g.Ref)
	if err != nil {
		return failed(toolGrep, err)
	}
	defer c.Close()
	if err := g.write(ctx, w, c, l.withDefaults()); err != nil {
		return failed(toolGrep, err)
	}
	return nil
}

func (g Grep) write(ctx context.Context, w io.Writer, c content, l Limits) error {
	g.setDefaults(l)
	p, err := newPattern(g, l)
	if err != nil {
		return err
	}
	there, err := seekLine(ctx, c, g.Offset)
	if !there && err == nil {
		_, err = io.WriteString(w, beyond)
	}
	if !there || err != nil {
		return err
	}
	found, err := g.find(ctx, c, p, l)
	if err != nil {
		return err
	}
	s := &snippets{grep: g, limits: l, w: w}
	for i, h := range found.hits {
		if int64(i) == g.MaxMatches {
			s.more = true
			break
		}
		if fits, err := s.add(ctx, c, h); !fits || err != nil {
			return err
		}
		if s.more {
			break
		}
	}
	return s.end(found)
}

func (g *Grep) setDefaults(l Limits) {
	if g.MaxMatches == 0 {
		g.MaxMatches = defaultMatches
	}
	if l.Matches > 0 {
		g.MaxMatches = min(g.MaxMatches, int64(l.Matches))
	}
	g.Before = min(g.Before, int64(l.Context))
	g.After = min(g.After, int64(l.Context))
}

// finding is what a search has found until it ended or had to stop.
type finding struct {
	hits []hit
	// stopped says that the time was up, after which time and before which line.
	stopped bool
	after   time.Duration
	line    int64
}

// find returns the matching lines that are asked for, and one more if there is one.
func (g Grep) find(ctx context.Context, c content, p *pattern, l Limits) (finding, error) {
	life := l.TextTime
	if p.regexp != nil {
		life = l.RegexTime
	}
	s := newScanner(c, p, &budget{ctx: ctx, now: l.Now, until: l.Now().Add(life)})
	s.line = g.Offset
	f := finding{after: life}
	for int64(len(f.hits)) <= g.MaxMatches {
		h, ok, err := s.next()
		f.line = s.line
		if errors.Is(err, errTime) && len(f.hits) > 0 {
			f.stopped = true
			return f, nil
		}
		if errors.Is(err, errTime) {
			return f, outOfTime(g, f)
		}
		if err != nil || !ok {
			return f, err
		}
		f.hits = append(f.hits, h)
	}
	return f, nil
}

// seekLine goes to the beginning of a line; false if there is none.
func seekLine(ctx context.Context, c content, n int64) (bool, error) {
	if n == 0 {
		return true, nil
	}
	for line, err := range c.Lines(ctx, n) {
		if err != nil {
			return false, err
		}
		_, err = c.Seek(line.Offset, io.SeekStart)
		return true, err
	}
	return false, nil
}

// snippets is an answer in the making.
type snippets struct {
	grep   Grep
	limits Limits
	w      io.Writer

	count int
	used  int
	next  int64 // line to go on at
	more  bool
}

// lead is how many bytes are shown in front of a match far inside a line.
const lead = 200

// add writes a match; false ends the answer.
func (s *snippets) add(ctx context.Context, c content, h hit) (bool, error) {
	room := s.limits.room() - s.used
	snippet, err := s.render(ctx, c, h, room)
	if err != nil {
		return false, err
	}
	if s.count > 0 {
		snippet = "\n\n" + snippet
	}
	if s.limits.Bytes > 0 && len(snippet) > room {
		s.more = true
		if s.count == 0 {
			return false, s.tooLarge(h)
		}
		return true, nil
	}
	s.count++
	s.used += len(snippet)
	s.next = h.line + 1
	_, err = io.WriteString(s.w, snippet)
	return err == nil, err
}

// render returns the lines around a match, or more than there is room for.
func (s *snippets) render(ctx context.Context, c content, h hit, room int) (string, error) {
	var b strings.Builder
	b.WriteString("ref:" + s.grep.Ref)
	begin := func(n int64) *cutter {
		k := &cutter{maxChars: s.limits.chars(), maxBytes: s.limits.room(), out: numbered(n)}
		if n == h.line && s.limits.chars() > 0 && h.column+lead > s.limits.chars() {
			k.fromByte = h.column - lead
			k.out = append(k.out, "..."...)
		}
		return k
	}
	show := func(n int64, k *cutter) bool {
		b.WriteByte('\n')
		b.Write(k.out)
		if k.more {
			b.WriteString("...")
		}
		if k.fromByte > 0 {
			fmt.Fprintf(&b, "\n[line %d is shown from character %d on; to read there: %s]", n+1, k.first, call(s.grep.Ref, n, k.first))
		}
		return n < h.line+s.grep.After && (s.limits.Bytes < 0 || b.Len() <= room)
	}
	err := eachLine(ctx, c, max(0, h.line-s.grep.Before), begin, show)
	return b.String(), err
}

// tooLarge is the answer when not even one match can be shown.
func (s *snippets) tooLarge(h hit) error {
	_, err := fmt.Fprintf(s.w, "MATCH_TOO_LARGE_TO_RENDER: match at line %d exceeded %d bytes.\nref_id=%s\nReduce before and after, or read the line itself: %s",
		h.line+1, s.limits.Bytes, s.grep.Ref, call(s.grep.Ref, h.line, 0))
	return err
}

// end adds what there is to say.
func (s *snippets) end(f finding) error {
	var b strings.Builder
	switch {
	case s.count == 0:
		b.WriteString("No matches for: " + strings.ToValidUTF8(s.grep.Pattern, "\uFFFD"))
	case s.more:
		fmt.Fprintf(&b, "\n... (truncated)\nMore lines match. To go on: offset=%d", s.next)
	case f.stopped:
		fmt.Fprintf(&b, "\n... (truncated)\nThe search was stopped after %v, before line %d. To go on: offset=%d, or use a simpler pattern.", f.after, f.line+1, f.line)
	}
	_, err := io.WriteString(s.w, b.String())
	return err
}
