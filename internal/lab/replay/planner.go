package replay

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
)

// planner says what is sent.
type planner interface {
	// plan returns the request for a history.
	plan(ctx context.Context, h *history, now time.Time) (*sending, error)
	// archives reports whether what was taken out can be read again by reference.
	archives() bool
}

// sending is a request with what else is known of it.
type sending struct {
	plannedRequest
	view visible
	// recollections are the texts that brought back what a question needs, recollected
	// what each weighs.
	recollections []*managedText
	recollected   []int
	// extra is what had to be paid to make it, beside the call.
	extra float64
	// summary says that a checkpoint or a summary was made for it.
	summary bool
	// limit is the most that it may weigh.
	limit int
	// conversation that is sent; only where edited is true does it differ from what
	// was said. refused says why the keeper could not make it fit.
	conversation plimsoll.Conversation
	edited       bool
	refused      error
}

// link is the identity of a prefix that is one message longer.
func link(before, digest plimsoll.Digest) plimsoll.Digest {
	sum := sha256.Sum256(append(before[:], digest[:]...))
	return plimsoll.Digest(sum[:16])
}

// engine plans with the real keeper.
type engine struct {
	keeper *fit.Keeper
	offer  []plimsoll.Tool
	now    time.Time
}

// newEngine takes the options of a keeper, and its clock.
func newEngine(o *fit.Options, offer []plimsoll.Tool) (*engine, error) {
	e := &engine{offer: offer}
	o.Now = func() time.Time { return e.now }
	k, err := fit.New(o)
	e.keeper = k
	return e, err
}

func (*engine) archives() bool { return true }

func (e *engine) plan(ctx context.Context, h *history, now time.Time) (*sending, error) {
	e.now = now
	messages := make([]plimsoll.Message, 0, len(h.items))
	for i := range h.items {
		messages = append(messages, h.items[i].message)
	}
	c := h.conversation
	c.Messages = plimsoll.ListOf(messages...)
	task := preset.ConversationTask(c, preset.Client{Archive: h.archive, Offer: e.offer})
	task.Chain = func() []plimsoll.Digest { return h.links }
	p, err := e.keeper.Fit(ctx, task)
	var overload *plimsoll.OverloadError
	if errors.As(err, &overload) {
		s := whole(h)
		s.refused, s.limit, s.conversation = err, overload.Line.Limit(), c
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	return sent(h, p), nil
}

// sent reads off a plan what is sent.
func sent(h *history, p *plimsoll.Plan) *sending {
	s := whole(h)
	s.limit = p.Line.Limit()
	s.total, s.tools = p.After.Total, p.Draft.AddedTools().Len()
	s.conversation = p.Conversation()
	if !p.Changed() {
		return s
	}
	s.edited = true
	s.keys, s.tokens = s.keys[:0], s.tokens[:0]
	for i := range s.view.stands {
		s.view.stands[i] = false
	}
	s.view.changed = map[plimsoll.PartRef]bool{}
	for _, e := range p.Edits {
		if e.Kind == plimsoll.EditReplace || e.Kind == plimsoll.EditRemove {
			s.view.changed[plimsoll.PartRef{Message: e.Message, Part: e.Part}] = true
		}
	}
	recollections := map[string]bool{}
	for _, in := range p.Draft.Inserted() {
		recollections[in.Message.Text()] = in.Why.Rung == recollectRung
	}
	for placed := range p.Draft.Placed() {
		s.take(h, placed)
		weight := p.After.Messages[len(s.tokens)].Tokens
		s.tokens = append(s.tokens, weight)
		if text := placed.Message.Text(); placed.Original < 0 && recollections[text] {
			s.recollections, s.recollected = append(s.recollections, h.read(text)), append(s.recollected, weight)
		}
	}
	for _, r := range p.Rungs {
		s.summary = s.summary || r.Rung == "compact" && r.Edits > 0 && !r.Replayed
	}
	return s
}

// take notes one message that is sent.
func (s *sending) take(h *history, p plimsoll.Placed) {
	if p.Original >= 0 {
		s.view.stands[p.Original] = true
	}
	if !p.Edited {
		s.keys = append(s.keys, p.Message.Digest)
		return
	}
	s.keys = append(s.keys, digestOf(p.Message))
	if p.Original < 0 {
		s.view.words = append(s.view.words, h.read(p.Message.Text()))
		return
	}
	for _, part := range p.Message.Parts.All() {
		// One that was not touched says nothing that its place does not say too.
		if r, ok := part.(plimsoll.ToolResult); ok {
			s.view.words = append(s.view.words, h.read(plimsoll.TextOf(r.Content)))
		}
	}
}

// whole is a request that sends everything.
func whole(h *history) *sending {
	s := &sending{view: visible{stands: make([]bool, len(h.items))}}
	s.total = h.base
	for i, it := range h.items {
		s.view.stands[i] = true
		s.keys = append(s.keys, it.message.Digest)
		s.tokens = append(s.tokens, it.tokens)
		s.total += it.tokens
	}
	return s
}

// overflowShare of the window is where programs are known to compact that do nothing
// before: 167,000 of 200,000 tokens.
const overflowShare = 0.835

func overflowAt(window int) int { return int(overflowShare * float64(window)) }

// none does nothing until the window is nearly full, and then replaces everything by
// a summary that a model writes. The summary names nothing.
type none struct {
	till    *till
	from    int
	number  int
	summary int
}

// noneSummary is what a model writes for 125,000 tokens, by experience.
const noneSummary = 3500

func (*none) archives() bool { return false }

func (n *none) plan(_ context.Context, h *history, now time.Time) (*sending, error) {
	s := n.rest(h)
	if s.total <= overflowAt(h.window) || n.from == len(h.items) {
		return s, nil
	}
	hit, p := n.till.hit(&s.plannedRequest, now), n.till.prices
	extra := (p.Read*float64(hit) + float64(s.total-hit) + p.Output*noneSummary + summaryAsk) * n.till.factor(s.total)
	n.from, n.summary = len(h.items), noneSummary
	n.number++
	s = n.rest(h)
	s.extra, s.summary = extra, true
	return s, nil
}

// rest is the summary and what was said since.
func (n *none) rest(h *history) *sending {
	s := whole(h)
	s.limit = h.window
	if n.number == 0 {
		return s
	}
	for i := range n.from {
		s.view.stands[i] = false
		s.total -= h.items[i].tokens
	}
	var key plimsoll.Digest
	binary.LittleEndian.PutUint64(key[:], uint64(n.number))
	s.keys = append([]plimsoll.Digest{key}, s.keys[n.from:]...)
	s.tokens = append([]int{n.summary}, s.tokens[n.from:]...)
	s.total += n.summary
	return s
}
