package hf

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// markedChar is one character with its combining class; 0 starts a new base.
type markedChar struct {
	text  string
	class uint8
}

// decompose spells out every character; bytes that are not valid UTF-8 stand for themselves.
func decompose(form norm.Form, text string) []markedChar {
	var chars []markedChar
	for i := 0; i < len(text); {
		p := form.PropertiesString(text[i:])
		size := max(p.Size(), 1)
		whole := text[i : i+size]
		i += size
		if d := p.Decomposition(); len(d) > 0 {
			whole = string(d)
		} else if isHangul(whole) {
			whole = form.String(whole)
		}
		for len(whole) > 0 {
			_, n := utf8.DecodeRuneInString(whole)
			chars = append(chars, markedChar{whole[:n], form.PropertiesString(whole[:n]).CCC()})
			whole = whole[n:]
		}
	}
	return chars
}

// isHangul reports whether a character is a syllable, which is decomposed by arithmetic and not by table.
func isHangul(char string) bool {
	r, _ := utf8.DecodeRuneInString(char)
	return r >= 0xAC00 && r <= 0xD7A3
}

// orderMarks sorts each run of marks by combining class, keeping equal ones in order.
func orderMarks(chars []markedChar) {
	for i := 0; i < len(chars); i++ {
		start := i
		for i < len(chars) && chars[i].class != 0 {
			i++
		}
		slices.SortStableFunc(chars[start:i], func(a, b markedChar) int { return int(a.class) - int(b.class) })
	}
}

// compose joins each mark with the base before it where Unicode has a character for both, unless
// a mark of the same or a higher class stands between them.
func compose(chars []markedChar) []markedChar {
	var out []markedChar
	base, last := -1, uint8(0)
	for _, c := range chars {
		blocked := base >= 0 && len(out)-1 > base && last >= c.class
		if base >= 0 && !blocked {
			if joined, ok := composePair(out[base].text, c.text); ok {
				out[base].text = joined
				continue
			}
		}
		if c.class == 0 {
			base = len(out)
		}
		last = c.class
		out = append(out, c)
	}
	return out
}

// composePair asks golang.org/x/text for the one character that two make, if there is one.
func composePair(a, b string) (string, bool) {
	joined := norm.NFC.String(a + b)
	_, n := utf8.DecodeRuneInString(joined)
	return joined, n == len(joined) && utf8.ValidString(joined)
}
