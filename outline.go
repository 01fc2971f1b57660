package plimsoll

import "sync"

// Span is a half-open range of message indices.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len returns the number of messages in the span.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether message i lies in the span.
func (s Span) Contains(i int) bool { return s.Start <= i && i < s.End }

// PartRef points at one part of one message.
type PartRef struct{ Message, Part int }

// Outline is the structure of a message list. The head and the turns cover all
// messages without gap or overlap, and no call stands in another round than its
// result. That holds for every list, legal or not.
type Outline struct {
	// Head counts the leading instructions (system and developer messages).
	Head int
	// Turns, oldest first.
	Turns []Turn
	// Pairs are the calls with their results, in the order of the results.
	Pairs []Pair
	// Orphans are results without a call.
	Orphans []PartRef
	// Pending are calls without a result in the last round: the program may
	// still be working on them.
	Pending []PartRef
	// Dead are calls without a result that can no longer get one.
	Dead []PartRef
	// Siblings says, for each message, how many calls were made together with
	// those it answers; 0 for a message that answers none.
	Siblings []int
}

// Pair is a tool call and its result.
type Pair struct{ Call, Result PartRef }

// Turn is a user message that carries no tool result, and everything up to the
// next one.
type Turn struct {
	Span
	// User is the message that opens the turn, or -1 for what stands before the
	// first one.
	User int
	// Rounds of the turn, oldest first. What stands before the first round (the
	// user message, notes) belongs to the turn but to no round.
	Rounds []Round
}

// Round is an assistant message with everything that answers it. Assistant
// messages that cannot stand without each other (parallel calls sent as several
// messages, reasoning sent before its call) share a round.
type Round struct{ Span }

// Outline finds the turns, rounds and pairs of the conversation. It takes time
// linear in the number of parts for the first call; later calls for the same list of
// messages return the same outline. Callers must not change it.
func (c Conversation) Outline() Outline {
	drawn := c.Messages.drawn
	if drawn == nil { // the zero list
		return Outline{}
	}
	drawn.once.Do(func() { drawn.outline = outlineOf(c.Messages.items) })
	return drawn.outline
}

// drawnOutline is the outline of a list of messages, drawn at the first call.
type drawnOutline struct {
	once    sync.Once
	outline Outline
}

func outlineOf(messages []Message) Outline {
	p := newPairing(messages)
	for i, m := range messages {
		for j, part := range m.Parts.items {
			p.visit(PartRef{i, j}, outlined(part))
		}
	}
	o := Outline{Pairs: p.pairs, Orphans: p.orphans}
	o.Head = headOf(messages)
	o.Turns = turnsOf(messages, o.Head, reachOf(p.pairs, len(messages)))
	o.Pending, o.Dead = p.unanswered(lastRound(o.Turns))
	o.Siblings = p.siblings(len(messages))
	return o
}

// headOf counts leading instructions. One that carries a call or a result is
// illegal and is left to the turns, where pairing keeps it whole.
func headOf(messages []Message) int {
	for i, m := range messages {
		if !m.Role.Instructs() || Has[ToolCall](m) || Has[ToolResult](m) {
			return i
		}
	}
	return len(messages)
}

// reachOf returns, for each message i, the last message that answers a call made
// before i. A border may stand before i only if reach[i] < i.
func reachOf(pairs []Pair, n int) []int {
	reach := make([]int, n+1)
	for i := range reach {
		reach[i] = -1
	}
	for _, p := range pairs {
		after := p.Call.Message + 1
		reach[after] = max(reach[after], p.Result.Message)
	}
	for i := 1; i <= n; i++ {
		reach[i] = max(reach[i], reach[i-1])
	}
	return reach
}

func turnsOf(messages []Message, head int, reach []int) []Turn {
	var turns []Turn
	for i := head; i < len(messages); i++ {
		opens := opensTurn(messages[i]) && reach[i] < i
		if !opens && i > head {
			continue
		}
		if len(turns) > 0 {
			turns[len(turns)-1].End = i
		}
		turn := Turn{Span: Span{i, len(messages)}, User: -1}
		if opens {
			turn.User = i
		}
		turns = append(turns, turn)
	}
	for i := range turns {
		turns[i].Rounds = roundsOf(messages, turns[i].Span, reach)
	}
	return turns
}

func opensTurn(m Message) bool { return m.Role == User && !Has[ToolResult](m) && !IsReceipt(m) }

func roundsOf(messages []Message, turn Span, reach []int) []Round {
	var rounds []Round
	for i := turn.Start; i < turn.End; i++ {
		if messages[i].Role != Assistant {
			continue
		}
		if len(rounds) > 0 {
			last := &rounds[len(rounds)-1]
			if reach[i] >= i || onlyReasoning(messages[i-1]) {
				continue
			}
			last.End = i
		} else if reach[i] >= i {
			// A call made before the first assistant message of the turn: the
			// border would part it from its result, so the round starts there.
			rounds = append(rounds, Round{Span{firstCall(messages, turn), turn.End}})
			continue
		}
		rounds = append(rounds, Round{Span{i, turn.End}})
	}
	return rounds
}

