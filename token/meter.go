package token

import (
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/share"
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
// the rest, and next to nothing for the rest where messages carry a digest. It is
// safe for concurrent use, and best shared by the whole program.
type Meter struct {
	options MeterOptions
	memo    *memo
	lately  *lately
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

// NewMeter returns a meter; nil options mean the defaults.
func NewMeter(o *MeterOptions) *Meter {
	m := &Meter{}
	if o != nil {
		m.options = *o
	}
	if m.options.Remember == 0 {
		m.options.Remember = 1 << 16
	}
	m.memo, m.lately = newMemo(m.options.Remember), newLately(m.options.Remember)
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
	return m.weighGrown(c, "", nil)
}

// WeighShowing is Weigh, and shows what it reads; see [plimsoll.Onlooker].
func (m *Meter) WeighShowing(c plimsoll.Conversation, beyond int, show func(plimsoll.PartRef, plimsoll.Part, []plimsoll.Part)) plimsoll.Load {
	return m.weighGrown(c, "", &onlooker{beyond: beyond, show: show})
}

// weighGrown weighs a conversation from where it was weighed lately.
func (m *Meter) weighGrown(c plimsoll.Conversation, conversation string, o *onlooker) plimsoll.Load {
	s := m.scale(c)
	f, digests := m.factor(s), c.Digests()
	load, _ := m.weigh(c, m.lately.find(s, f, digests), conversation, o)
	m.lately.put(s, f, digests, load)
	return load
}

// Extend returns the load of a conversation whose first messages were weighed
// before, by this meter, with the given result. It looks only at what is new, and
// at the hashes of instructions and tools; see [plimsoll.Load.Grow] for what it
// costs.
func (m *Meter) Extend(load plimsoll.Load, c plimsoll.Conversation) plimsoll.Load {
	load, _ = m.weigh(c, load, "", nil)
	return load
}

// WeighMessage returns the load of one message.
func (m *Meter) WeighMessage(c plimsoll.Conversation, message plimsoll.Message, siblings int) plimsoll.MessageLoad {
	s := m.scale(c)
	w := m.raw(s, message, siblings, nil)
	return m.factor(s).load(w, make([]int, 0, len(w.parts)))
}

// WeighSystem returns what one more part adds to the system instructions.
func (m *Meter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	s, guessed := m.scale(c), 0
	n := s.part(p, false, &guessed, nil)
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
	// raw is what was weighed anew, before any correction.
	raw int
	// guessed is the share of the total that comes from formulas, framed the
	// framing of the request and its messages if that is a guess.
	guessed, framed int
}

// weigh returns the load of a conversation of which some messages are known.
func (m *Meter) weigh(c plimsoll.Conversation, known plimsoll.Load, conversation string, o *onlooker) (plimsoll.Load, tally) {
	s := m.scale(c)
	f := m.factor(s)
	system, tools := m.head(s, c)
	sum := tally{raw: system.framing + tools.framing + s.framing.Reply, guessed: f.apply(system.guessed) + f.apply(tools.guessed)}
	load := firstOf(known, c.Messages.Len())
	load.System, load.Tools, load.Framing = f.apply(system.framing), f.apply(tools.framing), f.apply(s.framing.Reply)
	load.Total = load.System + load.Tools + load.Framing + load.MessageSums().Tokens
	more, raw := m.weighFrom(s, f, c, len(load.Messages), o)
	sum.raw += raw
	if len(more) > 0 || load.Messages == nil { // no messages are a list without any
		load = load.Grow(more...)
	}
	sum.add(s, load)
	m.judge(s, f, conversation, sum, &load)
	return load, sum
}

// firstOf returns what is known of the first n messages.
func firstOf(known plimsoll.Load, n int) plimsoll.Load {
	if len(known.Messages) > n {
		known.Messages = known.Messages[:n]
	}
	return known
}

// weighFrom weighs the messages from an index on, and returns what they weigh
// before any correction beside.
func (m *Meter) weighFrom(s *scale, f factor, c plimsoll.Conversation, from int, o *onlooker) (loads []plimsoll.MessageLoad, raw int) {
	crew := share.Call((c.Messages.Len()-from+shareLen-1)/shareLen, 1)
	defer crew.Dismiss()
	siblings := siblingsFrom(s, c, from)
	backing := make([]int, 0, partCount(c.Messages, from))
	loads = make([]plimsoll.MessageLoad, len(siblings))
	for i, w := range m.rawFrom(s, c.Messages, from, siblings, o, crew) {
		loads[i] = f.load(w, backing[len(backing):])
		backing = backing[:len(backing)+len(loads[i].Parts)]
		raw += w.tokens()
	}
	return loads, raw
}

// shareLen is how many messages a processor takes at a time at first sight of a long
// conversation: whoever sent it waits, and what a message weighs does not depend on the
// others.
const shareLen = 16

// rawFrom weighs the messages from an index on. What is remembered is looked up before and
// written down behind: goroutines that did so between would be in each other's way.
func (m *Meter) rawFrom(s *scale, messages plimsoll.List[plimsoll.Message], from int, siblings []int, o *onlooker, crew *share.Crew) []weight {
	weights, known := m.recall(s, messages, from, siblings)
	crew.DoPrepared(s.prepare, func(k int) {
		held, release := s.hold() // not released after a panic: what it was at may be half done
		end := len(weights) - k*shareLen
		start, wanted := max(0, end-shareLen), o.wants(len(weights))
		for i := start; i < end; i++ {
			if known[i] != remembered {
				weights[i] = m.weighAt(held, messages.At(from+i), siblings[i], known[i], o.at(from+i, wanted))
			}
		}
		o.weighed(weights[start:end])
		release()
	})
	m.memo.expect(len(weights))
	for i, state := range known {
		if state == missing {
			m.memo.put(digestKey(s.key, messages.At(from+i).Digest, s.inList(siblings[i])), weights[i])
		}
	}
	return weights
}

// recallState says whether the memo had a message, had it not, or was not asked, because
// that takes a look at the message.
type recallState uint8

const (
	unasked recallState = iota
	missing
	remembered
)

// recall returns what the memo knows of messages.
func (m *Meter) recall(s *scale, messages plimsoll.List[plimsoll.Message], from int, siblings []int) (weights []weight, known []recallState) {
	weights, known = make([]weight, len(siblings)), make([]recallState, len(siblings))
	for i := range known {
		digest := messages.At(from + i).Digest
		if digest == (plimsoll.Digest{}) {
			continue
		}
		known[i] = missing
		if w, ok := m.memo.find(digestKey(s.key, digest, s.inList(siblings[i]))); ok {
			weights[i], known[i] = w, remembered
		}
	}
	return weights, known
}

// weighAt weighs a message that the memo does not have, or was not asked for.
func (m *Meter) weighAt(s *scale, message plimsoll.Message, siblings int, state recallState, seen show) weight {
	if state == unasked {
		return m.raw(s, message, siblings, seen)
	}
	if !s.inList(siblings) {
		siblings = 0
	}
	return s.message(message, siblings, seen)
}

// head weighs what stands before the messages.
func (m *Meter) head(s *scale, c plimsoll.Conversation) (system, tools weight) {
	system = m.memo.get(systemKey(s.key, c.System), func() weight {
		w := weight{}
		w.framing = s.system(c.System, &w.guessed)
		return w
	})
	return system, m.tools(s, c.Tools)
}

func (m *Meter) tools(s *scale, tools plimsoll.List[plimsoll.Tool]) weight {
	return m.memo.get(toolsKey(s.key, tools), func() weight {
		n := s.tools(tools)
		return weight{framing: n, guessed: n}
	})
}

// add counts what of a load is guessed.
func (t *tally) add(s *scale, load plimsoll.Load) {
	sums := load.MessageSums()
	t.guessed += sums.Guessed
	if s.looseFrame {
		t.framed = load.Framing + sums.Framing
	}
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

func (m *Meter) raw(s *scale, message plimsoll.Message, siblings int, seen show) weight {
	inList := s.inList(siblings)
	if !inList {
		siblings = 0
	}
	return m.memo.get(messageKey(s.key, message, inList), func() weight { return s.message(message, siblings, seen) })
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
		framing: FramingFor(id.dialect),
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
