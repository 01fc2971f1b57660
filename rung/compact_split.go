package rung

import (
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
)

// Old returns the span to replace: from the leading instructions to the split of the
// layout. If what stays then does not fit, the split is inside a turn, except for
// [SnapshotAndAnswer], whose text wants it at a message of the user.
func (c *Compact) Old(w *fit.Work, t fit.Target) plimsoll.Span {
	s := newSplitter(w, t)
	var r room
	noRoom := w.Load() > t.Goal && w.Load()-s.free()+minSize > t.Goal
	if c.Notes {
		r = c.roomOf(w, t)
		noRoom = r.all < minSize
	}
	if noRoom {
		return plimsoll.Span{}
	}
	fits := func(end int) bool {
		if c.Notes {
			return r.tailFrom(end)+minSize <= r.all
		}
		return s.fits(end, min(or(c.Size, defaultSize), s.limit/5))
	}
	end := 0
	switch {
	case c.Layout == SnapshotAndAnswer:
		for _, end = range findSplits(w.Draft().Original(), 1-or(c.KeepShare, defaultKeepShare)) {
			if fits(end) {
				break // else what stays is still too large
			}
		}
		if end <= s.from || !s.removable(end) {
			return plimsoll.Span{}
		}
		return plimsoll.Span{Start: s.outline.Head, End: end}
	case c.Layout == RetainAndSummary:
		end = s.turns(c.KeepTurns)
		if end == 0 && w.Load() <= s.limit {
			return plimsoll.Span{} // there are no older turns, and room for those that stay
		}
	case c.KeepTurns > 0:
		if end = s.turns(c.KeepTurns); !s.pays(end) {
			end = 0
		}
	}
	// If more turns than fit must stay, other rungs drop some.
	if end == 0 || c.KeepTurns <= 1 && !fits(end) {
		if c.Notes {
			end = s.tail(r.tail, false)
		} else {
			end = s.tail(c.tail(w, s, t.Goal), c.Layout == Full)
		}
	}
	if end <= s.from || !s.removable(end) {
		return plimsoll.Span{}
	}
	return plimsoll.Span{Start: s.outline.Head, End: end}
}

// tail returns how many tokens of the newest messages may stay; the goal has room for
// them.
func (c *Compact) tail(w *fit.Work, s *splitter, goal int) int {
	free, limit := s.free(), s.limit
	room := goal - (w.Load() - free) - min(or(c.Size, defaultSize), limit/5)
	return max(0, min(c.deepTail(free, limit), room))
}

// deepTail is what stays of the newest messages if no room is to be filled.
func (c *Compact) deepTail(free, limit int) int {
	return min(or(c.Tail, defaultTail), limit*3/10, free*3/10)
}

// splitter finds where the old part ends.
type splitter struct {
	work *fit.Work
	// kept reports whether a message must survive.
	kept    func(int) bool
	outline plimsoll.Outline
	limit   int
	// from is the first message that no checkpoint has replaced.
	from int
}

func newSplitter(w *fit.Work, t fit.Target) *splitter {
	o := w.Draft().Outline()
	s := &splitter{work: w, kept: w.Protected, outline: o, from: o.Head, limit: t.Line.Limit()}
	if cp := w.Checkpoint(); cp != nil {
		s.from = cp.Old.End
	}
	return s
}

// free returns the tokens of the messages that a checkpoint can replace.
func (s *splitter) free() int {
	free := 0
	for i := s.from; i < s.work.Draft().Original().Messages.Len(); i++ {
		if !s.kept(i) {
			free += s.work.Draft().Weight(i)
		}
	}
	return free
}

// turns returns the start of the newest n turns, or 0 if there are no other turns.
func (s *splitter) turns(n int) int {
	turns := s.outline.Turns
	if n >= len(turns) {
		return 0
	}
	end := s.work.Draft().Original().Messages.Len()
	if n > 0 {
		end = turns[len(turns)-n].Start
	}
	return end
}

// pays reports whether at least half of what a checkpoint can replace comes before the
// end. Otherwise the rest would need a checkpoint soon.
func (s *splitter) pays(end int) bool {
	before, all := 0, 0
	for i := s.from; i < s.work.Draft().Original().Messages.Len(); i++ {
		n := s.work.Draft().Weight(i)
		if s.kept(i) {
			continue
		}
		all += n
		if i < end {
			before += n
		}
	}
	return before > 0 && 2*before >= all
}

// fits reports whether the messages after the end fit beside a checkpoint of a size.
func (s *splitter) fits(end, size int) bool {
	gone := 0
	for i := s.from; i < end; i++ {
		if !s.kept(i) {
			gone += s.work.Draft().Weight(i)
		}
	}
	return s.work.Load()-gone+size <= s.limit
}

// removable reports whether there is anything to replace before the end.
func (s *splitter) removable(end int) bool {
	for i := s.from; i < end; i++ {
		if !s.kept(i) && s.work.Draft().Weight(i) > 0 {
			return true
		}
	}
	return false
}

