package fit

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// anchor is the last bill of a conversation. A later load is that bill and the weight of
// what came since, so that only the new messages are estimated.
type anchor struct {
	Version int `json:"version"`
	// Messages is how many the client's request had, Whole what they weighed with
	// instructions and tools, and Sent what was left of that after the cut.
	Messages int `json:"messages"`
	Whole    int `json:"whole"`
	Sent     int `json:"sent"`
	// Billed is the prompt on the bill.
	Billed int `json:"billed"`
	// Policy is what the policy knew after the request, and Asked what its client had said:
	// a bill holds whatever limit is asked for, and this does not.
	Policy *policyMemo `json:"policy,omitempty"`
	Asked  string      `json:"asked,omitempty"`
}

const (
	anchorVersion = 1
	// anchorSpread is how far the weight of the same messages may move, either way, before
	// the anchor says nothing: then another counter made it.
	anchorSpread = 1.5
)

// learner is a meter that compares its counts with bills.
type learner interface {
	Observe(conversation string, sent plimsoll.Conversation, u plimsoll.Usage)
}

// anchorOf makes the anchor of a request that was sent by a plan, by the best count and
// without what an earlier bill changed of it. The plan has these weights, unless it counts
// by an estimate or as the server does.
func (k *Keeper) anchorOf(t *Task, p *plimsoll.Plan, billed int) *anchor {
	whole, sent := p.Before.Total-p.Before.Hidden, p.After.Total-p.After.Hidden
	if t.Count != nil || k.options.Best != nil && p.Line.Estimated {
		best := k.best()
		whole, sent = best.Weigh(t.Conversation).Total, best.Weigh(p.Conversation()).Total
	}
	return &anchor{Version: anchorVersion, Messages: t.Conversation.Messages.Len(), Whole: whole, Sent: sent, Billed: billed}
}

// hidden returns what the bill had beyond the weight of the request, and that weight. The
// load is of a conversation that begins with the same messages. Its meter may have another
// vocabulary than the one that was used for the bill, so the request is weighed by that load.
func (a *anchor) hidden(load plimsoll.Load) (hidden, sent int) {
	if a == nil || a.Messages > len(load.Messages) || a.Whole <= 0 {
		return 0, 0
	}
	whole := load.Total
	for _, m := range load.Messages[a.Messages:] {
		whole -= m.Tokens
	}
	moved := float64(whole) / float64(a.Whole)
	if moved > anchorSpread || moved < 1/anchorSpread {
		return 0, 0
	}
	sent = int(math.Round(float64(a.Sent) * moved))
	return a.Billed - sent, sent
}

// corrected is a meter that knows the last bill of one conversation, or what the server
// counts for it.
type corrected struct {
	plimsoll.Meter
	// times is how many tokens the server counts for one of the meter. It is 1 if there is
	// only a bill: what a bill has beyond the weight may be a hidden prompt.
	times float64
	// billed is the prompt on the bill or of the count, sent its weight, and hidden the
	// difference.
	billed, hidden, sent int
}

func (m corrected) scale(n int) int { return int(math.Round(m.times * float64(n))) }

func (m corrected) message(l plimsoll.MessageLoad) plimsoll.MessageLoad {
	if m.times == 1 {
		return l
	}
	is := plimsoll.MessageLoad{Framing: m.scale(l.Framing), Band: m.scale(l.Band), Parts: make([]int, len(l.Parts))}
	is.Tokens = is.Framing
	for i, n := range l.Parts {
		is.Parts[i] = m.scale(n)
		is.Tokens += is.Parts[i]
	}
	return is
}

// Weigh returns the load, corrected by the bill or the count.
func (m corrected) Weigh(c plimsoll.Conversation) plimsoll.Load { return m.correct(m.Meter.Weigh(c)) }

// correct scales a load, and adds the hidden tokens as framing. Hidden prompts stay when
// messages go. A count that is too heavy is so because of the messages, so that correction
// shrinks with them.
func (m corrected) correct(load plimsoll.Load) plimsoll.Load {
	if m.times != 1 {
		is := plimsoll.Load{
			System: m.scale(load.System), Tools: m.scale(load.Tools), Framing: m.scale(load.Framing), Band: m.scale(load.Band),
			Messages: make([]plimsoll.MessageLoad, len(load.Messages)),
		}
		is.Total = is.System + is.Tools + is.Framing
		for i := range load.Messages {
			is.Messages[i] = m.message(load.Messages[i])
			is.Total += is.Messages[i].Tokens
		}
		load = is
	}
	hidden := m.hidden
	if hidden < 0 && load.Total < m.sent {
		hidden = int(math.Round(float64(hidden) * float64(load.Total) / float64(m.sent)))
	}
	off := float64(load.Band) / float64(max(1, load.Total))
	load.Hidden, load.Framing = hidden, load.Framing+hidden
	load.Total += hidden
	load.Exact = load.Exact && hidden == 0
	if !load.Exact {
		load.Band = max(1, int(math.Ceil(off*math.Abs(float64(load.Total-m.billed)))))
	}
	return load
}

