package expand

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/store"
)

// Read asks for lines of stored content, or for a part of one line.
type Read struct {
	// Ref is the reference.
	Ref string
	// Offset is the first line, counted from 0. Limit is how many lines; 0 means as
	// many as fit.
	Offset, Limit int64
	// InLine asks for a part of the line at Offset: CharLimit characters from
	// CharOffset on; 0 means 10,000.
	InLine                bool
	CharOffset, CharLimit int64
}

const defaultCharLimit = 10_000

// Lines writes numbered lines of stored content. Long lines are cut, and notes at the
// end say what was cut and how to go on.
func (r Read) Lines(ctx context.Context, w io.Writer, t *store.Tenant, l Limits) error {
	c, err := t.Open(ctx, r.Ref)
	if err != nil {
		return failed(toolRead, err)
	}
	defer c.Close()
	if err := r.write(ctx, w, c, l.withDefaults()); err != nil {
		return failed(toolRead, err)
	}
	return nil
}

// Answer returns the same as Lines writes, and whatever stands in these lines that is
// no text.
func (r Read) Answer(ctx context.Context, t *store.Tenant, l Limits) (Answer, error) {
	l = l.withDefaults()
	c, err := t.Open(ctx, r.Ref)
	if err != nil {
		return Answer{}, failed(toolRead, err)
	}
	defer c.Close()
	var text strings.Builder
	lines, err := r.count(ctx, &text, c, l)
	if err != nil {
		return Answer{}, failed(toolRead, err)
	}
	parts, note, err := attached(ctx, c, r.Offset, r.Offset+lines, l)
	if err != nil {
		return Answer{}, failed(toolRead, err)
	}
	return Answer{Text: text.String() + note, Parts: parts}, nil
}

func (r Read) write(ctx context.Context, w io.Writer, c content, l Limits) error {
	_, err := r.count(ctx, w, c, l)
	return err
}

// count writes, and returns how many lines.
func (r Read) count(ctx context.Context, w io.Writer, c content, l Limits) (int64, error) {
	if r.InLine {
		return 0, r.writePart(ctx, w, c, l)
	}
	p := &page{read: r, limits: l, w: w}
	if err := eachLine(ctx, c, r.Offset, p.begin, p.show); err != nil {
		return 0, err
	}
	return p.lines, p.end()
}

// page is an answer in the making.
type page struct {
	read   Read
	limits Limits
	w      io.Writer

	lines int64 // shown
	used  int   // bytes
	full  bool
	cut   []int64 // numbers of lines that were cut, from 1
	err   error
}

func (p *page) begin(n int64) *cutter {
	k := &cutter{maxChars: p.limits.chars(), maxBytes: p.limits.room(), out: numbered(n)}
	if p.lines > 0 {
		k.out = append([]byte("\n"), k.out...)
	}
	if p.limits.Bytes < 0 {
		k.sink = p.w
	}
	return k
}

func (p *page) show(n int64, k *cutter) bool {
	if k.more {
		k.out = append(k.out, "..."...)
	}
	if room := p.limits.room(); room > 0 && p.lines > 0 && p.used+len(k.out) > room {
		p.full = true
		return false
	}
	if k.more && len(p.cut) <= mostCut {
		p.cut = append(p.cut, n+1)
	}
	_, p.err = p.w.Write(k.out)
	p.used += len(k.out)
	p.lines++
	return p.err == nil && p.lines != p.read.Limit
}

// mostCut is how many lines are named that were cut.
const mostCut = 3

// end adds what there is to say.
func (p *page) end() error {
	var b strings.Builder
	if p.lines == 0 {
		b.WriteString(beyond)
	}
	if last := p.read.Offset + p.lines; p.full {
		fmt.Fprintf(&b, "\n\n[output truncated at %d bytes] Output has more lines. Use offset to read beyond line %d. Next: offset=%d", p.limits.Bytes, last, last)
	}
	if len(p.cut) > 0 {
		fmt.Fprintf(&b, "\n\n[truncated lines: %s] To read on inside a line: %s", numbers(p.cut), call(p.read.Ref, p.cut[0]-1, p.limits.chars()))
	}
	if p.err == nil {
		_, p.err = io.WriteString(p.w, b.String())
	}
	return p.err
}

func numbers(lines []int64) string {
	if len(lines) > mostCut {
		return "many"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]")
}

// call writes the call that reads a line from a character on.
func call(ref string, line, char int64) string {
	return fmt.Sprintf(`%s({"ref_id":%q,"offset":%d,"char_offset":%d})`, toolRead, ref, line, char)
}

// writePart writes a part of one line.
func (r Read) writePart(ctx context.Context, w io.Writer, c content, l Limits) error {
	limit := r.CharLimit
	if limit == 0 {
		limit = defaultCharLimit
	}
	k := &cutter{fromChar: r.CharOffset, maxChars: limit, maxBytes: l.room()}
	found := false
	err := eachLine(ctx, c, r.Offset, func(int64) *cutter { return k }, func(int64, *cutter) bool {
		found = true
		return false
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, r.part(k, found))
	return err
}

func (r Read) part(k *cutter, found bool) string {
	switch {
	case !found:
		return beyond
	case k.shown == 0 && r.CharOffset > 0:
		return fmt.Sprintf("char_offset exceeds line length: line %d has %d characters.", r.Offset+1, k.seen)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ref_id=%s\nline_number=%d\nchar_range=%d..%d\n%s", r.Ref, r.Offset+1, k.first, k.next-1, k.out)
	if k.more {
		fmt.Fprintf(&b, "\n\nThe line goes on. Use char_offset=%d to continue.", k.next)
	}
	return b.String()
}
