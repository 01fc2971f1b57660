package rung

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

const (
	defaultMaxBytes = 50 * 1024
	defaultMaxLine  = 2000
	defaultMin      = 64
)

// View cuts large tool outputs. A placeholder ends what is left and says where the rest
// is:
//
//	[tool output truncated; ref=…]
//
// With All the placeholder also says that the model can expand the rest.
//
// View cuts long lines first, then the whole text, never inside a character. Outputs
// within the limits keep their bytes. In other outputs "\r\n" becomes "\n", and if that
// is enough View cuts nothing. Of several texts it cuts the largest. Pictures and other
// parts stay. View does not cut its own views again.
type View struct {
	// MaxBytes of an output; 0 means 50 KiB.
	MaxBytes int
	// MaxLine is the characters of a line; 0 means 2,000, negative no limit.
	MaxLine int
	// Exempt names tools whose outputs stay whole; nil means ExpansionTools.
	Exempt []string
	// Tail is the share of the bytes for the end of the output; 0 keeps only the
	// beginning.
	Tail float64
	// Errors keeps lines that look like errors, with their line numbers, in up to an
	// eighth of the bytes.
	Errors bool
	// Explain makes the placeholder of an output that was not stored tell the model to
	// run the tool again.
	Explain bool
	// All stores every output and cuts each that exceeds the limits, whatever the goal is;
	// this is for outputs that arrive. Otherwise View cuts the oldest until it reaches the
	// goal.
	All bool
	// ToFit makes View the last resort. It ignores the limits and cuts the largest
	// outputs until all fit under the limit of the load line, down to Min tokens each.
	// This includes the newest round and exempt tools. If cutting text is not enough,
	// it also removes pictures.
	ToFit bool
	// Min is the fewest tokens that ToFit leaves of an output; 0 means 64.
	Min int
}

var _ fit.Shrinker = (*View)(nil)

// Name returns "view".
func (*View) Name() string { return "view" }

// Least returns the fewest tokens that ToFit leaves of an output. Without ToFit it is
// the largest int.
func (v *View) Least() int {
	switch {
	case !v.ToFit:
		return math.MaxInt
	case v.Min > 0:
		return v.Min
	}
	return defaultMin
}

// Apply cuts outputs.
func (v *View) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	if v.ToFit {
		return v.fit(ctx, w, t)
	}
	if !v.All && t.Reached(w) {
		return nil
	}
	c := v.cutter()
	all := outputs(w)
	if v.All {
		if err := v.store(ctx, w, all); err != nil {
			return err
		}
	}
	large := slices.DeleteFunc(all, func(o output) bool {
		return !v.All && o.tokens < c.lightest() || w.Pinned(o.at.Message) || v.exempts(o.tool(w))
	})
	for _, o := range large {
		if !v.All && t.Reached(w) || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := v.cut(ctx, w, o, c, t.Always); err != nil {
			return err
		}
	}
	return nil
}

// store archives all outputs, whether they are cut or not. Those of exempt tools are in
// the archive already.
func (v *View) store(ctx context.Context, w *fit.Work, all []output) error {
	for _, o := range all {
		if v.exempts(o.tool(w)) {
			continue
		}
		ref, err := stored(ctx, w, o.result(w))
		if err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		if ref != nil {
			w.Output(o.at, *ref)
		}
	}
	return nil
}

func (v *View) cutter() cutter {
	c := cutter{bytes: v.MaxBytes, line: v.MaxLine, tail: v.Tail, errors: v.Errors}
	if c.bytes <= 0 {
		c.bytes = defaultMaxBytes
	}
	if c.line == 0 {
		c.line = defaultMaxLine
	}
	c.line = max(0, c.line)
	return c
}

// lightest returns the tokens below which View does not read an output: it would need
// more than 16 characters a token to exceed a limit, and cutting it would save nothing.
func (c cutter) lightest() int {
	if c.line > 0 {
		return min(c.bytes, c.line) / 16
	}
	return c.bytes / 16
}

func (v *View) exempts(tool string) bool {
	if v.Exempt == nil {
		return slices.Contains(ExpansionTools(), tool)
	}
	return slices.Contains(v.Exempt, tool)
}

