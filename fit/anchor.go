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
// without what an earlier bill changed of it.
func (k *Keeper) anchorOf(t *Task, p *plimsoll.Plan, u plimsoll.Usage) *anchor {
	best := k.best()
	return &anchor{
		Version: anchorVersion, Messages: t.Conversation.Messages.Len(),
		Whole: best.Weigh(t.Conversation).Total, Sent: best.Weigh(p.Conversation()).Total, Billed: u.Prompt(),
	}
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

// anchored is a meter that knows the last bill of one conversation. It shows what the bill
// had beyond the weight as framing.
type anchored struct {
	plimsoll.Meter
	billed, hidden, sent int
}

// Weigh returns the load, corrected by the bill.
func (m anchored) Weigh(c plimsoll.Conversation) plimsoll.Load { return m.correct(m.Meter.Weigh(c)) }

// correct adds the hidden tokens. Hidden prompts stay when messages go. A count that is too
// heavy is so because of the messages, so that correction shrinks with them.
func (m anchored) correct(load plimsoll.Load) plimsoll.Load {
	if m.sent == 0 {
		return load
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

// proportional is a meter for a server that counts so many times as much. What a server counts
// has no hidden prompt, other than a bill, so all messages weigh more.
type proportional struct {
	plimsoll.Meter
	times float64
}

func (m proportional) scale(n int) int { return int(math.Round(m.times * float64(n))) }

func (m proportional) message(l plimsoll.MessageLoad) plimsoll.MessageLoad {
	is := plimsoll.MessageLoad{Framing: m.scale(l.Framing), Band: m.scale(l.Band), Parts: make([]int, len(l.Parts))}
	is.Tokens = is.Framing
	for i, n := range l.Parts {
		is.Parts[i] = m.scale(n)
		is.Tokens += is.Parts[i]
	}
	return is
}

// Weigh implements [plimsoll.Meter].
func (m proportional) Weigh(c plimsoll.Conversation) plimsoll.Load {
	l := m.Meter.Weigh(c)
	is := plimsoll.Load{
		System: m.scale(l.System), Tools: m.scale(l.Tools), Framing: m.scale(l.Framing), Band: m.scale(l.Band),
		Messages: make([]plimsoll.MessageLoad, len(l.Messages)),
	}
	is.Total = is.System + is.Tools + is.Framing
	for i := range l.Messages {
		is.Messages[i] = m.message(l.Messages[i])
		is.Total += is.Messages[i].Tokens
	}
	return is
}

// WeighMessage implements [plimsoll.Meter].
func (m proportional) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	return m.message(m.Meter.WeighMessage(c, message, siblings))
}

// WeighSystem implements [plimsoll.Meter].
func (m proportional) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	return m.scale(m.Meter.WeighSystem(c, p))
}

// WeighTool implements [plimsoll.Meter].
func (m proportional) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	return m.scale(m.Meter.WeighTool(c, t))
}

// anchor returns the load of the task's conversation, by the best count or by the preset's,
// and the meter that made it. Only the best count is anchored.
func (k *Keeper) anchor(ctx context.Context, t *Task, best bool) (plimsoll.Load, plimsoll.Meter) {
	k.named(t)
	meter := k.options.Meter
	if best {
		meter = k.options.Best
	}
	load := meter.Weigh(t.Conversation)
	if !k.options.Anchored || !best && k.options.Best != nil {
		return load, meter
	}
	var a *anchor
	switch {
	case t.Counted == 0:
		a = k.lastBill(ctx, t)
	case t.CountedOf != nil:
		a = k.anchorOf(t, t.CountedOf, plimsoll.Usage{Input: t.Counted})
	default:
		a = &anchor{Messages: len(load.Messages), Whole: load.Total, Sent: load.Total, Billed: t.Counted}
	}
	hidden, sent := a.hidden(load)
	if sent == 0 {
		return load, meter
	}
	if times := float64(a.Billed) / float64(sent); t.Counted > 0 && times > 1 {
		meter = proportional{meter, times}
		load, hidden, sent = meter.Weigh(t.Conversation), 0, a.Billed
	}
	m := anchored{meter, a.Billed, hidden, sent}
	return m.correct(load), m
}

// lastBill returns the anchor of the longest prefix that was billed; nil if none was. It asks
// the memory only if another process may have seen a later bill than this keeper has: one of
// a request up to the last answer.
func (k *Keeper) lastBill(ctx context.Context, t *Task) *anchor {
	t = t.whateverLimit()
	last, _ := k.lastCall(t)
	known := 0
	if last.anchor != nil {
		known = last.anchor.Messages
	}
	memory := k.memoryOf(t)
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
	memory := k.memoryOf(t)
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
