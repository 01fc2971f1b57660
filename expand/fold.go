package expand

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder finds a text in bytes.
type finder interface {
	// index returns where the text begins, or -1.
	index(b []byte) int
	// longest is how many bytes a place may have where it stands.
	longest() int
}

// exact finds a text as it is written.
type exact []byte

func (e exact) index(b []byte) int { return bytes.Index(b, e) }
func (e exact) longest() int       { return len(e) }

// folded finds a text whatever the case of its letters, by the simple folding of
// Unicode as regular expressions have it: K finds k and the Kelvin sign.
type folded struct {
	runes []rune // in their canonical case
	// anchor is the code point of the text that is looked for first, the rarest one;
	// leads are the bytes that it begins with in all its cases.
	anchor int
	leads  []byte
}

// invalid stands for a byte that is not UTF-8, so that it equals itself only.
const invalid = unicode.MaxRune + 1

func newFolded(text string) *folded {
	f := &folded{}
	for b := []byte(text); len(b) > 0; {
		r, size := decode(b)
		f.runes = append(f.runes, canonical(r))
		b = b[size:]
	}
	for i, r := range f.runes {
		if rarity(r) > rarity(f.runes[f.anchor]) {
			f.anchor = i
		}
	}
	f.leads = leads(f.runes[f.anchor])
	return f
}

// rarity ranks code points by how seldom they stand in what tools print.
func rarity(r rune) int {
	const common = "zqjxkvwbyg3479586pfh2m/:._-c1d,u0\tlsnrioaet "
	if r >= utf8.RuneSelf {
		return -1 // many of them begin with the same byte
	}
	at := strings.IndexRune(common, unicode.ToLower(r))
	if at < 0 {
		return len(common)
	}
	return len(common) - at
}

// decode is utf8.DecodeRune that tells invalid bytes apart.
func decode(b []byte) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return invalid + rune(b[0]), 1
	}
	return r, size
}

func decodeLast(b []byte) (rune, int) {
	last := b[len(b)-1]
	if last < utf8.RuneSelf {
		return rune(last), 1
	}
	r, size := utf8.DecodeLastRune(b)
	if r == utf8.RuneError && size == 1 {
		return invalid + rune(last), 1
	}
	return r, size
}

// canonical returns the least of the code points that are equal but for their case.
func canonical(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r && r < invalid; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// leads lists the first bytes of a code point in all its cases.
func leads(r rune) []byte {
	if r >= invalid {
		return []byte{byte(r - invalid)}
	}
	var all []byte
	for other := r; ; {
		all = append(all, utf8.AppendRune(nil, other)[0])
		if other = unicode.SimpleFold(other); other == r {
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (f *folded) longest() int { return utf8.UTFMax * len(f.runes) }

func (f *folded) index(b []byte) int {
	// The next place of each lead is remembered, so that a rare one is not looked for
	// again at every place of a frequent one.
	var places [4]int
	for i := range f.leads {
		places[i] = -1
	}
	for at := 0; ; at++ {
		at = f.nextLead(b, at, &places)
		if at < 0 {
			return -1
		}
		if start := f.matches(b, at); start >= 0 {
			return start
		}
	}
}

func (f *folded) nextLead(b []byte, from int, places *[4]int) int {
	next := len(b)
	for i, lead := range f.leads {
		if places[i] < from {
			places[i] = len(b)
			if at := bytes.IndexByte(b[from:], lead); at >= 0 {
				places[i] = from + at
			}
		}
		next = min(next, places[i])
	}
	if next == len(b) {
		return -1
	}
	return next
}

// matches returns where the text begins whose anchor is at the given place, or -1.
func (f *folded) matches(b []byte, at int) int {
	rest := b[at:]
	for _, want := range f.runes[f.anchor:] {
		if len(rest) == 0 {
			return -1
		}
		r, size := decode(rest)
		if canonical(r) != want {
			return -1
		}
		rest = rest[size:]
	}
	head := b[:at]
	for _, want := range slices.Backward(f.runes[:f.anchor]) {
		if len(head) == 0 {
			return -1
		}
		r, size := decodeLast(head)
		if canonical(r) != want {
			return -1
		}
		head = head[:len(head)-size]
	}
	return len(head)
}
