package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// Scales weigh conversations and texts and report on them. They are safe for
// concurrent use; a copy may be given other wishes.
type Scales struct {
	Registry *model.Registry
	Limits   *model.Limits
	Options  token.Options
	// Weigh weighs a conversation by its own model.
	Weigh func(plimsoll.Conversation) plimsoll.Load

	// Model and Limit are what the user demands; zero means that the conversation
	// and the registry decide.
	Model string
	Limit int
	// Named counts for every model; nil means that each has its own.
	Named plimsoll.Counter
	Words Words
}

// Words are those in which a user can be told where something came from.
type Words struct {
	// Asked is what is said of what the user demanded: "flag". Given is what is said
	// of what came with the conversation: "file".
	Asked, Given string
	// Unknown is the hint for an unknown model.
	Unknown string
}

// NewScales returns scales that count with the vocabularies of the options, whose
// registry is used for the limits too; env looks up a variable and may be nil.
func NewScales(o token.Options, env func(string) string, words Words) *Scales {
	return &Scales{
		Registry: o.Registry, Limits: &model.Limits{Registry: o.Registry, Env: env}, Options: o,
		Weigh: token.NewMeter(&token.MeterOptions{Options: o}).Weigh, Words: words,
	}
}

// Text weighs bare text: no roles, no framing.
func (s *Scales) Text(text string) (Count, error) {
	asked, err := s.Ask("", "")
	if err != nil {
		return Count{}, err
	}
	none := token.Framing{TextOnly: true}
	meter := token.NewMeter(&token.MeterOptions{Options: s.Options, Counter: asked.counter(), Framing: &none})
	load := meter.Weigh(plimsoll.Conversation{Model: asked.name, Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, text))})
	return asked.Count(load), nil
}

// Conversation weighs a conversation and says what takes the space.
func (s *Scales) Conversation(c plimsoll.Conversation) (Count, error) {
	asked, err := s.Ask(c.Model, c.Dialect)
	if err != nil {
		return Count{}, err
	}
	if s.Limit == 0 && c.Window > 0 && (c.Window < asked.limit.Tokens || asked.limit.Source == model.SourceDefault) {
		asked.limit, asked.known.Window = model.Limit{Tokens: c.Window, Source: model.Source(s.Words.Given)}, c.Window
	}
	c.Model = asked.name
	weigh := s.Weigh
	if s.Named != nil {
		weigh = token.NewMeter(&token.MeterOptions{Options: s.Options, Counter: asked.counter()}).Weigh
	}
	load := weigh(c)
	out := asked.Count(load)
	out.describe(c, load)
	return out, nil
}

// Question is what is counted for: a model, its limit and the counter.
type Question struct {
	name, from string
	// dialect of the request; empty for text.
	dialect plimsoll.Dialect
	known   model.Model
	limit   model.Limit
	chosen  plimsoll.Counter
	// Info says how it is counted.
	Info plimsoll.CounterInfo
	// named says that the user chose the counter.
	named bool
	// Exact says that the counter is the model's own, or that it was chosen and
	// no model was.
	Exact bool
}

// Ask settles the model, its limit and its counter. The name and the dialect are
// the conversation's own.
func (s *Scales) Ask(name string, d plimsoll.Dialect) (Question, error) {
	q := Question{name: name, from: s.Words.Given, dialect: d, named: s.Named != nil}
	switch {
	case s.Model != "":
		q.name, q.from = s.Model, s.Words.Asked
	case name == "":
		q.name, q.from = preset.DefaultModel(d), "default"
	}
	q.known, _ = s.Registry.Lookup(q.name) // an unknown model is judged by its limit
	if q.limit = s.Limits.For(q.name); s.Limit > 0 {
		q.limit = model.Limit{Tokens: s.Limit, Source: model.Source(s.Words.Asked)}
	}
	if s.Model != "" && q.limit.Source == model.SourceDefault {
		return q, s.unknownModel(q.name)
	}
	if q.chosen = s.Named; q.chosen == nil {
		own, err := token.For(q.name, &s.Options)
		if err != nil {
			return q, err
		}
		q.chosen = own
	}
	q.Info = q.chosen.Info()
	q.Exact = q.Info.Exact && (s.Named == nil || q.from == "default" || s.owns(q.name, q.Info.Encoding))
	return q, nil
}

// Count begins a report with what is known before the content is looked at.
func (q Question) Count(load plimsoll.Load) Count {
	r := Count{
		Model: q.name, ModelFrom: q.from,
		UsesTiktoken: q.Info.Strategy == plimsoll.StrategyTiktoken,
		Strategy:     q.Info.Strategy,
		Exact:        load.Exact, Total: load.Total, Band: load.Band,
		Limit: q.limit.Tokens, LimitFrom: string(q.limit.Source), Window: q.known.Window,
		Freeboard: q.limit.Tokens - load.Total, Over: q.limit.Exceeds(load.Total),
		System: load.System, Tools: load.Tools, Framing: load.Framing,
		Messages:  []Message{},
		Dialect:   q.dialect,
		ModelFree: q.named && q.from == "default",
	}
	if q.known.ID != "" && q.known.ID != q.name {
		r.Model, r.Requested = q.known.ID, q.name
	}
	if q.Info.Encoding != "" {
		r.Encoding = &q.Info.Encoding
	}
	return r
}

// owns says whether the encoding is the model's own.
func (s *Scales) owns(name, encoding string) bool {
	if own, ok := model.EncodingFor(name); ok {
		return own == encoding
	}
	m, err := s.Registry.Lookup(name)
	return err == nil && m.Tokenizer == model.Tokenizer{Name: encoding, Exact: true}
}

func (s *Scales) unknownModel(name string) error {
	hint := s.Words.Unknown
	if nearest := s.Registry.Nearest(name); len(nearest) > 0 {
		hint = "did you mean " + strings.Join(nearest, " or ") + "? Otherwise " + hint
	}
	return &plimsoll.Error{
		Op: fmt.Sprintf("model %q", name), Code: plimsoll.CodeUnknownModel, Hint: hint, Err: plimsoll.ErrUnknownModel,
	}
}

// counter returns the counter as the meter shall see it: a vocabulary that is not
// the model's own estimates.
func (q Question) counter() plimsoll.Counter {
	if q.Info.Exact && !q.Exact {
		return borrowed{q.chosen}
	}
	return q.chosen
}

// borrowed is a vocabulary that counts for a model which has another.
type borrowed struct{ plimsoll.Counter }

// Info says that the counts are another vocabulary's.
func (b borrowed) Info() plimsoll.CounterInfo {
	info := b.Counter.Info()
	info.Exact, info.Strategy = false, token.StrategyScaled
	return info
}
