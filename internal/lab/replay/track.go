package replay

import (
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/token"
)

// track is a session made ready to be played: weighed, with its identifiers, cut into
// calls.
type track struct {
	id           string
	conversation plimsoll.Conversation // without messages
	items        []item
	calls        []recordedCall
	names        *names
	words        map[string]atom // content words, numbered apart
	meter        plimsoll.Meter
	// base is what system and tools weigh, baseFrom how that is known.
	base     int
	baseFrom string
	// raw is what the whole history weighs, base included.
	raw    int
	window int
	prices rent.Prices
}

// item is a message of a history.
type item struct {
	message plimsoll.Message
	tokens  int
	// atoms of each part, content words of all.
	atoms [][]atom
	words []atom
	// result says that it carries the result of a tool.
	result bool
}

// recordedCall is one request, and what was answered.
type recordedCall struct {
	// at is where the answer stands, end where what comes after it does.
	at, end int
	time    time.Time
	// need are the identifiers in the calls of tools of the answer that stand
	// somewhere before it.
	need   []atom
	output int
}

// The bounds of what a first bill may say that system and tools weigh: a session that
// goes on with another has a first bill of that one's history.
const (
	leastBase = 1000
	mostBase  = 60_000
	// What is assumed where there is no bill: for an agent, and for other programs.
	agentBase = 18_000
	otherBase = 3500
)

// newTrack makes a session ready.
func newTrack(s *Session, meter *token.Meter) *track {
	t := &track{
		id: s.ID, names: newNames(), words: map[string]atom{}, meter: meter,
		conversation: plimsoll.Conversation{Dialect: s.Dialect, Model: s.Model, System: s.System, Tools: s.Tools},
	}
	var history []Entry
	for _, e := range s.Entries {
		if !e.Summary {
			history = append(history, e)
		}
	}
	messages := make([]plimsoll.Message, len(history))
	for i, e := range history {
		messages[i] = e.Message
	}
	load := meter.Weigh(t.with(messages))
	for i, m := range messages {
		t.items = append(t.items, t.item(m, load.Messages[i].Tokens))
		t.raw += load.Messages[i].Tokens
	}
	t.split(history, s.Unanswered)
	t.measureBase(s, load)
	t.raw += t.base
	return t
}

// with returns the conversation with messages.
func (t *track) with(messages []plimsoll.Message) plimsoll.Conversation {
	c := t.conversation
	c.Messages = plimsoll.ListOf(messages...)
	return c
}

func (t *track) item(m plimsoll.Message, tokens int) item {
	it := item{message: m, tokens: tokens, atoms: make([][]atom, m.Parts.Len()), words: t.wordsOf(m)}
	for i, p := range m.Parts.All() {
		it.atoms[i] = t.names.in(textOf(p))
		if _, ok := p.(plimsoll.ToolResult); ok {
			it.result = true
		}
	}
	return it
}

// textOf returns what a part says, thinking excepted.
func textOf(p plimsoll.Part) string {
	switch p := p.(type) {
	case plimsoll.Text:
		return p.Text
	case plimsoll.ToolCall:
		return p.Name + " " + p.Arguments
	case plimsoll.ToolResult:
		return plimsoll.TextOf(p.Content)
	}
	return ""
}

// split finds the calls. In the Responses API an answer is several items.
func (t *track) split(history []Entry, unanswered bool) {
	seen := map[atom]bool{}
	for i := 0; i < len(t.items); i++ {
		if t.items[i].message.Role == plimsoll.Assistant {
			c := recordedCall{at: i, end: i + 1, time: history[i].Time}
			for t.conversation.Dialect == plimsoll.Responses && c.end < len(t.items) && t.items[c.end].message.Role == plimsoll.Assistant {
				c.end++
			}
			for j := c.at; j < c.end; j++ {
				c.output += t.items[j].tokens
				c.need = append(c.need, t.needs(j, seen)...)
			}
			if c.at > 0 {
				t.calls = append(t.calls, c)
			}
			i = c.end - 1
		}
		for j := range t.items[i].atoms {
			for _, a := range t.items[i].atoms[j] {
				seen[a] = true
			}
		}
	}
	if n := len(t.items); unanswered && n > 0 {
		t.calls = append(t.calls, recordedCall{at: n, end: n, time: history[n-1].Time})
	}
}

// needs returns the known identifiers in the calls of tools of one message.
func (t *track) needs(i int, seen map[atom]bool) []atom {
	var need []atom
	taken := map[atom]bool{}
	for j, p := range t.items[i].message.Parts.All() {
		if _, ok := p.(plimsoll.ToolCall); !ok {
			continue
		}
		for _, a := range t.items[i].atoms[j] {
			if seen[a] && !taken[a] {
				taken[a] = true
				need = append(need, a)
			}
		}
	}
	return need
}

// measureBase finds what system and tools weigh that do not stand in the record.
func (t *track) measureBase(s *Session, load plimsoll.Load) {
	hidden := 0
	switch billed, before, ok := t.firstBill(s); {
	case s.Complete || load.System+load.Tools > 0:
		t.baseFrom = "recorded"
	case ok:
		hidden, t.baseFrom = min(mostBase, max(leastBase, billed-before)), "first bill"
	case s.Dialect == plimsoll.Anthropic || s.Dialect == plimsoll.Responses:
		hidden, t.baseFrom = agentBase, "assumed"
	default:
		hidden, t.baseFrom = otherBase, "assumed"
	}
	if hidden > 0 {
		t.meter = &based{t.meter, hidden}
	}
	t.base = hidden + load.System + load.Tools + load.Framing
}

// firstBill returns what was billed for the first call that has a bill, and what the
// messages before it weigh. What was sent after a recorded summary is not known.
func (t *track) firstBill(s *Session) (billed, before int, ok bool) {
	for _, e := range s.Entries {
		if e.Summary {
			break
		}
		if billed := e.Bill.Prompt(); e.Message.Role == plimsoll.Assistant && billed > 0 {
			return billed, before, true
		}
		before += t.meter.WeighMessage(t.conversation, e.Message, 0).Tokens
	}
	return 0, 0, false
}

// based is a meter that knows what the system and the tools weigh that are not in the
// record.
type based struct {
	plimsoll.Meter
	base int
}

// Weigh adds the base.
func (b *based) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := b.Meter.Weigh(c)
	load.System += b.base
	load.Total += b.base
	return load
}