// tail returns the oldest split with at most budget tokens after it. It prefers the
// newest split between turns if that leaves at least half of the budget.
func (s *splitter) tail(budget int, preferTurns bool) int {
	turns := s.outline.Turns
	best, turnStart, turnTail := 0, 0, 0
	tail := newTails(s.work)
	for k := len(turns) - 1; k >= 0; k-- {
		turn := turns[k]
		think := s.signedRounds(turn)
		must := len(think) > 0 && think[firstRound(s.work, turn)] && k == len(turns)-1
		for r := len(turn.Rounds) - 1; r > 0; r-- {
			if tail.from(turn.Rounds[r].Start) > budget && best > 0 {
				return pick(best, turnStart, turnTail, budget, preferTurns)
			}
			if !must || think[r] {
				best = turn.Rounds[r].Start
			}
		}
		if k == 0 || tail.from(turn.Start) > budget && best > 0 {
			break
		}
		best, turnStart, turnTail = turn.Start, turn.Start, tail.from(turn.Start)
	}
	return pick(best, turnStart, turnTail, budget, preferTurns)
}

// signedRounds says which rounds of a turn begin with reasoning that the provider
// signed: providers check only that.
func (s *splitter) signedRounds(turn plimsoll.Turn) []bool {
	messages := s.work.Draft().Original().Messages
	rounds := make([]bool, len(turn.Rounds))
	for i, r := range turn.Rounds {
		rounds[i] = signed(messages.At(r.Start))
	}
	return rounds
}

func signed(m plimsoll.Message) bool {
	for _, p := range m.Parts.All() {
		if thought, ok := p.(plimsoll.Reasoning); ok && (thought.Signature != "" || thought.Redacted) {
			return true
		}
	}
	return false
}

func pick(best, turnStart, turnTail, budget int, preferTurns bool) int {
	if preferTurns && turnStart > 0 && 2*turnTail >= budget {
		return turnStart
	}
	return best
}

// firstRound returns the first round of a turn that is not a checkpoint.
func firstRound(w *fit.Work, turn plimsoll.Turn) int {
	for r, round := range turn.Rounds {
		if !summary.CheckpointAt(w.Draft().Original(), round.Start) {
			return r
		}
	}
	return 0
}

// tails adds up the tokens after a message, from the newest on.
type tails struct {
	work *fit.Work
	next int
	sum  int
}

func newTails(w *fit.Work) *tails {
	return &tails{work: w, next: w.Draft().Original().Messages.Len()}
}

// from returns the tokens of the unprotected messages from i on. Call it from the newest
// message to the oldest.
func (t *tails) from(i int) int {
	for t.next > i {
		t.next--
		if !t.work.Protected(t.next) {
			t.sum += t.work.Draft().Weight(t.next)
		}
	}
	return t.sum
}

// findSplits returns where the old part may end, in the order of preference. The first
// split is the oldest message of the user, no response to a call, that has the fraction of
// all characters before it. Those behind it follow, and the end of the conversation if the
// assistant spoke last and called no tool. If there is none of them, it is the last such
// message before the fraction. Nothing is old if the fraction is not between 0 and 1.
func findSplits(c plimsoll.Conversation, fraction float64) []int {
	if fraction <= 0 || fraction >= 1 {
		return nil
	}
	n := c.Messages.Len()
	sizes, all := make([]int, n), 0
	for i := range n {
		sizes[i] = characters(c.Messages.At(i).Parts)
		all += sizes[i]
	}
	var splits []int
	target, seen, last := fraction*float64(all), 0, 0
	for i := range n {
		m := c.Messages.At(i)
		if m.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m) {
			if float64(seen) >= target {
				splits = append(splits, i)
			} else {
				last = i
			}
		}
		seen += sizes[i]
	}
	if n > 0 {
		if m := c.Messages.At(n - 1); m.Role == plimsoll.Assistant && !plimsoll.Has[plimsoll.ToolCall](m) {
			splits = append(splits, n)
		}
	}
	if splits == nil {
		splits = []int{last}
	}
	return splits
}

// characters counts the characters of parts, with 16 more for each part.
func characters(parts plimsoll.List[plimsoll.Part]) int {
	const form = 16
	n := 0
	for _, p := range parts.All() {
		n += form
		switch p := p.(type) {
		case plimsoll.Text:
			n += utf8.RuneCountInString(p.Text)
		case plimsoll.ToolCall:
			n += utf8.RuneCountInString(p.Name) + utf8.RuneCountInString(p.Arguments)
		case plimsoll.ToolResult:
			n += characters(p.Content)
		case plimsoll.Reasoning:
			n += utf8.RuneCountInString(p.Text)
		case plimsoll.Media:
			n += len(p.Data) + len(p.URL)
		case plimsoll.Opaque:
			n += len(p.Raw)
		}
	}
	return n
}
