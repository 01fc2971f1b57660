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

// stored is a record as it is stored: elements are texts, so that they keep their bytes.
type stored struct {
	Shown    plimsoll.Digest `json:"shown"`
	Elements []string        `json:"elements"`
	Results  []string        `json:"results,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{r.Shown, stringsOf(r.Elements), stringsOf(r.Results)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Record) UnmarshalJSON(raw []byte) error {
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*r = Record{s.Shown, messagesOf(s.Elements), messagesOf(s.Results)}
	for _, e := range append(r.Elements[:len(r.Elements):len(r.Elements)], r.Results...) {
		if !json.Valid(e) {
			return fmt.Errorf("an element of the record is no JSON: %w", plimsoll.ErrInvalid)
		}
	}
	return nil
}

func stringsOf(raw []json.RawMessage) []string {
	var all []string
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

func messagesOf(texts []string) []json.RawMessage {
	var all []json.RawMessage
	for _, t := range texts {
		all = append(all, json.RawMessage(t))
	}
	return all
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
	// hides says that the client is not shown all of it.
	hides bool
}

// record returns what the client was not shown. An answer that broke off leaves none:
// nobody knows what the client makes of it. If the last answer has calls of ours that
// nobody answered, they are left out of it; then it may be that nothing is left of a reply
// but thinking, which no API takes back, and the record has no elements.
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
	return rec, true
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
