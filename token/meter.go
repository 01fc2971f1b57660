package token

import (
	"cmp"
	"strings"

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
	// CounterFor, if set, chooses the counter of a model whose vocabulary is not in the
	// directory; nil means [For].
	CounterFor func(model string) plimsoll.Counter
	// Framing, if set, frames every dialect.
	Framing *Framing
	// Calibration compares the counts with reported usage; nil means that nothing
	// does. It never changes a count. It may be shared.
	Calibration *Calibration
}

// Meter weighs conversations. It remembers what each message weighs. A conversation
// that grew by one message costs the bytes of that message, and a hash and a lookup for
// each other message; a message with a digest needs no hash. A Meter is safe for
// concurrent use, and best shared by the whole program.
type Meter struct {
	options MeterOptions
	memo    *lru.Map[memoKey, plimsoll.MessageLoad]
	scales  *lru.Map[scaleID, *scale]
}

const (
	// scaleLimit is how many spellings of models are kept; clients choose them.
	scaleLimit = 1024
	// nameLimit is how much of a model's name is looked at, in bytes; no model
	// is known by a longer one.
	nameLimit = 1024
)

// scaleID is the dialect and the model of a request.
type scaleID struct {
	dialect plimsoll.Dialect
	model   string
}

var _ plimsoll.Meter = (*Meter)(nil)

// NewMeter returns a meter; nil options mean the defaults.
func NewMeter(o *MeterOptions) *Meter {
	m := &Meter{memo: newMemo(memoLimit), scales: lru.New[scaleID, *scale](scaleLimit, nil)}
	if o != nil {
		m.options = *o
	}
	m.options.files = &vocabularies{}
	return m
}

// Counter returns the counter that the meter uses for a model. The error is that
// of a vocabulary file that cannot be read; the counter is then an estimate.
func (m *Meter) Counter(name string) (plimsoll.Counter, error) {
	switch {
	case m.options.Counter != nil:
		return m.options.Counter, nil
	case m.options.CounterFor != nil && m.options.Tokenizers == "":
		return m.options.CounterFor(name), nil
	}
	c, err := For(name, &m.options.Options)
	if m.options.CounterFor != nil && (err != nil || c.Info().Strategy != StrategyVocabulary) {
		return m.options.CounterFor(name), err
	}
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
	past := s.frame.forgets && plimsoll.Has[plimsoll.Reasoning](message) && !isLive(c.Messages, message)
	of := s.contentOf(message, siblings, past)
	return m.message(s, message, of)
}

// WeighSystem returns what one more part adds to the system instructions.
func (m *Meter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	grown := c
	grown.System = plimsoll.ListOf(append(c.System.Slice(), p)...)
	s := m.scale(c)
	before, _, _ := m.head(s, c)
	after, _, _ := m.head(s, grown)
	return after.Tokens - before.Tokens
}

// WeighTool returns what one more tool adds.
func (m *Meter) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	grown := c
	grown.Tools = plimsoll.ListOf(append(c.Tools.Slice(), t)...)
	s := m.scale(c)
	_, before, once := m.head(s, c)
	_, after, onceMore := m.head(s, grown)
	return after.Tokens - before.Tokens + onceMore.Tokens - once.Tokens
}

// tally is what a load is judged by beside its own figures.
type tally struct {
	// formulas is how far formulas may be off, framed the framing of the messages if that is
	// a guess.
	formulas, framed int
}

// weigh returns the load of a conversation. If the name of the conversation is not
// empty, the load is corrected by its last bill.
func (m *Meter) weigh(c plimsoll.Conversation, conversation string) (plimsoll.Load, tally) {
	s := m.scale(c)
	system, tools, once := m.head(s, c)
	load := plimsoll.Load{
		System: system.Tokens, Tools: tools.Tokens, Framing: once.Tokens,
		Messages: make([]plimsoll.MessageLoad, c.Messages.Len()),
	}
	load.Total = load.System + load.Tools + load.Framing
	sum := tally{formulas: system.Band + tools.Band + once.Band}
	siblings, past := siblingsOf(c.Messages), lastAsked(c.Messages)
	for i, message := range c.Messages.All() {
		l := m.message(s, message, s.contentOf(message, siblings[i], i < past))
		load.Messages[i] = l
		load.Total += l.Tokens
		sum.formulas += l.Band
		sum.framed += l.Framing
	}
	if !s.looseFrame {
		sum.framed = 0
	}
	m.judge(s, conversation, sum, &load)
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

// lastAsked returns the index of the user's last message, or 0.
func lastAsked(messages plimsoll.List[plimsoll.Message]) int {
	i := messages.Len() - 1
	for i > 0 && !asks(messages.At(i)) {
		i--
	}
	return max(0, i)
}

func asks(m plimsoll.Message) bool {
	return m.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m)
}

// isLive reports whether no message of the user follows a message.
func isLive(messages plimsoll.List[plimsoll.Message], m plimsoll.Message) bool {
	digest := messageDigest(m)
	for i := messages.Len() - 1; i >= 0; i-- {
		switch one := messages.At(i); {
		case messageDigest(one) == digest:
			return true
		case asks(one):
			return false
		}
	}
	return true
}

