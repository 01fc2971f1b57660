// Package needle finds the places of a text where one of a few short patterns stands,
// anywhere or as the first thing of a line, and lines that are longer than others. It looks
// for all of them in one pass, by 64 bytes at a time and without a branch for each line, so
// that a text without any is passed over about as fast as it can be read. What it finds may
// be a little more than was asked for: patterns are told apart by the halves of their bytes.
// It knows nothing of what the patterns mean.
package needle

import "math/bits"

// Pattern says what may stand at a place: one of the bytes of each of three texts. An empty
// text stands for any byte, and for the end of the text as well.
type Pattern [3]string

// Set is a set of patterns. It is safe for concurrent use.
type Set struct {
	tables nibbleTables
	// bytes is the same for whole bytes.
	bytes [len(Pattern{})][256]byte
}

// nibbleTables has, for each byte of a pattern, the patterns that a byte with a lower and with an
// upper half may belong to, a bit for each; and the bits of those that stand first in a
// line, four times.
type nibbleTables struct {
	halves [len(Pattern{})][2][16]byte
	first  [4]byte
}

// Most is how many patterns a set can have.
const Most = 8

// New returns a set of patterns, of which some are only looked for where nothing but blanks
// stand before them in their line, and others anywhere. There may be up to [Most] of both
// together.
func New(first, anywhere []Pattern) *Set {
	if len(first)+len(anywhere) > Most {
		panic("needle: too many patterns")
	}
	s := &Set{}
	for i, p := range append(first[:len(first):len(first)], anywhere...) {
		s.add(p, 1<<i)
	}
	for i := range s.tables.first {
		s.tables.first[i] = 1<<len(first) - 1
	}
	for k := range s.bytes {
		for b := range s.bytes[k] {
			s.bytes[k][b] = s.tables.halves[k][0][b&15] & s.tables.halves[k][1][b>>4]
		}
	}
	return s
}

func (s *Set) add(p Pattern, bit byte) {
	for k, all := range p {
		lower, upper := &s.tables.halves[k][0], &s.tables.halves[k][1]
		for half := range len(lower) {
			if all == "" {
				lower[half] |= bit
				upper[half] |= bit
			}
		}
		for j := range len(all) {
			lower[all[j]&15] |= bit
			upper[all[j]>>4] |= bit
		}
	}
}

// Finder goes through a text.
type Finder struct {
	set  *Set
	text string
	most int
	// block is where the present block begins, and hits has a bit for each place in it that
	// is left.
	block int
	hits  uint64
	// line is where the present line began, long says that it has been found to be long, and
	// open that nothing but blanks were seen of it yet.
	line       int
	long, open bool
	// ahead are the marks of the blocks from at on, of which there are so many.
	ahead     [blocksAhead]marks
	at, known int
}

// marks have a bit for each byte of a block: where a pattern stands that may stand anywhere,
// or one that must be first in its line, and what is blank or a newline.
type marks struct{ anywhere, first, blank, newline uint64 }

const (
	blockLen    = 64
	blocksAhead = 8
	// reach is how many bytes behind the last one of a block are looked at.
	reach = len(Pattern{}) - 1
)

// Begin goes to the beginning of a text, in which lines are long that have more than so many
// bytes.
func (f *Finder) Begin(s *Set, text string, most int) {
	f.set, f.text, f.most = s, text, most
	f.block, f.hits, f.line, f.long, f.open = -blockLen, 0, 0, false, true
	f.at, f.known = 0, 0
}

// Next returns the next place, or the length of the text if there is none. Long says that
// it is no place of a pattern but the beginning of a long line, which comes once for each of
// them, as soon as that is known.
func (f *Finder) Next() (at int, long bool) {
	for f.hits == 0 {
		if f.block += blockLen; f.block >= len(f.text) {
			f.block = len(f.text)
			return len(f.text), false
		}
		if line, long := f.look(); long {
			return line, true
		}
	}
	at = f.block + bits.TrailingZeros64(f.hits)
	f.hits &= f.hits - 1
	return at, false
}

// look looks at the present block. It returns where the line began that stands at the
// beginning of it, and whether that is found to be long.
func (f *Finder) look() (line int, long bool) {
	m := f.marks()
	start := m.newline << 1
	if f.open {
		start |= 1
	}
	// Where a line begins with blanks, adding to the first of them carries a bit to what
	// stands behind.
	behind, carry := bits.Add64(m.blank, start&m.blank, 0)
	f.open = carry != 0 || m.newline>>(blockLen-1) != 0
	f.hits = m.anywhere | m.first&(start|behind)&^m.blank
	line = f.line
	if m.newline == 0 {
		return line, f.isLong(f.block + blockLen)
	}
	long = f.isLong(f.block + bits.TrailingZeros64(m.newline))
	f.line, f.long = f.block+blockLen-bits.LeadingZeros64(m.newline), false
	return line, long
}

// isLong reports whether the present line is long, which goes on to a place at least, and
// was not known to be.
func (f *Finder) isLong(end int) bool {
	if f.long || min(end, len(f.text))-f.line <= f.most {
		return false
	}
	f.long = true
	return true
}

// marks returns those of the present block.
func (f *Finder) marks() marks {
	if f.at == f.known {
		f.lookAhead()
	}
	f.at++
	return f.ahead[f.at-1]
}

func (f *Finder) lookAhead() {
	f.at = 0
	rest := f.text[f.block:]
	if f.known = min((len(rest)-reach)/blockLen, blocksAhead); f.known > 0 {
		f.set.find(rest, f.ahead[:f.known])
		return
	}
	var padded [blockLen + reach]byte
	n := copy(padded[:], rest)
	f.known = 1
	f.set.find(view(&padded), f.ahead[:1])
	if n < blockLen {
		f.ahead[0].anywhere &= 1<<n - 1
		f.ahead[0].first &= 1<<n - 1
	}
}

// findPortable finds the marks of the blocks that a text begins with. The text has a few
// bytes more than that.
func (s *Set) findPortable(text string, all []marks) {
	for k := range all {
		block, m := text[k*blockLen:][:blockLen+reach], marks{}
		for i := range blockLen {
			hits := s.bytes[0][block[i]] & s.bytes[1][block[i+1]] & s.bytes[2][block[i+2]]
			m.first |= bit(hits&s.tables.first[0] != 0) << i
			m.anywhere |= bit(hits&^s.tables.first[0] != 0) << i
			m.blank |= bit(block[i] == ' ' || block[i] == '\t') << i
			m.newline |= bit(block[i] == '\n') << i
		}
		all[k] = m
	}
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
