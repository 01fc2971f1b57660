package token

import (
	"sync"

	"github.com/plimsoll/plimsoll"
)

// MeterOptions configure a meter. The zero value weighs every conversation by
// its own model and dialect.
type MeterOptions struct {
	// Options choose the counters.
	Options
	// Counter, if set, counts for every model. It may be shared.
	Counter plimsoll.Counter
	// Framing, if set, frames every dialect.
	Framing *Framing
	// Calibration corrects the counts by reported usage; nil means that they
	// are taken as they are. It may be shared.
	Calibration *Calibration
	// Remember is how many messages' weights are kept; 0 means 65,536.
	Remember int
}

// Meter weighs conversations. It remembers what it has weighed, so that a
// conversation that grew by a message costs that message's bytes and a hash of
// the rest, and only a look-up where messages carry a digest. It is safe for
// concurrent use, and best shared by the whole program.
type Meter struct {
	options MeterOptions
	memo    *memo
	scales  sync.Map // scaleID to *scale
	mu      sync.Mutex
	made    uint64
}

type scaleID struct {
	dialect plimsoll.Dialect
	model   string
}

var _ plimsoll.Meter = (*Meter)(nil)

// NewMeter returns a meter; nil options mean the defaults.
func NewMeter(o *MeterOptions) *Meter {
	m := &Meter{}
	if o != nil {
		m.options = *o
	}
	if m.options.Remember == 0 {
		m.options.Remember = 1 << 16
	}
	m.memo = newMemo(m.options.Remember)
	return m
}

// Counter returns the counter that the meter uses for a model. The error is that
// of a vocabulary file that cannot be read; the counter is then an estimate.
func (m *Meter) Counter(name string) (plimsoll.Counter, error) {
	if m.options.Counter != nil {
		return m.options.Counter, nil
	}
	c, err := For(name, &m.options.Options)
	if err != nil {
		return scaled(name, unknownFamily), err
	}
	return c, nil
}

// Weigh returns the load of a conversation.
func (m *Meter) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load, _ := m.weigh(c, plimsoll.Load{}, "")
	return load
}

// Extend returns the load of a conversation whose first messages were weighed
// before, by this meter, with the given result. It looks only at what is new.
func (m *Meter) Extend(load plimsoll.Load, c plimsoll.Conversation) plimsoll.Load {
	load, _ = m.weigh(c, load, "")
	return load
}

// WeighMessage returns the load of one message.
func (m *Meter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	s := m.scale(c)
	w := m.raw(s, message, siblings)
	return m.factor(s).load(w, make([]int, 0, len(w.parts)))
}

// WeighSystem returns what one more part adds to the system instructions.
func (m *Meter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	s, guessed := m.scale(c), 0
	n := s.part(p, false, &guessed)
	if c.System.Len() == 0 {
		n += s.framing.System
	}
	return m.factor(s).apply(n)
}

// WeighTool returns what one more tool adds.
func (m *Meter) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	s := m.scale(c)
	n := s.tool(t)
	if c.Tools.Len() == 0 {
		n += s.framing.Tools
	}
	return m.factor(s).apply(n)
}

// weigh returns the load and what was weighed anew of it before any correction.
func (m *Meter) weigh(c plimsoll.Conversation, known plimsoll.Load, conversation string) (load plimsoll.Load, raw int) {
	s := m.scale(c)
	f := m.factor(s)
	guessed := 0
	system, tools := s.system(c.System, &guessed), s.tools(c.Tools)
	raw = system + tools + s.framing.Reply
	load = plimsoll.Load{
		System:  f.apply(system),
		Tools:   f.apply(tools),
		Framing: f.apply(s.framing.Reply),
		Messages: append(make([]plimsoll.MessageLoad, 0, c.Messages.Len()),
			known.Messages[:min(len(known.Messages), c.Messages.Len())]...),
	}
	guessed += load.Tools
	from := len(load.Messages)
	siblings := siblingsFrom(s, c, from)
	backing := make([]int, 0, partCount(c.Messages, from))
	for i := from; i < c.Messages.Len(); i++ {
		w := m.raw(s, c.Messages.At(i), siblings[i-from])
		ml := f.load(w, backing[len(backing):])
		backing = backing[:len(backing)+len(ml.Parts)]
		load.Messages = append(load.Messages, ml)
		guessed += w.guessed
		raw += w.tokens()
	}
	load.Total = load.System + load.Tools + load.Framing
	for _, ml := range load.Messages {
		load.Total += ml.Tokens
	}
	m.judge(s, f, conversation, guessed, &load)
	return load, raw
}

// judge adds what calibration knows of the conversation and says how far the
// total can be trusted.
func (m *Meter) judge(s *scale, f factor, conversation string, guessed int, load *plimsoll.Load) {
	info := s.counter.Info()
	load.Exact = info.Exact && guessed == 0
	if !load.Exact {
		load.Band = f.band(load.Total, guessed, info.Exact)
	}
	if m.options.Calibration == nil || conversation == "" {
		return
	}
	if a, ok := m.options.Calibration.anchor(conversation); ok {
		hidden := a.hidden
		load.Framing += hidden
		load.Total = max(0, load.Total+hidden)
		load.Band = f.band(abs(load.Total-a.actual), 0, info.Exact)
		load.Exact = load.Exact && hidden == 0
	}
}

func (m *Meter) raw(s *scale, message plimsoll.Message, siblings int) weight {
	inList := siblings > 1 && s.framing.Style == StyleOpenAI
	if !inList {
		siblings = 0
	}
	return m.memo.get(messageKey(s.key, message, inList), func() weight { return s.message(message, siblings) })
}

func (m *Meter) scale(c plimsoll.Conversation) *scale {
	id := scaleID{c.Dialect, c.Model}
	if s, ok := m.scales.Load(id); ok {
		return s.(*scale)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.scales.Load(id); ok {
		return s.(*scale)
	}
	m.made++
	s := m.newScale(id, m.made)
	m.scales.Store(id, s)
	return s
}

func (m *Meter) newScale(id scaleID, key uint64) *scale {
	counter, _ := m.Counter(id.model) // a broken file is reported by Counter; weighing goes on with an estimate
	registry := m.options.registry()
	name := registry.Resolve(id.model)
	known, _, err := registry.Lookup(id.model)
	if err != nil {
		known.Tokenizer.Name = ""
	}
	s := &scale{
		counter: counter,
		framing: FramingFor(id.dialect),
		vision:  visionFor(id.dialect, name, known.Tokenizer.Name),
		model:   name,
		key:     key,
	}
	if m.options.Framing != nil {
		s.framing = *m.options.Framing
	}
	return s
}

// siblingsFrom says with how many others the calls were made that the messages
// from index from on answer; zeros where the framing does not ask.
func siblingsFrom(s *scale, c plimsoll.Conversation, from int) []int {
	if s.framing.Style != StyleOpenAI {
		return make([]int, c.Messages.Len()-from)
	}
	return c.SiblingsFrom(from)
}

func partCount(messages plimsoll.List[plimsoll.Message], from int) int {
	n := 0
	for i := from; i < messages.Len(); i++ {
		n += messages.At(i).Parts.Len()
	}
	return n
}

func abs(n int) int { return max(n, -n) }
