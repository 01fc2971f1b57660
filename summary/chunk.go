package summary

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Fold asks a summariser for an old part that is larger than its window. Each request has
// as many rounds as fit, and the summary so far as the previous one. So the summariser
// updates one summary and never summarises summaries. An old part that fits is one
// request.
type Fold struct {
	Summarizer
	// Window is how many tokens a request may have, with the answer; 0 means that Fold
	// learns it when the summariser refuses a request.
	Window int
	// Own says that the window is that of the conversation's own model. Then a short answer
	// makes room for the history.
	Own bool
}

var _ Summarizer = Fold{}

const (
	// scratchTokens are left for the model's scratchpad.
	scratchTokens = 8192
	// minRoom is the fewest tokens of a chunk. With less room a window is too small.
	minRoom = 256
)

// OutputTokens returns how many tokens a model may write for a summary. It is twice the
// budget, because the model's tokens differ, plus room to think. It is never more than
// half of a known window.
func OutputTokens(budget, window int) int {
	n := 2*max(budget, 1) + scratchTokens
	if window > 0 {
		n = max(1, min(n, window/2))
	}
	return n
}

// Summarize asks once if the old part fits, and chunk by chunk if it does not.
func (f Fold) Summarize(ctx context.Context, r *Request) (Summary, error) {
	c := &folding{Fold: f, whole: r}
	if c.fits(f.Window) {
		one := *r
		if f.Own && f.Window > 0 {
			one.Output = min(OutputTokens(r.Budget, f.Window), f.Window-c.asked()-c.weight()*20/19)
		}
		s, err := f.Summarizer.Summarize(ctx, &one)
		if !c.tooLarge(err) {
			return s, err
		}
	}
	if c.room == 0 {
		c.room = c.roomIn(f.Window)
	}
	return c.fold(ctx)
}

// folding is the state of one fold.
type folding struct {
	Fold
	whole *Request
	// room is how many tokens of transcript a request may have.
	room int
	// pieces are the parts of Old that stay whole.
	pieces []chunkPiece
	usage  plimsoll.Usage
}

// chunkPiece is a round, or the messages before the first round of a turn.
type chunkPiece struct {
	plimsoll.Span
	tokens int
}

// fits reports whether the request fits into a window as it is.
func (c *folding) fits(window int) bool {
	if window <= 0 {
		return true
	}
	if c.Own {
		return c.weight()*20/19+c.asked()+c.whole.Budget <= window // counts may be estimates
	}
	return c.weight() <= c.roomIn(window)
}

// weight estimates the tokens of the request without the prompt.
func (c *folding) weight() int {
	r := c.whole
	if r.Bare {
		return r.tokens(Transcript(r.Conversation, r.Old))
	}
	n := r.tokens(plimsoll.TextOf(r.Conversation.System))
	if r.Whole {
		return n + r.tokens(Transcript(r.Conversation, plimsoll.Span{End: r.Conversation.Messages.Len()}))
	}
	for _, t := range r.Conversation.Tools.All() {
		n += r.tokens(t.Description) + r.tokens(t.Schema) + r.tokens(t.Opaque)
	}
	span := plimsoll.Span{End: r.Old.End}
	if r.Previous.Text != "" {
		span.Start = r.Old.Start
	}
	return n + r.tokens(Transcript(r.Conversation, span))
}

// roomIn returns how much transcript fits into a window, with a tenth to spare: the
// tokens are those of another model.
func (c *folding) roomIn(window int) int {
	return (window-OutputTokens(c.whole.Budget, window))*9/10 - c.asked() - max(c.whole.size(c.whole.Previous), c.whole.Budget)
}

// asked returns the tokens of the question.
func (c *folding) asked() int { return c.whole.tokens(Ask(c.whole)) + c.whole.tokens(System(c.whole)) }

