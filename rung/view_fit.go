package rung

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// fit cuts the largest outputs until the load fits its limit.
func (v *View) fit(ctx context.Context, w *fit.Work, t fit.Target) error {
	limit := t.Line.Limit()
	room := limit - w.Load()
	if room >= 0 {
		return nil
	}
	var found []output
	var sizes []int
	for _, o := range outputs(w) {
		if !w.Pinned(o.at.Message) && o.tokens > v.Least() && !o.mustShow(w) {
			found, sizes, room = append(found, o), append(sizes, o.tokens), room+o.tokens
		}
	}
	level := max(waterline(sizes, room), v.Least())
	reason := fmt.Sprintf("cut to %d tokens to fit the limit of %d", level, limit)
	for _, o := range found {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.tokens <= level {
			continue
		}
		s, err := v.shrinking(ctx, w, o, reason)
		if err == nil {
			err = s.to(level)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shrinking is an output that is being cut to a number of tokens.
type shrinking struct {
	w      *fit.Work
	output output
	result plimsoll.ToolResult
	texts  []string
	cutter cutter
	// placeholder ends the view.
	placeholder string
	why         plimsoll.Why
}

func (v *View) shrinking(ctx context.Context, w *fit.Work, o output, reason string) (*shrinking, error) {
	s := &shrinking{w: w, output: o, result: o.result(w), cutter: v.cutter(), why: plimsoll.Why{Rung: v.Name(), Reason: reason}}
	s.texts = textsOf(s.result.Content)
	id := ""
	if !v.exempts(o.tool(w)) {
		var err error
		if s.why.Ref, id, err = origin(ctx, w, s.result); err != nil {
			return nil, err
		}
	}
	s.placeholder = v.placeholder(w.HasReader(), id)
	return s, nil
}

// shrinkTries is how often shrinking corrects its guess of a size.
const shrinkTries = 5

// to guesses the bytes from what the output weighs, and corrects the guess. If no size
// of the texts is small enough, only the placeholder stays.
func (s *shrinking) to(tokens int) error {
	s.cutter.bytes = max(0, scaled(total(s.texts), tokens, s.output.tokens)-len(s.placeholder))
	for range shrinkTries {
		if len(s.texts) == 0 {
			break
		}
		weight, err := s.try(tokens)
		if err != nil || weight <= tokens {
			return err
		}
		s.cutter.bytes = scaled(s.cutter.bytes, tokens, weight) * 7 / 8
	}
	_, err := replace(s.w, s.output, only(s.placeholder), s.why)
	return err
}

// try cuts to the current size and returns what the output weighs then. If that is too
// much, it takes the cut back.
func (s *shrinking) try(tokens int) (int, error) {
	d := s.w.Draft()
	before, saved := d.Position(), d.Saved()
	cut, _ := s.cutter.all(s.texts)
	cut[len(cut)-1] = withPlaceholder(cut[len(cut)-1], s.placeholder)
	if err := d.ReplaceResult(s.output.at, withTexts(s.result.Content, cut), s.why); err != nil {
		return 0, err
	}
	weight := s.output.tokens - (d.Saved() - saved)
	if weight > tokens {
		d.Rollback(before)
	}
	return weight, nil
}

// scaled returns n × part / whole, whatever their size.
func scaled(n, part, whole int) int {
	return int(float64(n) * float64(part) / float64(max(1, whole)))
}
