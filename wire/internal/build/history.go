package build

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// Answer is a round as a codec reads it, with what a [wire.Record] may need.
type Answer struct {
	wire.Round
	// Open is what was said without the hidden calls; the client's calls are in it.
	Open [][]byte
	// Hides says that the client is not shown all of the answer.
	Hides bool
	// Shown are the texts and calls that the client is shown, as its next request will
	// have them. A [plimsoll.Reasoning] among them says that it is shown some.
	Shown []plimsoll.Part
}

// Sendable reports whether an answer with hidden calls can be sent back.
func (a Answer) Sendable(c wire.Codec) bool {
	if len(a.Calls) == 0 {
		return true
	}
	_, err := c.Decode(fmt.Appendf(nil, `{%q:%s}`, c.Traits().Messages, rawjson.Array(a.Said)))
	return err == nil
}

// History is what a [wire.Reply] remembers of its rounds.
type History struct {
	codec  wire.Codec
	Rounds []Answer
}

// NewHistory returns the history of a reply in a dialect.
func NewHistory(c wire.Codec) History { return History{codec: c} }

// Add adds an answer.
func (h *History) Add(a Answer) wire.Round {
	h.Rounds = append(h.Rounds, a)
	return a.Round
}

// Record implements [wire.Reply]. An answer that broke off has no record, since the client may
// keep any part of it. Hidden calls of the last answer that have no results are left out.
// Then a reply may consist of reasoning alone, which no API takes back, and the record has
// no elements.
func (h *History) Record(results [][]wire.Result) (wire.Record, bool) {
	hidden := false
	var shown []plimsoll.Part
	for _, r := range h.Rounds {
		hidden = hidden || len(r.Calls) > 0
		shown = append(shown, r.Shown...)
	}
	m := plimsoll.NewMessage(plimsoll.Assistant, shown...)
	rec := wire.Record{Shown: wire.ShownBy(m), Thought: plimsoll.Has[plimsoll.Reasoning](m)}
	if !hidden || h.Rounds[len(h.Rounds)-1].Broken {
		return rec, false
	}
	for i := range h.Rounds {
		if err := h.add(&rec, i, results); err != nil {
			return wire.Record{Shown: rec.Shown}, false
		}
	}
	return rec, true
}

// add adds a round to a record.
func (h *History) add(rec *wire.Record, i int, results [][]wire.Result) error {
	round, last := h.Rounds[i], i == len(h.Rounds)-1
	alternates := h.codec.Traits().Alternates
	known := i < len(results) && len(results[i]) == len(round.Calls)
	if !known && len(round.Calls) > 0 {
		if !last || alternates && len(round.Open) == 0 { // two of the user's would follow each other
			return fmt.Errorf("round %d has no results: %w", i, plimsoll.ErrInvalid)
		}
		rec.Elements = append(rec.Elements, round.Open...)
		return nil
	}
	rec.Elements = append(rec.Elements, round.Said...)
	if len(round.Calls) == 0 {
		return nil
	}
	var err error
	if last && (round.Foreign || alternates) {
		rec.Results, err = h.codec.ResultsBeside(results[i])
		return err
	}
	answers, err := h.codec.Results(results[i])
	rec.Elements = append(rec.Elements, answers...)
	return err
}
