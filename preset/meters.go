package preset

import (
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// multichatCounter is OpenAI's vocabulary for its own models and the estimate with
// a margin for all others.
func multichatCounter(name string) plimsoll.Counter {
	if _, ok := model.EncodingFor(name); ok {
		return token.Tiktoken(name)
	}
	return estimate(token.Multichat)(name)
}

// estimate counts for every model by one of the estimators.
func estimate(name string) func(string) plimsoll.Counter {
	c, err := token.Named(name)
	if err != nil {
		panic("preset: " + err.Error())
	}
	return func(string) plimsoll.Counter { return c }
}

// meters has a meter for each counter that the models of the conversations ask for.
// There are only as many as there are counters.
type meters struct {
	framing token.Framing
	counter func(model string) plimsoll.Counter
	mu      sync.Mutex
	made    map[counterID]*token.Meter
}

type counterID struct{ encoding, strategy string }

func newMeters(f token.Framing, counter func(string) plimsoll.Counter) *meters {
	return &meters{framing: f, counter: counter, made: map[counterID]*token.Meter{}}
}

var _ plimsoll.Meter = (*meters)(nil)

func (m *meters) of(c plimsoll.Conversation) *token.Meter {
	counter := m.counter(c.Model)
	id := counterID{counter.Info().Encoding, counter.Info().Strategy}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[id] == nil {
		m.made[id] = token.NewMeter(&token.MeterOptions{Counter: counter, Framing: &m.framing})
	}
	return m.made[id]
}

func (m *meters) Weigh(c plimsoll.Conversation) plimsoll.Load { return m.of(c).Weigh(c) }

func (m *meters) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	return m.of(c).WeighMessage(c, message, siblings)
}

func (m *meters) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	return m.of(c).WeighSystem(c, p)
}

func (m *meters) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	return m.of(c).WeighTool(c, t)
}