// firstCall returns the first message of the turn that makes a call.
func firstCall(messages []Message, turn Span) int {
	for i := turn.Start; i < turn.End; i++ {
		if Has[ToolCall](messages[i]) {
			return i
		}
	}
	return turn.Start
}

func onlyReasoning(m Message) bool {
	n := len(m.Parts.items)
	return m.Role == Assistant && n > 0 && CountOf[Reasoning](m) == n
}

func lastRound(turns []Turn) Span {
	if len(turns) == 0 {
		return Span{}
	}
	turn := turns[len(turns)-1]
	if len(turn.Rounds) == 0 {
		return turn.Span
	}
	return turn.Rounds[len(turn.Rounds)-1].Span
}

// pairing matches results to calls. A result belongs to the newest message that
// has an open call of its id (or, without an id, of its name), and within that
// message to the first open one. So a dead call with a reused id does not catch
// the result of a later one, and parallel calls without ids pair in order.
type pairing struct {
	calls  []openCall
	groups []callGroup
	// newest are the newest groups of each id and of each name. Names are not asked for
	// where all results have ids.
	newest  [2]map[string]int32
	named   bool
	pairs   []Pair
	orphans []PartRef
}

// A call is found by its id or by its name.
const (
	byID = iota
	byName
)

// none ends a list of calls or groups.
const none = -1

type openCall struct {
	at       PartRef
	answered bool
	// next is the next call of the same message with the same id or name.
	next [2]int32
}

// callGroup holds the calls of one message with one id or name, as a list.
type callGroup struct {
	message     int
	first, last int32
	// older is the group of an older message with the same id or name.
	older int32
}

func newPairing(messages []Message) *pairing {
	calls, results, named := 0, 0, false
	for _, m := range messages {
		for _, part := range m.Parts.items {
			switch part := outlined(part).(type) {
			case ToolCall:
				calls++
			case ToolResult:
				results++
				named = named || part.CallID == ""
			}
		}
	}
	p := &pairing{calls: make([]openCall, 0, calls), named: named, newest: [2]map[string]int32{byID: make(map[string]int32, calls), byName: {}}}
	groups := calls
	if named {
		groups *= 2
	}
	p.groups = make([]callGroup, 0, groups)
	if n := min(calls, results); n > 0 {
		p.pairs = make([]Pair, 0, n)
	}
	return p
}

func (p *pairing) visit(at PartRef, part Part) {
	switch part := part.(type) {
	case ToolCall:
		p.calls = append(p.calls, openCall{at: at, next: [2]int32{none, none}})
		if part.ID != "" {
			p.add(byID, part.ID)
		}
		if p.named {
			p.add(byName, part.Name)
		}
	case ToolResult:
		call, ok := p.take(byID, part.CallID)
		if part.CallID == "" {
			call, ok = p.take(byName, part.Name)
		}
		if !ok {
			p.orphans = append(p.orphans, at)
			return
		}
		p.pairs = append(p.pairs, Pair{p.calls[call].at, at})
	}
}

// add puts the newest call into its group.
func (p *pairing) add(kind int, key string) {
	call := int32(len(p.calls) - 1)
	message := p.calls[call].at.Message
	top, known := p.newest[kind][key]
	if known && p.groups[top].message == message {
		g := &p.groups[top]
		if g.first == none {
			g.first = call
		} else {
			p.calls[g.last].next[kind] = call
		}
		g.last = call
		return
	}
	if !known {
		top = none
	}
	p.newest[kind][key] = int32(len(p.groups))
	p.groups = append(p.groups, callGroup{message: message, first: call, last: call, older: top})
}

// take finds the open call for a key and marks it answered.
func (p *pairing) take(kind int, key string) (int32, bool) {
	newest, known := p.newest[kind][key]
	if !known {
		return 0, false
	}
	for top := newest; top != none; top = p.groups[top].older {
		g := &p.groups[top]
		for g.first != none {
			call := g.first
			g.first = p.calls[call].next[kind]
			if !p.calls[call].answered {
				p.calls[call].answered = true
				if top != newest {
					p.newest[kind][key] = top
				}
				return call, true
			}
		}
	}
	delete(p.newest[kind], key)
	return 0, false
}

func (p *pairing) unanswered(last Span) (pending, dead []PartRef) {
	for _, c := range p.calls {
		switch {
		case c.answered:
		case last.Contains(c.at.Message):
			pending = append(pending, c.at)
		default:
			dead = append(dead, c.at)
		}
	}
	return pending, dead
}

func (p *pairing) siblings(n int) []int {
	made := make([]int, n)
	for _, c := range p.calls {
		made[c.at.Message]++
	}
	siblings := make([]int, n)
	for _, pair := range p.pairs {
		at := pair.Result.Message
		siblings[at] = max(siblings[at], made[pair.Call.Message])
	}
	return siblings
}