// tooLarge reports whether a summariser refused a request as too large. Then it reduces
// the room.
func (c *folding) tooLarge(err error) bool {
	var f *Failure
	if !errors.As(err, &f) || !f.TooLarge {
		return false
	}
	c.usage = c.usage.Add(f.Usage)
	room := c.room
	if room == 0 {
		room = c.weight()
	}
	c.room = room / 2
	if f.Limit > 0 {
		if known := c.roomIn(f.Limit); known < room {
			c.room = known
		}
	}
	return true
}

// fold goes through the old part chunk by chunk.
func (c *folding) fold(ctx context.Context) (Summary, error) {
	r := c.whole
	c.pieces = c.cut()
	so := r.Previous
	done := 0
	for at := r.Old.Start; at < r.Old.End; {
		if c.room < minRoom {
			return Summary{}, &Failure{Final: true, Usage: c.usage, Err: fmt.Errorf(
				"%w: there is room for %d tokens of the conversation beside the summary", plimsoll.ErrOverLimit, max(c.room, 0))}
		}
		end, all := c.next(at)
		s, err := c.ask(ctx, plimsoll.Span{Start: at, End: end}, so)
		if c.tooLarge(err) {
			continue
		}
		if err != nil {
			return Summary{}, c.failed(err)
		}
		c.usage = c.usage.Add(s.Usage)
		so, at, done = s, end, done+1
		if r.Progress != nil {
			r.Progress(done, done+all-1)
		}
	}
	so.Usage = c.usage
	if done > 1 {
		so.Notes = append([]string{fmt.Sprintf("written in %d steps", done)}, so.Notes...)
	}
	return so, nil
}

// failed adds the usage so far to an error.
func (c *folding) failed(err error) error {
	f := &Failure{Err: err}
	var inner *Failure
	if errors.As(err, &inner) {
		*f = *inner
		f.Err = err
	}
	f.Usage = c.usage.Add(f.Usage)
	return f
}

// ask asks for one chunk, and repairs the answer because the next chunk builds on it.
func (c *folding) ask(ctx context.Context, chunk plimsoll.Span, so Summary) (Summary, error) {
	part := *c.whole
	part.Old, part.Previous = chunk, so
	part.Sent, part.Encode, part.Bare, part.Progress = nil, nil, true, nil
	part.Required = nil
	if part.tokens(Transcript(part.Conversation, chunk)) > c.room {
		part.Conversation = clipped(part.Conversation, chunk, c.room)
	}
	s, err := c.Summarizer.Summarize(ctx, &part)
	if err != nil {
		return Summary{}, err
	}
	return repair(&part, s)
}

// next returns the end of the chunk that begins at a message, and about how many
// chunks there are from there on.
func (c *folding) next(at int) (end, chunks int) {
	used, left := 0, 0
	for _, p := range c.pieces {
		switch {
		case p.Start < at:
		case p.Start == at, left == 0 && used+p.tokens <= c.room:
			end, used = p.End, used+p.tokens
		default:
			left += p.tokens
		}
	}
	return end, 1 + (left+c.room-1)/c.room
}

// cut lists the turns and rounds of the old part.
func (c *folding) cut() []chunkPiece {
	r := c.whole
	t := newTranscriber(r.Conversation, r.Old)
	pieces := []chunkPiece{{Span: plimsoll.Span{Start: r.Old.Start}}}
	begin := func(i int) {
		last := &pieces[len(pieces)-1]
		if i > last.Start && i < r.Old.End {
			last.End = i
			pieces = append(pieces, chunkPiece{Span: plimsoll.Span{Start: i}})
		}
	}
	for _, turn := range r.Conversation.Outline().Turns {
		begin(turn.Start)
		for _, round := range turn.Rounds {
			begin(round.Start)
		}
	}
	pieces[len(pieces)-1].End = r.Old.End
	for i := range pieces {
		pieces[i].tokens = r.tokens(t.text(pieces[i].Span))
	}
	return pieces
}
