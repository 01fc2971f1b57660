package bpe

import (
	"fmt"
	"slices"
	"strings"
)

// Special says what the spelling of a special token means when it is found in a text. The zero value means nothing:
// it is text like any other.
type Special struct {
	// All turns every special token of the encoding that the text spells into its id.
	All bool
	// Allow does the same for the tokens spelled here only. Spellings that the encoding does not know are ignored.
	Allow []string
	// Forbid makes the spelling of a special token that is not allowed an error instead of ordinary text.
	Forbid bool
}

// SpecialError reports a special token in a text that may not contain it.
type SpecialError struct {
	// Token is the spelling and Offset its first byte in the text.
	Token  string
	Offset int
}

func (e *SpecialError) Error() string {
	return fmt.Sprintf("bpe: special token %s at offset %d is not allowed", e.Token, e.Offset)
}

// EncodeSpecial is Encode under a policy for special tokens. If the policy forbids a token that the text spells, it
// appends nothing and returns a *SpecialError for the first one.
func (e *Encoding) EncodeSpecial(text string, policy Special, dst []uint32) ([]uint32, error) {
	if policy.Forbid {
		if s, at := e.findSpecial(text, func(s string) bool { return !policy.allows(s) }); at >= 0 {
			return dst, &SpecialError{Token: s.text, Offset: at}
		}
	}
	for {
		s, at := e.findSpecial(text, policy.allows)
		if at < 0 {
			return e.Encode(text, dst), nil
		}
		dst = append(e.Encode(text[:at], dst), s.id)
		text = text[at+len(s.text):]
	}
}

func (p Special) allows(text string) bool { return p.All || slices.Contains(p.Allow, text) }

// SpecialTokens returns the spellings of the encoding's special tokens with their ids.
func (e *Encoding) SpecialTokens() map[string]uint32 {
	ids := make(map[string]uint32, len(e.specials))
	for _, s := range e.specials {
		ids[s.text] = s.id
	}
	return ids
}

// specialStart is how every special token begins.
const specialStart = "<|"

// findSpecial returns the first special token in text that is wanted and its offset, -1 if there is none.
func (e *Encoding) findSpecial(text string, wanted func(string) bool) (special, int) {
	for from := 0; ; {
		i := strings.Index(text[from:], specialStart)
		if i < 0 {
			return special{}, -1
		}
		from += i
		for _, s := range e.specials {
			if strings.HasPrefix(text[from:], s.text) && wanted(s.text) {
				return s, from
			}
		}
		from++
	}
}