// WeighMessage implements [plimsoll.Meter].
func (m corrected) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	return m.message(m.Meter.WeighMessage(c, message, siblings))
}

// WeighSystem implements [plimsoll.Meter].
func (m corrected) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	return m.scale(m.Meter.WeighSystem(c, p))
}

// WeighTool implements [plimsoll.Meter].
func (m corrected) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	return m.scale(m.Meter.WeighTool(c, t))
}

// anchor returns the load of the task's conversation, by the best count or by the preset's,
// and the meter that made it. Only the best count is anchored.
func (k *Keeper) anchor(ctx context.Context, t *Task, best bool) (plimsoll.Load, plimsoll.Meter) {
	meter := k.options.Meter
	if best {
		meter = k.options.Best
	}
	load := meter.Weigh(t.Conversation)
	if !k.options.Anchored || !best && k.options.Best != nil {
		return load, meter
	}
	a := t.counted
	if a == nil {
		a = k.lastBill(ctx, t)
	}
	hidden, sent := a.hidden(load)
	if sent == 0 {
		return load, meter
	}
	m := corrected{meter, 1, a.Billed, hidden, sent}
	if t.counted != nil && hidden > 0 { // what a server counts has no hidden prompt
		m.times, m.hidden, m.sent = float64(a.Billed)/float64(sent), 0, a.Billed
	}
	return m.correct(load), m
}

// maxCounts is how often a request is cut by what the server counts.
const maxCounts = 3

// counting walks a task. If the server counts and our count leaves a doubt, it walks by what
// the server counts for the request, and again by what it counts for the plan.
func (k *Keeper) counting(ctx context.Context, t Task, walk func(context.Context, Task) (*plimsoll.Plan, error)) (*plimsoll.Plan, error) {
	k.complete(&t)
	if t.Count != nil {
		if n := k.countWhole(ctx, t); n > 0 {
			weight := k.best().Weigh(t.Conversation).Total
			t.counted = &anchor{Messages: t.Conversation.Messages.Len(), Whole: weight, Sent: weight, Billed: n}
		}
	}
	for n := 1; ; n++ {
		plan, err := walk(ctx, t)
		if err != nil || t.counted == nil || !plan.Changed() || n == maxCounts {
			return plan, err
		}
		tokens := t.Count(plan.Body)
		if tokens <= plan.Line.Limit() {
			return plan, nil
		}
		t.counted = k.anchorOf(&t, plan, tokens)
	}
}

// countWhole returns what the server counts for a request before any cut; 0 if it does not
// tell, or if our count is good enough: it says that the request fits easily, or it may be
// off by little.
func (k *Keeper) countWhole(ctx context.Context, t Task) int {
	line, err := k.lineOf(&t)
	load := k.Weigh(ctx, t)
	if err != nil || 2*(load.Total+load.Band) <= line.Limit() || 20*load.Band <= line.Limit() {
		return 0
	}
	body, err := t.Encode(plimsoll.NewDraft(t.Conversation, nil))
	if err != nil {
		return 0
	}
	return t.Count(body)
}

// lastBill returns the anchor of the longest prefix that was billed; nil if none was. It asks
// the memory only if another process may have seen a later bill than this keeper has: one of
// a request up to the last answer. With the bill comes what the policy knew there.
func (k *Keeper) lastBill(ctx context.Context, own *Task) *anchor {
	t := own.whateverLimit()
	last, _ := k.lastCall(t)
	known := 0
	if last.anchor != nil {
		known = last.anchor.Messages
	}
	memory := t.Memory
	if memory == nil || known >= t.lastRequest() {
		return last.anchor
	}
	keys := billKeys(t.chain()[known+1:])
	slices.Reverse(keys)
	d, err := memory.Recall(ctx, keys)
	if err != nil { // a memory that fails is reported when the decisions are recalled
		return last.anchor
	}
	var a anchor
	if json.Unmarshal(d.Body, &a) != nil || a.Version != anchorVersion {
		return last.anchor
	}
	if a.Policy != nil && a.Asked == own.Scope.asked() && a.Messages < len(own.chain()) {
		k.states.Put(scoped{own.scope(), own.chain()[a.Messages]}, *a.Policy)
	}
	return &a
}

// lastRequest returns how many messages the request had that the last answer is to; 0 if
// there is no answer.
func (t *Task) lastRequest() int {
	n := t.lastAnswer()
	for n > 1 && t.Conversation.Messages.At(n-1).Role == plimsoll.Assistant {
		n--
	}
	return n
}

// keepBill stores an anchor for other processes. It stores every one: from an older bill
// they would count another band.
func (k *Keeper) keepBill(ctx context.Context, t *Task, a *anchor) error {
	memory := t.Memory
	if memory == nil {
		return nil
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return memory.Remember(ctx, Decision{Key: billKeys(t.chain()[a.Messages:])[0], Body: body, Conversation: t.account()})
}

// billKeys are the keys of anchors, which are stored beside the decisions.
func billKeys(chain []plimsoll.Digest) []plimsoll.Digest {
	return forModel(chain, "\x00bill")
}
