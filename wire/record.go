package wire

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

// Record is what a client has not seen of one reply. It is stored as JSON, in which the
// elements are texts and keep their bytes.
type Record struct {
	// Shown identifies what the client was shown: the text, without white space, and
	// the client's own calls with their arguments. A message that says something else is
	// another reply.
	Shown plimsoll.Digest
	// Thought says that some of what the client was shown is reasoning. A client that
	// sends none of it back has dropped it, as some must who go on with another model,
	// and then none is put back, where a dialect tells it from what was said.
	Thought bool
	// Elements replace the client's own: everything that was said, and the answers to
	// hidden calls except for those that are Results. There may be none.
	Elements [][]byte
	// Results answer the hidden calls of the last round, if the client's own tools were
	// called in it as well, or if user and assistant must alternate. They are put into the
	// client's next message.
	Results [][]byte
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
	return json.Marshal(stored{r.Shown, r.Thought, texts(r.Elements), texts(r.Results)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Record) UnmarshalJSON(raw []byte) error {
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*r = Record{Shown: s.Shown, Thought: s.Thought}
	for _, list := range []struct {
		from []string
		to   *[][]byte
	}{{s.Elements, &r.Elements}, {s.Results, &r.Results}} {
		for _, text := range list.from {
			if !json.Valid([]byte(text)) {
				return fmt.Errorf("an element of the record is no JSON: %w", plimsoll.ErrInvalid)
			}
			*list.to = append(*list.to, []byte(text))
		}
	}
	return nil
}

func texts(raw [][]byte) []string {
	var all []string
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

// shown gathers what a client was shown: texts, whose white space and boundaries do not
// matter, and calls: their ids, or their names where they have none, and their arguments,
// however these are written. Every beginning of it has a digest.
type shown struct{ texts, calls hash.Hash }

// ShownBy identifies what a message shows to a client.
func ShownBy(m plimsoll.Message) plimsoll.Digest {
	s := newShown()
	s.add(m)
	return s.digest()
}

func newShown() shown { return shown{texts: sha256.New(), calls: sha256.New()} }

// add adds the texts and calls of a message.
func (s shown) add(m plimsoll.Message) {
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			for word := range strings.FieldsFuncSeq(p.Text, unicode.IsSpace) {
				s.texts.Write([]byte(word))
			}
		case plimsoll.ToolCall:
			for _, field := range []string{cmp.Or(p.ID, p.Name), canonical(p.Arguments)} {
				s.calls.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
				s.calls.Write([]byte(field))
			}
		}
	}
}

// digest identifies what has been added so far.
func (s shown) digest() plimsoll.Digest {
	sum := sha256.Sum256(s.calls.Sum(s.texts.Sum(nil)))
	return plimsoll.Digest(sum[:len(plimsoll.Digest{})])
}

// canonical returns arguments in a form that does not depend on which programs have read
// and written them since: with sorted keys, without white space and without members that
// are null, which many clients leave out, numbers by their value. Text that is no JSON is
// returned unchanged.
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
