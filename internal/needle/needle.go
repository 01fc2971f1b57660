// Package needle finds the places of a text where one of a few short patterns stands. It
// looks for all of them in one pass, by 64 bytes at a time, so that a text without any is
// passed over about as fast as it can be read. What it finds may be a little more than was
// asked for: patterns are told apart by the halves of their bytes. It knows nothing of what
// the patterns mean.
package needle

import "math/bits"

// Pattern says what may stand at a place: one of the bytes of each of four texts. The
// first is for the byte before the place; at the beginning of a text there is none, and
// every pattern may stand there. An empty text stands for any byte, and for the end of the
// text as well.
type Pattern [4]string

// Set is a set of patterns. It is safe for concurrent use.
type Set struct {
	// halves has, for each of the four bytes, the patterns that a byte with a lower and
	// with an upper half may belong to, a bit for each pattern.
	halves [len(Pattern{})][2][16]byte
	// bytes is the same for whole bytes.
	bytes [len(Pattern{})][256]byte
}

// Most is how many patterns a set can have.
const Most = 8

// New returns the set of up to [Most] patterns.
func New(patterns ...Pattern) *Set {
	if len(patterns) > Most {
		panic("needle: too many patterns")
	}
	s := &Set{}
	for i, p := range patterns {
		for k, all := range p {
			if all == "" {
				for half := range 16 {
					s.halves[k][0][half] |= 1 << i
					s.halves[k][1][half] |= 1 << i
				}
			}
			for j := range len(all) {
				s.halves[k][0][all[j]&15] |= 1 << i
				s.halves[k][1][all[j]>>4] |= 1 << i
			}
		}
	}
	for k := range s.bytes {
		for b := range s.bytes[k] {
			s.bytes[k][b] = s.halves[k][0][b&15] & s.halves[k][1][b>>4]
		}
	}
	return s
}

// Finder goes through a text.
type Finder struct {
	set  *Set
	text string
	// hits are the places that are left of the block of places from block on.
	hits  uint64
	block int
}

// In returns a finder that begins at the beginning of the text.
func (s *Set) In(text string) Finder {
	f := Finder{set: s, text: text, block: 1 - blockLen}
	if text != "" {
		f.hits = 1 << (blockLen - 1)
	}
	return f
}

// blockLen is how many places are looked at together, and reach how many bytes there are
// before and behind the place at the end of them.
const (
	blockLen = 64
	reach    = len(Pattern{}) - 1
)

// Next returns the next place, or the length of the text if there is none.
func (f *Finder) Next() int {
	if f.hits == 0 && !f.look() {
		return len(f.text)
	}
	at := f.block + bits.TrailingZeros64(f.hits)
	f.hits &= f.hits - 1
	return at
}

// look goes on to the next block that has a place.
func (f *Finder) look() bool {
	f.block += blockLen
	if whole := (len(f.text) - f.block + 1 - reach) / blockLen; f.block < len(f.text) && whole > 0 {
		passed, hits := f.set.find(f.text[f.block-1:], whole)
		f.block, f.hits = f.block+passed*blockLen, hits
		if hits != 0 {
			return true
		}
	}
	for ; f.block < len(f.text); f.block += blockLen {
		var padded [blockLen + reach]byte
		n := copy(padded[:], f.text[f.block-1:]) - 1
		_, f.hits = f.set.find(view(&padded), 1)
		if n < blockLen {
			f.hits &= 1<<n - 1
		}
		if f.hits != 0 {
			return true
		}
	}
	f.block = len(f.text)
	return false
}

// findPortable looks at so many blocks of the places behind the first byte of a text, and
// returns how many it passed before the first that has a place where a pattern stands, and
// those places, a bit for each. The text has as many bytes, and three more.
func (s *Set) findPortable(text string, blocks int) (passed int, hits uint64) {
	for ; passed < blocks; passed++ {
		block := text[passed*blockLen:][:blockLen+reach]
		for i := range blockLen {
			if s.bytes[0][block[i]]&s.bytes[1][block[i+1]]&s.bytes[2][block[i+2]]&s.bytes[3][block[i+3]] != 0 {
				hits |= 1 << i
			}
		}
		if hits != 0 {
			return passed, hits
		}
	}
	return passed, 0
}
