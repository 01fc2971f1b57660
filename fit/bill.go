package fit

import (
	"context"
	"hash/maphash"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
)

// bill is an answered request with what is needed to say what it would have cost
// without cuts.
type bill struct {
	usage plimsoll.Usage
	// uncut is the prompt that would have been sent, in tokens as billed.
	uncut int
	// broken says that what was sent does not begin with what was sent before, byCut that
	// a cut is why; then before is the prompt of that request without cuts, and warm
	// says whether a prompt cache would still have had it.
	broken, byCut, warm bool
	before              int
	// covered is how many of the tokens that were cut stand in front of the end of
	// what was read from the cache: those would have been read, too.
	covered int
}

// without returns what would have been billed without cuts. What is not read from the
// cache is written to it or not as it was.
func (b bill) without() plimsoll.Usage {
	read := b.usage.CacheRead + b.covered
	if b.byCut && b.warm {
		read = b.before
	}
	u := b.usage
	u.CacheRead = min(b.uncut, max(0, read))
	rest := b.uncut - u.CacheRead
	if u.CacheCreation == 0 {
		u.Input = rest
		return u
	}
	u.Input = min(u.Input, rest)
	u.CacheCreation = rest - u.Input
	return u
}

// rewritten is what was not read only because a cut changed what stands before it.
func (b bill) rewritten() int {
	if !b.byCut || !b.warm {
		return 0
	}
	u := b.without()
	return max(0, (b.usage.Prompt()-b.usage.CacheRead)-(u.Prompt()-u.CacheRead))
}

// observed is what is known of a bill beside its figures: when it came, that the
// conversation had begun before, and that the count of the conversation may follow it.
type observed struct {
	now             time.Time
	started, learns bool
}

// bill compares a request with the one before it and remembers it for the next.
func (k *Keeper) bill(ctx context.Context, own *Task, p *plimsoll.Plan, u plimsoll.Usage, o observed) (bill, error) {
	t := own.whateverLimit()
	// What was cut is taken to be billed as what was sent: by its weight without any anchor.
	a := k.anchorOf(t, p, u.Prompt())
	if memo, ok := k.states.Get(scoped{own.scope(), own.chain()[a.Messages]}); ok {
		a.Policy, a.Asked = &memo, own.Scope.asked()
	}
	cut := float64(max(1, u.Prompt())) / float64(max(1, a.Sent)) * float64(a.Whole-a.Sent)
	b := bill{usage: u, uncut: max(0, u.Prompt()+int(math.Round(cut)))}
	hidden := p.After.Hidden
	scale := float64(max(1, u.Prompt())) / float64(max(1, p.After.Total-hidden))
	billed := func(tokens int) int { return int(math.Round(scale * float64(tokens))) }
	b.covered = billed(savedBefore(p, hidden+int(float64(u.CacheRead)/scale)))
	links := k.books.sentChain(t, p.Draft)
	is := lastCall{sent: links[len(links)-1], messages: len(links) - 1, uncut: b.uncut, at: o.now, cached: u.CacheRead+u.CacheCreation > 0}
	last, known := k.lastCall(t)
	switch {
	case known:
		is.cached = is.cached || last.cached
		b.broken = last.messages >= len(links) || links[last.messages] != last.sent
		b.byCut, b.before = b.broken, last.uncut
		b.warm = is.cached && o.now.Sub(last.at) <= k.life(t.Conversation.Model)
	case o.started:
		b.broken = true // by the client, with or without us
	default:
		// Another process may have sent what came before. If so, that ended in front
		// of the last answer.
		answer := t.lastAnswer()
		b.byCut, b.before, b.warm = firstFresh(p) < answer, billed(loadBefore(p, answer)-hidden), u.CacheRead > 0
	}
	var err error
	is.anchor = last.anchor
	if o.learns {
		is.anchor = a
		err = k.keepBill(ctx, t, a)
	}
	k.books.calls.Put(scoped{t.scope(), t.chain()[t.Conversation.Messages.Len()]}, is)
	return b, err
}

// lastCall returns the longest request that this one goes on from.
func (k *Keeper) lastCall(t *Task) (lastCall, bool) {
	t = t.whateverLimit()
	chain := t.chain()
	for i := len(chain) - 1; i > 0; i-- {
		if is, ok := k.books.calls.Get(scoped{t.scope(), chain[i]}); ok {
			return is, true
		}
	}
	return lastCall{}, false
}

func (k *Keeper) life(model string) time.Duration {
	if k.options.CacheLife == nil {
		return defaultLife
	}
	return k.options.CacheLife(model)
}

// sentChain returns the identity of every prefix of what a draft sends. It is never stored,
// so a hash of this process will do.
func (b *books) sentChain(t *Task, d *plimsoll.Draft) []uint64 {
	chain := t.chain()
	var h maphash.Hash
	h.SetSeed(b.seed)
	maphash.WriteComparable(&h, chain[0])
	hashParts(&h, d.AddedSystem())
	for _, tool := range d.AddedTools().All() {
		maphash.WriteComparable(&h, tool)
	}
	links := append(make([]uint64, 0, len(chain)), h.Sum64())
	for p := range d.Placed() {
		if p.Edited {
			maphash.WriteComparable(&h, p.Message.Role)
			hashParts(&h, p.Message.Parts)
		} else { // the codec's identity: a client may send the message again with other cache marks
			maphash.WriteComparable(&h, chain[p.Original+1])
		}
		links = append(links, h.Sum64())
	}
	return links
}

