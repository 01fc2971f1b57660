package token

import (
	"cmp"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
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

// Meter weighs conversations. It remembers what each message weighs. A conversation
// that grew by one message costs the bytes of that message, and a hash and a lookup for
// each other message; a message with a digest needs no hash. A Meter is safe for
// concurrent use, and best shared by the whole program.
type Meter struct {
	options MeterOptions
	memo    *lru.Map[xxh3.Uint128, weight]
	scales  sync.Map // scaleID to *scale, by spelling and by resolved name
	mu      sync.Mutex
	kept    int
	made    uint64
}

const (
	// scaleLimit is how many spellings of models are kept; clients choose them.
	scaleLimit = 1024
	// nameLimit is how much of a model's name is looked at, in bytes; no model
	// is known by a longer one.
	nameLimit = 1024
)

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
	m.options.files = &vocabularies{}
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
	load, _ := m.weigh(c, "")
	return load
}

// WeighMessage returns the load of one message.
func (m *Meter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	s := m.scale(c)
	return m.factor(s).load(m.message(s, message, siblings))
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
	n := m.tools(s, plimsoll.ListOf(t)).framing
	if n > 0 {
		n -= s.framing.Tools // only the first tool brings it
	}
	if c.Tools.Len() == 0 {
		n += s.framing.Tools
	}
	return m.factor(s).apply(n)
}

// tally is what a load is judged by beside its own figures.
type tally struct {
	// raw is the whole load before any correction.
	raw int
	// guessed is the share of the total that comes from formulas, framed the
	// framing of the request and its messages if that is a guess.
	guessed, framed int
}

// weigh returns the load of a conversation. If the name of the conversation is not
// empty, the load is corrected by its last bill.
func (m *Meter) weigh(c plimsoll.Conversation, conversation string) (plimsoll.Load, tally) {
	s := m.scale(c)
	f := m.factor(s)
	system, tools := m.head(s, c)
	load := plimsoll.Load{
		System: f.apply(system.framing), Tools: f.apply(tools.framing), Framing: f.apply(s.framing.Reply),
		Messages: make([]plimsoll.MessageLoad, c.Messages.Len()),
	}
	load.Total = load.System + load.Tools + load.Framing
	sum := tally{
		raw:     system.framing + tools.framing + s.framing.Reply,
		guessed: f.apply(system.guessed) + f.apply(tools.guessed),
		framed:  load.Framing,
	}
	siblings := siblingsOf(c.Messages)
	for i, message := range c.Messages.All() {
		w := m.message(s, message, siblings[i])
		l := f.load(w)
		load.Messages[i] = l
		load.Total += l.Tokens
		sum.raw += w.tokens()
		sum.guessed += l.Guessed
		sum.framed += l.Framing
	}
	if !s.looseFrame {
		sum.framed = 0
	}
	m.judge(s, f, conversation, sum, &load)
	return load, sum
}

// siblingsOf returns, for each message with a result, how many calls were made together with the
// one that it answers. It pairs by id as [plimsoll.Outline] does, but needs no outline: it enters
// only parallel calls, and a single call that has the id of one that is still open.
func siblingsOf(messages plimsoll.List[plimsoll.Message]) []int {
	siblings := make([]int, messages.Len())
	open := map[string][]int{} // by call: how many its message makes, the newest last
	for i, m := range messages.All() {
		calls := plimsoll.CountOf[plimsoll.ToolCall](m)
		for j := range m.Parts.Len() {
			switch p := plimsoll.Peek(m, j).(type) {
			case plimsoll.ToolCall:
				if key := cmp.Or(p.ID, p.Name); calls > 1 || len(open[key]) > 0 {
					open[key] = append(open[key], calls)
				}
			case plimsoll.ToolResult:
				key := cmp.Or(p.CallID, p.Name)
				if last := len(open[key]) - 1; last >= 0 {
					siblings[i] = max(siblings[i], open[key][last])
					open[key] = open[key][:last]
				}
			}
		}
	}
	return siblings
}

// message returns the weight of a message, from the memo if it is there.
func (m *Meter) message(s *scale, message plimsoll.Message, siblings int) weight {
	inList := s.inList(siblings)
	return m.remembered(messageKey(s.key, message, inList), func() weight { return s.message(message, inList) })
}

