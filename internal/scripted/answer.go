package scripted

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// answer is a step with everything that an API says beside it.
type answer struct {
	call  *Call
	step  Step
	n     int
	usage plimsoll.Usage
	at    time.Time
}

// begin gives an answer its number.
func (m *Model) begin(c *Call) *answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	return &answer{call: c, n: m.made, at: m.options.Now()}
}

// newAnswer fills in what the step leaves open and bills it.
func (e *exchange) newAnswer(s Step) *answer {
	m, c := e.model, e.Call
	parts := []plimsoll.Part{}
	if s.Text != "" {
		parts = append(parts, plimsoll.Text{Text: s.Text})
	}
	a := m.begin(c)
	m.mu.Lock()
	read := m.cache.take(credential(e.r)+"\n"+c.Conversation.Model, c.Request, c.Load)
	m.mu.Unlock()
	calls := make([]plimsoll.ToolCall, len(s.Calls))
	for i, call := range s.Calls {
		if call.ID == "" {
			call.ID = fmt.Sprintf("%s%06d_%d", e.voice.callPrefix(), a.n, i)
		}
		if call.Arguments == "" {
			call.Arguments = "{}"
		}
		calls[i] = call
		parts = append(parts, call)
	}
	s.Calls = calls
	switch {
	case s.Stop != "":
	case len(calls) > 0:
		s.Stop = wire.StopTools
	default:
		s.Stop = wire.StopEnd
	}
	a.step = s
	a.usage = e.bill(read, plimsoll.NewMessage(plimsoll.Assistant, parts...))
	if c.Request.Dialect() == plimsoll.Responses {
		m.store(a)
	}
	return a
}

// bill returns the usage. Only Anthropic says what was written to the cache.
func (e *exchange) bill(read int, said plimsoll.Message) plimsoll.Usage {
	c := e.Call
	u := plimsoll.Usage{CacheRead: min(read, c.Load.Total)}
	u.Input = c.Load.Total - u.CacheRead
	if c.Request.Dialect() == plimsoll.Anthropic && c.Load.Total >= leastPrefix {
		u.CacheCreation, u.Input = u.Input, 0
	}
	if said.Parts.Len() > 0 {
		u.Output = e.model.options.Meter.WeighMessage(c.Conversation, said, 0).Tokens
	}
	return u
}

func (m *Model) number() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.calls - 1
}

// pieces cuts a text as a stream does: into some of about 24 characters.
func pieces(text string) []string {
	const size = 24
	var all []string
	from, n := 0, 0
	for i := range text {
		if n == size {
			all = append(all, text[from:i])
			from, n = i, 0
		}
		n++
	}
	if from < len(text) {
		all = append(all, text[from:])
	}
	return all
}