// contentOf says what a message is to be weighed as. Siblings are the calls that were made
// together with the one that it answers; past says that the user has said something since.
func (s *scale) contentOf(m plimsoll.Message, siblings int, past bool) content {
	switch {
	case s.frame.listed && siblings > 1:
		return ofListed
	case s.frame.forgets && past && plimsoll.Has[plimsoll.Reasoning](m):
		return ofPast
	}
	return ofMessage
}

// message returns the weight of a message.
func (m *Meter) message(s *scale, message plimsoll.Message, of content) plimsoll.MessageLoad {
	key := memoKey{s, of, messageDigest(message)}
	return m.remembered(key, func() plimsoll.MessageLoad { return s.message(message, of) })
}

// head returns the weights of what comes before the messages: instructions, tools, and what
// is added once.
func (m *Meter) head(s *scale, c plimsoll.Conversation) (system, tools, once plimsoll.MessageLoad) {
	if c.System.Len() > 0 {
		key := memoKey{s, ofSystem, systemDigest(c.System)}
		system = m.remembered(key, func() plimsoll.MessageLoad { return s.system(c.System) })
	}
	if c.Tools.Len() > 0 {
		key := memoKey{s, ofTools, toolsDigest(c.Tools)}
		tools = m.remembered(key, func() plimsoll.MessageLoad { return s.tools(c.Tools) })
		tools.Tokens += s.around(c)
		if s.frame.drops && c.Choice == "none" {
			tools = plimsoll.MessageLoad{Band: tools.Tokens}
		}
	}
	if c.Output != (plimsoll.Tool{}) {
		key := memoKey{s, ofOutput, outputDigest(c.Output)}
		once = m.remembered(key, func() plimsoll.MessageLoad { return s.output(c.Output) })
		once.Tokens += s.aroundOutput(c)
	}
	thinking, band := s.thinking(c.Thinking)
	once.Tokens += s.frame.Reply + thinking
	once.Band += s.frame.off + band
	return system, tools, once
}

// remembered returns the weight of a key from the memo, or else makes it and remembers it.
func (m *Meter) remembered(key memoKey, weigh func() plimsoll.MessageLoad) plimsoll.MessageLoad {
	if w, ok := m.memo.Get(key); ok {
		return w
	}
	w := weigh()
	m.memo.Put(key, w)
	return w
}

// judge adds what calibration knows of the conversation and says how far the
// total can be trusted.
func (m *Meter) judge(s *scale, conversation string, sum tally, load *plimsoll.Load) {
	load.Exact = s.counter.Info().Exact && !s.looseFrame && sum.formulas == 0
	load.Band = s.band(load.Total, sum)
	if a, ok := m.options.Calibration.anchor(conversation, s.model); ok {
		hidden := max(a.hidden, -load.Total)
		load.Hidden, load.Framing = hidden, load.Framing+hidden
		load.Total += hidden
		load.Exact = load.Exact && hidden == 0
		load.Band = s.band(abs(load.Total-a.actual), sum.since(a.tally))
	}
	if load.Exact {
		load.Band = 0
		return
	}
	load.Band = max(1, load.Band)
}

// since returns by how much the guesses differ from those of the last bill.
func (t tally) since(billed tally) tally {
	return tally{formulas: abs(t.formulas - billed.formulas), framed: abs(t.framed - billed.framed)}
}

func (m *Meter) scale(c plimsoll.Conversation) *scale {
	id := scaleID{c.Dialect, c.Model[:min(len(c.Model), nameLimit)]}
	if s, ok := m.scales.Get(id); ok {
		return s
	}
	// What is kept must not be a view into a request.
	id = scaleID{plimsoll.Dialect(strings.Clone(string(id.dialect))), strings.Clone(id.model)}
	s := m.newScale(id)
	m.scales.Put(id, s)
	return s
}

func (m *Meter) newScale(id scaleID) *scale {
	registry := m.options.registry()
	name := registry.Resolve(id.model)
	known, err := registry.Lookup(name)
	if err != nil {
		known.Tokenizer.Name = ""
	}
	counter, _ := m.Counter(name) // a broken file is reported by Counter; weighing goes on with an estimate
	f := frameOf(id.dialect, known.Provider, id.model, name)
	if m.options.Framing != nil {
		f = frame{Framing: *m.options.Framing}
	}
	guess, _ := counter.(vocabularyCounter)
	// Only OpenAI's framing is exact, and only with OpenAI's vocabularies.
	info := counter.Info()
	billed := info.Strategy == plimsoll.StrategyTiktoken && f.typeScript
	return &scale{
		counter:    counter,
		frame:      f,
		media:      mediaOf(id.dialect, name, known.Tokenizer.Name),
		thought:    thoughtPercent(known.Tokenizer.Name, name),
		spells:     guess.spells,
		looseFrame: info.Exact && !billed && !f.TextOnly,
		model:      name,
	}
}

func abs(n int) int { return max(n, -n) }
