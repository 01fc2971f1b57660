package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/rung"
)

// policyRun plays one session under one policy.
type policyRun struct {
	*history
	planner planner
	till    *till
	judge   judge
	clock   *clock
	out     *Outcome
	refetch bool
	// unpaid is what was said since the last call.
	unpaid int
	// at is where the recorded answer to the request stands; known are the recollections
	// that requests before it had.
	at    int
	known map[*managedText]bool
}

const (
	// wireSample says which calls are written in their dialect and sent through the
	// planner again beside those that cut: every 64th.
	wireSample = 64
	// maxSources is how many things are read again for one call.
	maxSources = 4
	// refetchOutput is what a model writes to read something again, and callTokens
	// what that call adds to the history beside the content.
	refetchOutput = 60
	// refetchBytes is the most that comes back at once.
	refetchBytes = 64 << 10
)

// play returns what became of the session.
func (t *track) play(ctx context.Context, p policy, o *Options) (*Outcome, error) {
	till := &till{prices: t.prices}
	r := &policyRun{history: newHistory(t), till: till, clock: newClock(), out: &Outcome{}, refetch: o.Refetch, known: map[*managedText]bool{}}
	var err error
	if r.planner, err = p.build(r, o); err != nil {
		return nil, err
	}
	from := 0
	for _, c := range t.calls {
		r.hear(t.items[from:c.at]...)
		if err := r.call(ctx, c); err != nil {
			return nil, fmt.Errorf("%s, message %d: %w", t.id, c.at, err)
		}
		r.say(t.items[c.at:c.end]...)
		from = c.end
	}
	r.out.settle(till)
	return r.out, nil
}

// hear adds what is not from the model.
func (r *policyRun) hear(items ...item) {
	r.say(items...)
	for _, it := range items {
		r.unpaid += it.tokens
	}
}

func (r *policyRun) call(ctx context.Context, c recordedCall) error {
	now := r.clock.at(c.time)
	r.at = c.at
	r.judge.look(r.history)
	s, err := r.ask(ctx, now)
	if err != nil {
		return err
	}
	r.out.quality.answer(r.history, s, r.track.items[c.at:c.end])
	r.out.quality.recollect(r.history, s, r.track.items[c.at:c.end], r.known)
	lost := r.out.saw(r.history, &s.view, c.need)
	if r.refetch && len(lost) > 0 {
		if s, err = r.readAgain(ctx, s, lost, now); err != nil {
			return err
		}
	}
	answer := make([]plimsoll.Digest, 0, c.end-c.at)
	for _, it := range r.track.items[c.at:c.end] {
		answer = append(answer, it.message.Digest)
	}
	r.pay(s, c.output, now, answer...)
	r.out.Calls++
	return nil
}

// ask plans a request and judges it.
func (r *policyRun) ask(ctx context.Context, now time.Time) (*sending, error) {
	s, err := r.planner.plan(ctx, r.history, now)
	if err != nil {
		return nil, err
	}
	_, same := r.till.match(&s.plannedRequest)
	flaw := r.judge.flaw(s)
	if flaw == "" && (same < len(r.till.keys) && s.edited || r.till.calls%wireSample == wireSample-1) {
		if flaw, err = r.closer(ctx, s, now); err != nil {
			return nil, err
		}
	}
	r.out.checked++
	if flaw == "" {
		r.out.valid++
	} else if len(r.out.flaws) < maxFlaws {
		r.out.flaws = append(r.out.flaws, fmt.Sprintf("%s, call %d: %s", r.id, r.out.Calls+1, flaw))
	}
	for i, it := range r.items {
		if userSpeaks(it) {
			r.out.users++
			count(&r.out.usersKept, s.view.stands[i])
		}
	}
	return s, nil
}

// closer looks at the request as the API would, and asks for it once more.
func (r *policyRun) closer(ctx context.Context, s *sending, now time.Time) (string, error) {
	if flaw := r.judge.written(s); flaw != "" {
		return flaw, nil
	}
	if _, ok := r.planner.(*engine); !ok {
		return "", nil
	}
	again, err := r.planner.plan(ctx, r.history, now)
	if err != nil {
		return "", err
	}
	if !slices.Equal(again.keys, s.keys) {
		return "asked again, the keeper sends something else", nil
	}
	return "", nil
}

// pay pays for a request.
func (r *policyRun) pay(s *sending, output int, now time.Time, answer ...plimsoll.Digest) {
	r.out.Cost += s.extra
	broke := r.till.pay(&s.plannedRequest, r.unpaid, output, now, answer...)
	r.unpaid = 0
	r.out.Peak = max(r.out.Peak, s.total)
	count(&r.out.Breaks, broke)
	count(&r.out.Summary, s.summary)
	if broke {
		if s.refused == nil {
			r.out.quality.cut(r.history, s, r.at)
		}
		r.out.cutAt = append(r.out.cutAt, len(r.out.loads))
	}
	r.out.loads = append(r.out.loads, s.total)
}

// readAgain lets the model read what it cannot see any more: each source is one more
// call, and its content stays in the history.
func (r *policyRun) readAgain(ctx context.Context, s *sending, lost []atom, now time.Time) (*sending, error) {
	for _, source := range r.sources(lost) {
		asked, read := r.reread(source, r.out.Refetch)
		r.pay(s, refetchOutput, now, asked.message.Digest)
		r.out.Refetch++
		r.say(asked)
		r.hear(read)
		r.judge.look(r.history)
		var err error
		if s, err = r.ask(ctx, now); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sources are the newest messages that name the lost identifiers.
func (r *policyRun) sources(lost []atom) []int {
	var sources []int
	for _, a := range lost {
		places := r.places(a)
		if at := int(places[len(places)-1].item); !slices.Contains(sources, at) {
			sources = append(sources, at)
		}
	}
	slices.Sort(sources)
	return sources[:min(len(sources), maxSources)]
}

// reread makes the call that reads a source again, and its result.
func (r *policyRun) reread(source, number int) (asked, read item) {
	var texts []string
	for _, p := range r.items[source].message.Parts.All() {
		if text := textOf(p); text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n")
	text = strings.ToValidUTF8(text[:min(len(text), refetchBytes)], "")
	id := fmt.Sprintf("replay_%d", number)
	role := plimsoll.ToolRole
	if r.conversation.Dialect == plimsoll.Anthropic {
		role = plimsoll.User
	}
	tool := rung.ExpansionTools()[0]
	if !r.planner.archives() {
		tool = "read"
	}
	call := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: tool, Arguments: fmt.Sprintf(`{"again":%d}`, source)})
	result := plimsoll.NewMessage(role, plimsoll.ToolResult{CallID: id, Name: tool, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})})
	return r.weighed(call), r.weighed(result)
}

func (r *policyRun) weighed(m plimsoll.Message) item {
	m.Digest = digestOf(m)
	return r.item(m, r.meter.WeighMessage(r.conversation, m, 0).Tokens)
}
