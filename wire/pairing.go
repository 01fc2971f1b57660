package wire

import (
	"iter"

	"github.com/plimsoll/plimsoll"
)

// Pairing says which result answers which call. It finds what [plimsoll.Outline]
// has of pairs and of the newest turn, in a tenth of the memory: checks are made of
// bodies that nobody has looked at yet.
type Pairing struct {
	messages plimsoll.List[plimsoll.Message]
	calls    []madeCall
	results  []answer
	byID     chains
	byName   chains
}

type madeCall struct {
	message, part uint32
	answered      bool
}

// answer is a result and the index of the call that it answers, or none.
type answer struct {
	message, part uint32
	call          int32
}

// none ends a chain of calls.
const none = -1

// newPairing pairs calls and results. A result belongs to the newest message that
// has an open call of its id (or, without an id, of its name), and within that
// message to the first open one.
func newPairing(messages plimsoll.List[plimsoll.Message]) *Pairing {
	p := &Pairing{messages: messages}
	calls, results, nameless := p.count()
	if calls+results == 0 {
		return p
	}
	p.calls, p.results = make([]madeCall, 0, calls), make([]answer, 0, results)
	p.byID = p.newChains(calls, func(i int) string { return p.call(i).ID })
	if nameless {
		p.byName = p.newChains(calls, func(i int) string { return p.call(i).Name })
	}
	for i, m := range messages.All() {
		for j := range m.Parts.Len() {
			switch part := plimsoll.Peek(m, j).(type) {
			case plimsoll.ToolCall:
				p.make(i, j, part)
			case plimsoll.ToolResult:
				p.results = append(p.results, answer{uint32(i), uint32(j), p.take(part)})
			}
		}
	}
	return p
}

// count counts, and reports whether a result has no id.
func (p *Pairing) count() (calls, results int, nameless bool) {
	for _, m := range p.messages.All() {
		for j := range m.Parts.Len() {
			switch part := plimsoll.Peek(m, j).(type) {
			case plimsoll.ToolCall:
				calls++
			case plimsoll.ToolResult:
				results++
				nameless = nameless || part.CallID == ""
			}
		}
	}
	return calls, results, nameless
}

func (p *Pairing) make(i, j int, call plimsoll.ToolCall) {
	p.calls = append(p.calls, madeCall{message: uint32(i), part: uint32(j)})
	if call.ID != "" {
		p.byID.add(p.calls)
	}
	if p.byName.keys != nil {
		p.byName.add(p.calls)
	}
}

func (p *Pairing) take(result plimsoll.ToolResult) int32 {
	if result.CallID != "" {
		return p.byID.take(p.calls, result.CallID)
	}
	return p.byName.take(p.calls, result.Name)
}

// call returns what is known of call i without reading its arguments.
func (p *Pairing) call(i int) plimsoll.ToolCall {
	at := p.Call(i)
	return plimsoll.Peek(p.messages.At(at.Message), at.Part).(plimsoll.ToolCall)
}

// Calls returns how many calls there are.
func (p *Pairing) Calls() int { return len(p.calls) }

// Call says where call i stands.
func (p *Pairing) Call(i int) plimsoll.PartRef {
	return plimsoll.PartRef{Message: int(p.calls[i].message), Part: int(p.calls[i].part)}
}

func (a answer) ref() plimsoll.PartRef {
	return plimsoll.PartRef{Message: int(a.message), Part: int(a.part)}
}

// Pairs goes through the calls with their results, in the order of the results.
func (p *Pairing) Pairs() iter.Seq[plimsoll.Pair] {
	return func(yield func(plimsoll.Pair) bool) {
		for _, r := range p.results {
			if r.call != none && !yield(plimsoll.Pair{Call: p.Call(int(r.call)), Result: r.ref()}) {
				return
			}
		}
	}
}

// Orphans goes through the results without a call.
func (p *Pairing) Orphans() iter.Seq[plimsoll.PartRef] {
	return func(yield func(plimsoll.PartRef) bool) {
		for _, r := range p.results {
			if r.call == none && !yield(r.ref()) {
				return
			}
		}
	}
}

// Open goes through the calls without a result: those that may still get one, or
// those that cannot.
func (p *Pairing) Open(pending bool) iter.Seq[plimsoll.PartRef] {
	return func(yield func(plimsoll.PartRef) bool) {
		var last plimsoll.Span
		for i, c := range p.calls {
			if c.answered {
				continue
			}
			if last.End == 0 {
				_, last = p.Newest()
			}
			if at := p.Call(i); last.Contains(at.Message) == pending && !yield(at) {
				return
			}
		}
	}
}

// chains leads from an id or a name to the open calls that have it: first to those
// of the newest message, and within it to the first.
type chains struct {
	keys  *Keys
	links []chainLink
}

// chainLink belongs to a call. Of the first call with a word, head is the call that
// the chain begins with and last the last one of the same message.
type chainLink struct{ next, head, last int32 }

func (p *Pairing) newChains(n int, word func(i int) string) chains {
	return chains{NewKeys(n, word), make([]chainLink, n)}
}

// add puts the newest call into its chain.
func (c *chains) add(calls []madeCall) {
	i := int32(len(calls) - 1)
	first := c.keys.Put(int(i))
	chain := &c.links[first]
	switch {
	case first == int(i):
		*chain = chainLink{none, i, i}
	case chain.head != none && calls[chain.head].message == calls[i].message:
		c.links[i].next, c.links[chain.last].next = c.links[chain.last].next, i
		chain.last = i
	default:
		c.links[i].next = chain.head
		chain.head, chain.last = i, i
	}
}

// take finds the open call for a word and marks it answered.
func (c *chains) take(calls []madeCall, word string) int32 {
	first, ok := c.keys.Find(word)
	if !ok {
		return none
	}
	for chain := &c.links[first]; chain.head != none; {
		call := chain.head
		chain.head = c.links[call].next
		if !calls[call].answered {
			calls[call].answered = true
			return call
		}
	}
	return none
}