// cut replaces an output by a view of it, if it exceeds the limits. Unless it is always
// to be cut, it stays if the view saves no tokens.
func (v *View) cut(ctx context.Context, w *fit.Work, o output, c cutter, always bool) error {
	r := o.result(w)
	texts := textsOf(r.Content)
	if r.Ref != nil || !c.exceeded(texts) || onlyPlaceholder(r) {
		return nil
	}
	cut, shorter := c.all(texts)
	if !shorter && slices.Equal(cut, texts) {
		return nil
	}
	ref, id, err := origin(ctx, w, r)
	if err != nil {
		return err
	}
	if shorter {
		cut[len(cut)-1] = withPlaceholder(cut[len(cut)-1], v.placeholder(w.HasReader(), id))
	}
	why := plimsoll.Why{Rung: v.Name(), Reason: c.reason(texts), Ref: ref}
	if always {
		return w.Draft().ReplaceResult(o.at, withTexts(r.Content, cut), why)
	}
	_, err = replace(w, o, withTexts(r.Content, cut), why)
	return err
}

func (v *View) placeholder(reader bool, id string) string {
	hint := ""
	if v.Explain {
		hint = "the rest was not stored, " + runAgain
	}
	if v.All && id != "" {
		return placeholder(reader, truncatedStart+"; the rest can be expanded", id, "")
	}
	return placeholder(reader, truncatedStart, id, hint)
}

func (c cutter) reason(texts []string) string {
	if n := total(texts); n > c.bytes {
		return fmt.Sprintf("output of %d bytes, the limit is %d", n, c.bytes)
	}
	return fmt.Sprintf("output with lines of more than %d characters", c.line)
}

// all cuts texts to the limits, and reports whether it left anything out. If so, it also
// removes the placeholders of earlier views, and the caller adds one.
func (c cutter) all(texts []string) (cut []string, shorter bool) {
	cut = make([]string, len(texts))
	placeholders, sizes := make([]string, len(texts)), make([]int, len(texts))
	for i, view := range texts {
		text, placeholder := cutPlaceholder(view)
		placeholders[i] = placeholder
		short, long := c.lines(strings.ReplaceAll(text, "\r\n", "\n"))
		cut[i], sizes[i], shorter = short, len(short), shorter || long
	}
	level := waterline(sizes, c.bytes)
	for i, text := range cut {
		if len(text) > level {
			part := c
			part.bytes = level
			// The notes about what is left out are lines too.
			cut[i], _ = c.lines(part.whole(text))
			shorter = true
		}
	}
	if !shorter {
		for i, placeholder := range placeholders {
			if placeholder != "" {
				cut[i] = withPlaceholder(cut[i], placeholder)
			}
		}
	}
	return cut, shorter
}

// exceeded reports whether texts are larger than the limits. Placeholders at their ends
// do not count.
func (c cutter) exceeded(texts []string) bool {
	bytes := 0
	for _, view := range texts {
		text, _ := cutPlaceholder(view)
		if bytes += len(text); bytes > c.bytes || c.line > 0 && len(text) > c.line && c.hasLongLine(text) {
			return true
		}
	}
	return false
}

func (c cutter) hasLongLine(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > c.line && utf8.RuneCountInString(line) > c.line {
			return true
		}
	}
	return false
}

func textsOf(content plimsoll.List[plimsoll.Part]) []string {
	texts := make([]string, 0, content.Len())
	for _, p := range content.All() {
		if t, ok := p.(plimsoll.Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

// withTexts returns the content with other texts, without empty ones.
func withTexts(content plimsoll.List[plimsoll.Part], texts []string) plimsoll.List[plimsoll.Part] {
	var parts []plimsoll.Part
	for _, p := range content.All() {
		if _, ok := p.(plimsoll.Text); ok {
			if texts[0] != "" {
				parts = append(parts, plimsoll.Text{Text: texts[0]})
			}
			texts = texts[1:]
			continue
		}
		parts = append(parts, p)
	}
	return plimsoll.ListOf(parts...)
}

func total(texts []string) int {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	return n
}
