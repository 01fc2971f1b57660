package hf

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is one entry of added_tokens: a string that is a token wherever it stands.
type addedToken struct {
	ID         uint32 `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// maxAddedBytes bounds the length of an added token, and with it the work per byte of text.
const maxAddedBytes = 256

func readAddedTokens(raw jsontext.Value) ([]addedToken, error) {
	if raw == nil || raw.Kind() == 'n' {
		return nil, nil
	}
	var list []addedToken
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, &FormatError{Field: "added_tokens", Err: err}
	}
	for i, t := range list {
		if len(t.Content) > maxAddedBytes {
			return nil, &FormatError{
				Field: fmt.Sprintf("added_tokens[%d].content", i), Found: fmt.Sprint(len(t.Content), " bytes"),
				Supported: fmt.Sprint("up to ", maxAddedBytes),
			}
		}
	}
	return list, nil
}

// addedSet finds added tokens in text, the leftmost first and the longest of those.
type addedSet struct {
	tokens   []addedToken
	ordinary bool              // some token is not special
	first    [256]bool         // bytes that a token starts with
	edges    map[uint32]uint32 // trie: node<<8 | byte to node; the root is 0
	final    map[uint32]int    // node to index in tokens
}

// newAddedSet returns nil when there is nothing to find.
func newAddedSet(tokens []addedToken, content func(addedToken) string) *addedSet {
	s := &addedSet{tokens: tokens, edges: make(map[uint32]uint32), final: make(map[uint32]int)}
	for i, t := range tokens {
		text := content(t)
		if text == "" {
			continue
		}
		s.first[text[0]] = true
		s.ordinary = s.ordinary || !t.Special
		node := uint32(0)
		for j := range len(text) {
			edge := node<<8 | uint32(text[j])
			next, ok := s.edges[edge]
			if !ok {
				next = uint32(len(s.edges) + 1)
				s.edges[edge] = next
			}
			node = next
		}
		s.final[node] = i
	}
	if len(s.final) == 0 {
		return nil
	}
	return s
}

// find returns the next token at or after from.
func (s *addedSet) find(text string, from int) (token, start, end int) {
	for i := from; i < len(text); i++ {
		if !s.first[text[i]] {
			continue
		}
		if token, end := s.longest(text, i); token >= 0 {
			return token, i, end
		}
	}
	return -1, 0, 0
}

func (s *addedSet) longest(text string, start int) (token, end int) {
	token = -1
	node := uint32(0)
	for i := start; i < len(text); i++ {
		next, ok := s.edges[node<<8|uint32(text[i])]
		if !ok {
			break
		}
		node = next
		if t, ok := s.final[node]; ok {
			token, end = t, i+1
		}
	}
	return token, end
}

// each calls between for the stretches of text that are not added tokens and hit for the tokens,
// in order. Special tokens count as text unless special is set; as in Hugging Face's
// encode_special_tokens, nothing inside such a token is looked for.
func (s *addedSet) each(text string, special bool, between func(text string, start int), hit func(id uint32)) {
	done := 0
	if s != nil && (s.ordinary || special) {
		for from := 0; from < len(text); {
			t, start, end := s.find(text, from)
			if t < 0 {
				break
			}
			from = end
			token := &s.tokens[t]
			if token.Special && !special || token.SingleWord && !standsAlone(text, start, end) {
				continue
			}
			if token.LStrip {
				start = done + len(strings.TrimRightFunc(text[done:start], unicode.IsSpace))
			}
			if token.RStrip {
				end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
			}
			if done < start {
				between(text[done:start], done)
			}
			hit(token.ID)
			done, from = end, end
		}
	}
	if done < len(text) {
		between(text[done:], done)
	}
}

// standsAlone reports whether no word character touches text[start:end].
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !(start > 0 && isWord(before)) && !(end < len(text) && isWord(after))
}

// isWord is \w of regular expressions over Unicode.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
