package weave

import (
	"cmp"
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
// boundaries do not matter, and by its calls: their ids, or their names where they have
// none, and their arguments, however these are written.
func Shown(texts []string, calls []plimsoll.ToolCall) plimsoll.Digest {
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
type shown struct {
	texts, calls hash.Hash
	// thought says that some of it was reasoning.
	thought bool
}

func newShown() *shown { return &shown{texts: sha256.New(), calls: sha256.New()} }

func (s *shown) text(text string) {
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		s.texts.Write([]byte(word))
	}
}

func (s *shown) call(c plimsoll.ToolCall) {
	for _, field := range []string{cmp.Or(c.ID, c.Name), canonical(c.Arguments)} {
		s.calls.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		s.calls.Write([]byte(field))
	}
}

// canonical returns arguments in a form that does not depend on who has read and written
// them since: with sorted keys, without white space and without members that are null,
// which many clients leave out, numbers by their value. What is no JSON stays as it is.
func canonical(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	var value any
	if json.Unmarshal([]byte(arguments), &value) != nil {
		return arguments
	}
	if value == nil {
		return "{}"
	}
	text, err := json.Marshal(withoutNulls(value))
	if err != nil {
		return arguments
	}
	return string(text)
}

// withoutNulls takes members that are null out of objects.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if value[key] = withoutNulls(member); member == nil {
				delete(value, key)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}

func (s *shown) digest() plimsoll.Digest {
	sum := sha256.Sum256(s.calls.Sum(s.texts.Sum(nil)))
	return plimsoll.Digest(sum[:len(plimsoll.Digest{})])
}

// stored is a record as it is stored: elements are texts, so that they keep their bytes.
type stored struct {
	Shown    plimsoll.Digest `json:"shown"`
	Thought  bool            `json:"thought,omitempty"`
	Elements []string        `json:"elements"`
	Results  []string        `json:"results,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{r.Shown, r.Thought, stringsOf(r.Elements), stringsOf(r.Results)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Record) UnmarshalJSON(raw []byte) error {
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*r = Record{s.Shown, s.Thought, messagesOf(s.Elements), messagesOf(s.Results)}
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
	seen *shown
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
	rec := Record{Shown: h.seen.digest(), Thought: h.seen.thought}
	if !hidden || h.rounds[last].Broken {
		return rec, false
	}
	for i := range h.rounds {
		if err := h.add(&rec, i, results); err != nil {
			return Record{Shown: rec.Shown}, false
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