// hashParts adds what parts say to a hash.
func hashParts(h *maphash.Hash, parts plimsoll.List[plimsoll.Part]) {
	for _, p := range parts.All() {
		if r, ok := p.(plimsoll.ToolResult); ok {
			maphash.WriteComparable(h, r.CallID)
			hashParts(h, r.Content)
			continue
		}
		maphash.WriteComparable(h, p)
	}
}

// lastAnswer returns the last message of the assistant that something follows, or 0.
func (t *Task) lastAnswer() int {
	for i := t.Conversation.Messages.Len() - 2; i > 0; i-- {
		if t.Conversation.Messages.At(i).Role == plimsoll.Assistant {
			return i
		}
	}
	return 0
}

// fresh returns how many edits were not made for an earlier request.
func fresh(p *plimsoll.Plan) int {
	n := 0
	for _, e := range p.Edits[replayedEdits(p):] {
		if e.Kind != plimsoll.EditTool && e.Rung != recollectName { // tools that are offered from the first request on are no cut
			n++
		}
	}
	return n
}

// firstFresh returns the first message that an edit touches which was not made for an
// earlier request.
func firstFresh(p *plimsoll.Plan) int {
	first := math.MaxInt
	if fresh(p) == 0 {
		return first
	}
	for _, e := range p.Edits[replayedEdits(p):] {
		if e.Rung != recollectName {
			first = min(first, max(0, e.Message))
		}
	}
	return first
}

// loadBefore returns what the original weighs up to message n.
func loadBefore(p *plimsoll.Plan, n int) int {
	load := p.Before.System + p.Before.Tools + p.Before.Framing
	for _, m := range p.Before.Messages[:min(n, len(p.Before.Messages))] {
		load += m.Tokens
	}
	return load
}

// savedBefore returns what was cut in the first so many tokens of what was sent.
func savedBefore(p *plimsoll.Plan, tokens int) int {
	end := 0 // messages of the original in front of the end
	sum, next := p.After.System+p.After.Tools+p.After.Framing, 0
	for placed := range p.Draft.Placed() {
		if sum >= tokens {
			break
		}
		end = max(end, placed.Original+1)
		sum += p.After.Messages[next].Tokens
		next++
	}
	if next == len(p.After.Messages) {
		end = math.MaxInt
	}
	covered, all := 0, 0
	for _, e := range p.Edits {
		all += e.Saved
		if max(0, e.Message) < end {
			covered += e.Saved
		}
	}
	if all == 0 {
		return 0
	}
	// The whole may weigh something else than its parts.
	return int(math.Round(float64(covered) / float64(all) * float64(p.Before.Total-p.After.Total)))
}

const (
	// leastShare is the share of its weight that a text is billed for at least: some
	// vocabularies need fewer tokens for a language than ours.
	leastShare = 0.55
	// billSlack is how far two bills of the same messages may be apart.
	billSlack = 16
)

// truncated returns the least that a server bills for the prompt of a plan if it counts all
// of it; 0 if the bill is no less. Then the server has dropped a part, as Ollama does, or
// left out what it had cached, as Ollama did. There are two signs: the texts weigh far
// more, or a shorter request, with which this one begins, was billed nearly as much.
func (k *Keeper) truncated(t *Task, p *plimsoll.Plan, billed int) int {
	sent := p.Conversation()
	all, thinks := textWeight(sent.Messages, p.After, 0)
	if least := int(leastShare * float64(all)); billed < least {
		return least
	}
	last, known := k.lastCall(t)
	if !known || last.anchor == nil || thinks || last.messages >= sent.Messages.Len() {
		return 0
	}
	grown, _ := textWeight(sent.Messages, p.After, last.messages)
	least := last.anchor.Billed + int(leastShare*float64(grown)) - billSlack
	if billed >= least {
		return 0
	}
	if links := k.books.sentChain(t.whateverLimit(), p.Draft); links[last.messages] != last.sent {
		return 0 // it was cut in between
	}
	return least
}

// textWeight returns the weight of the texts and results in messages from one on, and whether
// there is thinking among them. Templates drop that, and calls and declarations, too.
func textWeight(messages plimsoll.List[plimsoll.Message], load plimsoll.Load, from int) (weight int, thinks bool) {
	for i, m := range messages.All() {
		for j, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Reasoning:
				thinks = true
			case plimsoll.Text:
				if strings.Contains(p.Text, "</think>") {
					thinks = true
				} else if i >= from {
					weight += load.Messages[i].Parts[j]
				}
			case plimsoll.ToolResult:
				if i >= from {
					weight += load.Messages[i].Parts[j]
				}
			}
		}
	}
	return weight, thinks
}
