package wire

import "github.com/plimsoll/plimsoll"

// Newest returns the newest turn and the newest round in it, which is the whole turn
// if there is none; see [plimsoll.Outline].
func (p *Pairing) Newest() (turn, round plimsoll.Span) {
	n, head := p.messages.Len(), p.head()
	if head == n {
		return turn, round
	}
	reach := p.reach()
	turn = plimsoll.Span{Start: n - 1, End: n}
	for turn.Start > head && (reach[turn.Start] >= int32(turn.Start) || !opensTurn(p.messages.At(turn.Start))) {
		turn.Start--
	}
	return turn, p.newestRound(turn, reach)
}

// head counts the leading instructions.
func (p *Pairing) head() int {
	for i, m := range p.messages.All() {
		if !m.Role.Instructs() || plimsoll.Has[plimsoll.ToolCall](m) || plimsoll.Has[plimsoll.ToolResult](m) {
			return i
		}
	}
	return p.messages.Len()
}

// reach returns, for each message i, the last message that answers a call made
// before i.
func (p *Pairing) reach() []int32 {
	reach := make([]int32, p.messages.Len()+1)
	for i := range reach {
		reach[i] = none
	}
	for pair := range p.Pairs() {
		after := pair.Call.Message + 1
		reach[after] = max(reach[after], int32(pair.Result.Message))
	}
	for i := 1; i < len(reach); i++ {
		reach[i] = max(reach[i], reach[i-1])
	}
	return reach
}

func opensTurn(m plimsoll.Message) bool {
	return m.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m) && !plimsoll.IsReceipt(m)
}

func (p *Pairing) newestRound(turn plimsoll.Span, reach []int32) plimsoll.Span {
	newest := turn
	found := false
	for i := turn.Start; i < turn.End; i++ {
		bound := reach[i] >= int32(i)
		switch {
		case p.messages.At(i).Role != plimsoll.Assistant:
			continue
		case !found && bound:
			newest.Start = p.firstCall(turn)
		case found && (bound || onlyReasoning(p.messages.At(i-1))):
			continue
		default:
			newest.Start = i
		}
		found = true
	}
	return newest
}

func (p *Pairing) firstCall(turn plimsoll.Span) int {
	for i := turn.Start; i < turn.End; i++ {
		if plimsoll.Has[plimsoll.ToolCall](p.messages.At(i)) {
			return i
		}
	}
	return turn.Start
}

func onlyReasoning(m plimsoll.Message) bool {
	n := m.Parts.Len()
	return m.Role == plimsoll.Assistant && n > 0 && plimsoll.CountOf[plimsoll.Reasoning](m) == n
}