// remembered returns the weight of a key from the memo, or else makes it and remembers it.
func (m *Meter) remembered(key xxh3.Uint128, weigh func() weight) weight {
	if w, ok := m.memo.Get(key); ok {
		return w
	}
	w := weigh()
	m.memo.Put(key, w)
	return w
}

// head weighs what stands before the messages.
func (m *Meter) head(s *scale, c plimsoll.Conversation) (system, tools weight) {
	system = m.remembered(systemKey(s.key, c.System), func() weight {
		w := weight{}
		w.framing = s.system(c.System, &w.guessed)
		return w
	})
	return system, m.tools(s, c.Tools)
}

func (m *Meter) tools(s *scale, tools plimsoll.List[plimsoll.Tool]) weight {
	return m.remembered(toolsKey(s.key, tools), func() weight {
		n := s.tools(tools)
		return weight{framing: n, guessed: n}
	})
}

// judge adds what calibration knows of the conversation and says how far the
// total can be trusted.
func (m *Meter) judge(s *scale, f factor, conversation string, sum tally, load *plimsoll.Load) {
	exact := s.counter.Info().Exact
	load.Exact = exact && !s.looseFrame && sum.guessed == 0
	load.Band = f.band(load.Total, sum, exact)
	if a, ok := m.anchor(conversation, s.model); ok {
		hidden := max(a.hidden, -load.Total)
		load.Framing += hidden
		load.Total += hidden
		load.Exact = load.Exact && hidden == 0
		load.Band = f.band(abs(load.Total-a.actual), sum.since(a.tally), exact)
	}
	if load.Exact {
		load.Band = 0
		return
	}
	load.Band = max(1, load.Band)
}

// since returns by how much the guesses differ from those of the last bill.
func (t tally) since(billed tally) tally {
	return tally{guessed: abs(t.guessed - billed.guessed), framed: abs(t.framed - billed.framed)}
}

func (m *Meter) anchor(conversation, model string) (anchor, bool) {
	if m.options.Calibration == nil || conversation == "" {
		return anchor{}, false
	}
	return m.options.Calibration.anchor(conversation, model)
}

func (m *Meter) scale(c plimsoll.Conversation) *scale {
	id := scaleID{c.Dialect, c.Model[:min(len(c.Model), nameLimit)]}
	if s, ok := m.scales.Load(id); ok {
		return s.(*scale)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.scales.Load(id); ok {
		return s.(*scale)
	}
	// What is kept must not be a view into a request.
	id = scaleID{plimsoll.Dialect(strings.Clone(string(id.dialect))), strings.Clone(id.model)}
	s := m.resolved(scaleID{id.dialect, m.options.registry().Resolve(id.model)})
	m.keep(id, s)
	return s
}

// resolved returns the one scale of all spellings of a model.
func (m *Meter) resolved(id scaleID) *scale {
	if s, ok := m.scales.Load(id); ok {
		return s.(*scale)
	}
	m.made++
	s := m.newScale(id, m.made)
	m.keep(id, s)
	return s
}

func (m *Meter) keep(id scaleID, s *scale) {
	if m.kept >= scaleLimit {
		m.scales.Clear()
		m.kept = 0
	}
	if _, known := m.scales.Swap(id, s); !known {
		m.kept++
	}
}

func (m *Meter) newScale(id scaleID, key uint64) *scale {
	counter, _ := m.Counter(id.model) // a broken file is reported by Counter; weighing goes on with an estimate
	registry := m.options.registry()
	known, _, err := registry.Lookup(id.model)
	if err != nil {
		known.Tokenizer.Name = ""
	}
	s := &scale{
		counter: counter,
		framing: framingFor(id.dialect),
		vision:  visionFor(id.dialect, id.model, known.Tokenizer.Name),
		thought: thoughtPercent(known.Tokenizer.Name, id.model),
		model:   id.model,
		key:     key,
	}
	if m.options.Framing != nil {
		s.framing = *m.options.Framing
	}
	s.looseFrame = looseFrame(counter.Info(), s.framing)
	return s
}

// looseFrame reports whether an exact counter stands in a framing that is a
// guess: only OpenAI's was read off bills, and only with OpenAI's vocabularies.
func looseFrame(info plimsoll.CounterInfo, f Framing) bool {
	billed := info.Strategy == plimsoll.StrategyTiktoken && f.Style == StyleOpenAI
	return info.Exact && !billed && f.Style != StyleTextOnly
}

func abs(n int) int { return max(n, -n) }
