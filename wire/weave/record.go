package weave

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll"
)

// Shown identifies what a client was shown by its texts, whose white space and
// boundaries do not matter, and by the ids of its calls, or their names where they have
// none.
func Shown(texts, calls []string) plimsoll.Digest {
	s := newShown()
	for _, t := range texts {
		s.text(t)
	}
	for _, c := range calls {
		s.call(c)
	}
	return s.digest()
}

// shown gathers what a client was shown, so that every beginning of it can be told.
type shown struct{ texts, calls hash.Hash }

func newShown() shown { return shown{sha256.New(), sha256.New()} }

func (s shown) text(text string) {
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		s.texts.Write([]byte(word))
	}
}

func (s shown) call(id string) {
	s.calls.Write(binary.BigEndian.AppendUint64(nil, uint64(len(id))))
	s.calls.Write([]byte(id))
}

func (s shown) digest() plimsoll.Digest {
	sum := sha256.Sum256(s.calls.Sum(s.texts.Sum(nil)))
	return plimsoll.Digest(sum[:len(plimsoll.Digest{})])
}

// history is what a reply remembers for its record.
type history struct {
	loom   loom
	rounds []answered
	// seen is what the client was shown.
	seen shown
}

func newHistory(l loom) history { return history{loom: l, seen: newShown()} }

// answered is a round with what a record may need of it.
type answered struct {
	Round
	// open is the answer without our calls; the client's are in it.
	open [][]byte
}

// record returns what the client was not shown. An answer that broke off leaves none:
// nobody knows what the client makes of it. If the last answer has calls of ours that
// nobody answered, they are left out of it.
func (h *history) record(results [][]Result) (Record, bool) {
	hidden := false
	for _, r := range h.rounds {
		hidden = hidden || len(r.Calls) > 0
	}
	last := len(h.rounds) - 1
	if !hidden || h.rounds[last].Broken {
		return Record{}, false
	}
	rec := Record{Shown: h.seen.digest()}
	for i := range h.rounds {
		if err := h.add(&rec, i, results); err != nil {
			return Record{}, false
		}
	}
	return rec, len(rec.Elements) > 0
}

// add adds a round to a record.
func (h *history) add(rec *Record, i int, results [][]Result) error {
	round, last := h.rounds[i], i == len(h.rounds)-1
	known := i < len(results) && len(results[i]) == len(round.Calls)
	said := round.Said
	if !known && len(round.Calls) > 0 {
		if !last {
			return fmt.Errorf("round %d has no results: %w", i, plimsoll.ErrInvalid)
		}
		said = round.open
	}
	for _, s := range said {
		rec.Elements = append(rec.Elements, json.RawMessage(s))
	}
	if !known || len(round.Calls) == 0 {
		return nil
	}
	var err error
	if last && round.Foreign {
		rec.Results, err = h.loom.beside(results[i])
		return err
	}
	answers, err := h.loom.results(results[i])
	rec.Elements = append(rec.Elements, answers...)
	return err
}
