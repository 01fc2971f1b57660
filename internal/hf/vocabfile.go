package hf

import (
	"bytes"
	"encoding/json/jsontext"
	"fmt"
	"unicode/utf8"
)

// maxEntries bounds the tables; the largest vocabulary in use has 580,604 merges.
const maxEntries = 1 << 22

// readVocab reads model.vocab, an object from token to id.
func readVocab(raw jsontext.Value) (*vocab, *index, error) {
	if raw.Kind() != '{' {
		return nil, nil, &FormatError{Field: "model.vocab", Found: kindName(raw), Supported: "an object from token to id"}
	}
	entries := bytes.Count(raw, []byte{':'})
	if entries > maxEntries {
		return nil, nil, &FormatError{Field: "model.vocab", Found: fmt.Sprint(entries, " entries"), Supported: fmt.Sprint("up to ", maxEntries)}
	}
	v := &vocab{text: make([]byte, 0, len(raw)/2), spans: make([]span, 0, entries)}
	s := scanner{data: raw}
	s.take('{')
	for s.next() == '"' {
		token, ok := s.str()
		if !ok {
			return nil, nil, &FormatError{Field: "model.vocab", Found: "a broken string"}
		}
		s.take(':')
		// The token may lie in scratch memory, which reading the id leaves alone.
		id, ok := s.id()
		if !ok || int(id) > idLimit(entries) {
			return nil, nil, &FormatError{
				Field: "model.vocab", Found: "no usable id for " + quote(string(token)),
				Supported: fmt.Sprintf("whole numbers up to %d", idLimit(entries)),
			}
		}
		v.put(id, token)
		s.take(',')
	}
	x := newIndex(v.used)
	for id := range v.spans {
		if v.spans[id] != (span{}) {
			x.add(v, uint32(id))
		}
	}
	return v, x, nil
}

// idLimit bounds the memory that ids can ask for: they may have gaps, but not wide ones.
func idLimit(entries int) int { return 4*entries + 1<<16 }

// mergeReader turns model.merges into the pair table.
type mergeReader struct {
	vocab  *vocab
	index  *index
	pairs  *pairTable
	joints *joints // nil: not wanted
	apart  map[uint32]bool
	joined []byte
	sides  [2][]byte

	alphabet *byteAlphabet // byte level; nil otherwise
}

// read takes both forms of the list: "left right" and ["left", "right"].
func (m *mergeReader) read(raw jsontext.Value) error {
	if raw.Kind() != '[' {
		return &FormatError{Field: "model.merges", Found: kindName(raw), Supported: "a list of pairs"}
	}
	n := mergesIn(raw)
	if n > maxEntries {
		return &FormatError{Field: "model.merges", Found: fmt.Sprint(n, " entries"), Supported: fmt.Sprint("up to ", maxEntries)}
	}
	m.pairs = newPairTable(n)
	s := scanner{data: raw}
	s.take('[')
	for rank := uint32(0); s.next() != ']'; rank++ {
		left, right, ok := m.pair(&s)
		if !ok {
			return &FormatError{
				Field: fmt.Sprintf("model.merges[%d]", rank), Found: "no pair",
				Supported: `"left right" with one space, or ["left", "right"]`,
			}
		}
		if err := m.add(rank, left, right); err != nil {
			return err
		}
		s.take(',')
	}
	return nil
}

// mergesIn returns an upper bound for the number of merges, close for both forms of the list.
func mergesIn(raw []byte) int {
	s := scanner{data: raw}
	s.take('[')
	if s.next() == '[' {
		return bytes.Count(raw, []byte{'['})
	}
	return min(bytes.Count(raw, []byte{','})+1, len(raw)/4+1)
}

// pair reads one merge into m.joined and returns its two halves.
func (m *mergeReader) pair(s *scanner) (left, right []byte, ok bool) {
	m.joined = m.joined[:0]
	if !s.take('[') {
		both, ok := s.str()
		cut := bytes.IndexByte(both, ' ')
		if !ok || cut < 0 || bytes.IndexByte(both[cut+1:], ' ') >= 0 {
			return nil, nil, false
		}
		m.joined = append(append(m.joined, both[:cut]...), both[cut+1:]...)
		return m.joined[:cut], m.joined[cut:], true
	}
	half, ok := s.str()
	if !ok || !s.take(',') {
		return nil, nil, false
	}
	m.joined = append(m.joined, half...)
	cut := len(m.joined)
	half, ok = s.str()
	m.joined = append(m.joined, half...)
	return m.joined[:cut], m.joined[cut:], ok && s.take(']')
}

func (m *mergeReader) add(rank uint32, left, right []byte) error {
	l, okLeft := m.index.find(m.vocab, left)
	r, okRight := m.index.find(m.vocab, right)
	id, ok := m.index.find(m.vocab, m.joined)
	if !ok || !okLeft || !okRight || len(left) == 0 || len(right) == 0 {
		return &FormatError{
			Field: fmt.Sprintf("model.merges[%d]", rank), Found: quote(string(left)) + " and " + quote(string(right)),
			Supported: "two tokens of model.vocab whose concatenation is a token too",
		}
	}
	m.pairs.put(l, r, rank, id)
	if m.joints != nil {
		m.addJoint(left, right)
	}
	if m.apart[l] || m.apart[r] {
		m.joints = nil
	}
	return nil
}

// addJoint looks at the characters on both sides of the boundary, at most four bytes each.
func (m *mergeReader) addJoint(left, right []byte) {
	if m.alphabet == nil {
		m.joints.add(left, right)
		return
	}
	var okLeft, okRight bool
	m.sides[0], okLeft = m.alphabet.appendBytes(m.sides[0][:0], lastChars(left, 4))
	m.sides[1], okRight = m.alphabet.appendBytes(m.sides[1][:0], firstChars(right, 4))
	// Merging starts from bytes: other tokens never come up.
	if okLeft && okRight {
		m.joints.add(m.sides[0], m.sides[1])
	}
}

func lastChars(s []byte, n int) []byte {
	end := len(s)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRune(s[:end])
		end -= size
	}
	return s[end:]
}

func firstChars(s []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, size := utf8.DecodeRune(s[end:])
		end += size
	}
	return s[:end]
}

func kindName(raw jsontext.Value) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return "JSON " + raw.Kind().String()
}
