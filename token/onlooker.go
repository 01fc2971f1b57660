package token

import (
	"sync"

	"github.com/plimsoll/plimsoll"
)

// onlooker is shown what is read of a conversation, from where the newer ones of the
// messages that are weighed weigh so much; and calls as soon as all of those are likely to
// weigh half as much again, because the newest calls tell which of the older results are
// still true. A nil onlooker wants nothing.
type onlooker struct {
	beyond int
	show   func(plimsoll.PartRef, plimsoll.Part, []plimsoll.Part)

	mu sync.Mutex
	// tokens is what so many messages weigh that have been weighed.
	tokens, messages int
}

// wanted is what an onlooker wants to see of a message.
type wanted int

const (
	nothing wanted = iota
	calls
	everything
)

// wants returns what is wanted of the next messages, of so many in all.
func (o *onlooker) wants(all int) wanted {
	if o == nil {
		return nothing
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.tokens > o.beyond:
		return everything
	case o.messages > 0 && o.tokens*all/o.messages > o.beyond*3/2:
		return calls
	}
	return nothing
}

// weighed tells what the next messages weigh.
func (o *onlooker) weighed(weights []weight) {
	if o == nil {
		return
	}
	tokens := 0
	for _, w := range weights {
		tokens += w.tokens()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tokens += tokens
	o.messages += len(weights)
}

// at returns how to show the parts of a message, nil if none are wanted.
func (o *onlooker) at(message int, want wanted) show {
	if want == nothing {
		return nil
	}
	return func(part int, p plimsoll.Part, content []plimsoll.Part) {
		if _, isCall := p.(plimsoll.ToolCall); isCall || want == everything {
			o.show(plimsoll.PartRef{Message: message, Part: part}, p, content)
		}
	}
}
