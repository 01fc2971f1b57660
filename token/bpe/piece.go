package bpe

import "unicode/utf8"

// parts is the state of merging: a list of tokens, and for each the merge with its right neighbour as merged
// token<<8 + position, so that the smallest is the one to do next: the lowest rank, and of equal ranks the leftmost.
// Positions are bytes and the arrays have an element for each byte, which spares every bounds check.
type parts struct {
	id, merge  [256]uint32
	next, prev [256]uint8
}

const (
	// maxParts leaves one position to stand for the end.
	maxParts = 255

	// noMerge is a merge of none at position 0; all that are not smaller are no merges either.
	noMerge = none << 8
)

// mergeAll appends the tokens of a piece of 1 to maxParts bytes to dst, which must have room for as many ids.
func (w *worker) mergeAll(piece string, dst []uint32) []uint32 {
	if len(piece) <= fewBytes {
		return w.mergeFew(piece, dst)
	}
	p := &w.parts
	var n int
	if piece[len(piece)-1] < utf8.RuneSelf && isASCII(piece) {
		n = w.startBytes(piece)
	} else {
		n = w.startParts(piece)
	}
	// The search for the smallest takes eight at a time.
	padded := (n + 7) &^ 7
	for i := n - 1; i < padded; i++ {
		p.merge[i] = noMerge
	}
	for {
		best := p.smallest(padded)
		if best >= noMerge {
			break
		}
		w.mergeFrom(uint8(best), uint8(n), best>>8)
	}
	out, count := dst[len(dst):len(dst)+n], 0
	for i := uint8(0); i < uint8(n); i = p.next[i] {
		out[count] = p.id[i]
		count++
	}
	return dst[:len(dst)+count]
}

// smallestPortable returns the smallest of the first n merges, n being a multiple of eight.
func (p *parts) smallestPortable(n int) uint32 {
	a, b, c, d := uint32(noMerge), uint32(noMerge), uint32(noMerge), uint32(noMerge)
	for i := 0; i < n; i += 4 {
		keys := (*[4]uint32)(p.merge[i&0xfc:])
		a = min(a, keys[0])
		b = min(b, keys[1])
		c = min(c, keys[2])
		d = min(d, keys[3])
	}
	return min(a, b, c, d)
}

// mergeFrom merges part i with its right neighbour and goes on to the right as long as the same merge comes next: in
// a run of one character that does all of them without another search.
func (w *worker) mergeFrom(i, n uint8, merged uint32) {
	p := &w.parts
	for {
		right := p.next[i]
		after := p.next[right]
		p.id[i] = merged
		p.merge[right] = noMerge
		p.next[i] = after
		p.prev[after] = i
		// Both answers of the filter are asked for before the first is needed. At an end of the piece one of them is
		// about nothing and does no harm.
		left := p.prev[i]
		before, behind := pairHash(p.id[left], merged), pairHash(merged, p.id[after])
		mayLeft, mayRight := w.maybe.bit(before), w.maybe.bit(behind)
		if i > 0 {
			p.merge[left] = noMerge
			if mayLeft != 0 {
				p.merge[left] = w.mergeKnown(p.id[left], merged, before)<<8 | uint32(left)
			}
		}
		p.merge[i] = noMerge
		if after >= n {
			return
		}
		if p.merge[after]>>8 != merged {
			if mayRight != 0 {
				p.merge[i] = w.mergeKnown(merged, p.id[after], behind)<<8 | uint32(i)
			}
			return
		}
		i = after
	}
}

// mergeKnown is findMerge with a memory: the same pairs come again and again.
func (w *worker) mergeKnown(left, right uint32, hash uint64) uint32 {
	entry := &w.pairs[hash>>(64-pairBits)]
	if key := pairKey(left, right); *entry>>24 != key {
		*entry = key<<24 | uint64(w.findMerge(left, right, hash))
	}
	return uint32(*entry) & none
}

// startParts fills in the parts to start from, with their merges, and returns their number. Most characters of
// several bytes start as what their bytes alone merge into: the merges inside them come before any across their
// borders, except at a frayed border. If that is not one token, nothing merges with its halves.
func (w *worker) startParts(piece string) int {
	p, n := &w.parts, 0
	for i := 0; ; {
		if i, n = w.startWide(piece, i, n); i == len(piece) {
			break
		}
		start := characterStart{w.byteID[piece[i]], 0}
		width := 1
		if piece[i] >= 0xc0 {
			start, width = w.character(piece, i)
		}
		p.id[n&0xff] = start.id
		p.id[(n+1)&0xff] = start.half &^ two
		n += 1 + int(start.half>>31)
		i += width
	}
	w.linkAll(n)
	return n
}

// startWide fills in the next parts as long as they are those of whole characters of three bytes, of which there are
// long runs. It looks at each border once.
func (w *worker) startWide(piece string, i, n int) (nextByte, nextPart int) {
	p := &w.parts
	if i > 0 && i < len(piece) && w.isFrayed(piece[i-1], piece[i]) {
		return i, n
	}
	for i+3 <= len(piece) {
		a, b, c := piece[i], piece[i+1], piece[i+2]
		if a>>4 != 0xe || (b^0x80)|(c^0x80) >= 0x40 || i+3 < len(piece) && w.isFrayed(c, piece[i+3]) {
			break
		}
		start := w.wideStart[wideIndex(a, b, c)]
		if start.id|start.half == 0 {
			start = w.fillWide(a, b, c)
		}
		if start.id == none {
			break
		}
		p.id[n&0xff] = start.id
		p.id[(n+1)&0xff] = start.half &^ two
		n += 1 + int(start.half>>31)
		i += 3
	}
	return i, n
}

// link notes that part i has a right neighbour and what the two merge into.
func (p *parts) link(i uint8, merged uint32) {
	p.merge[i] = merged<<8 | uint32(i)
	p.next[i], p.prev[i+1] = i+1, i
}

// characterStart is what a character starts as: one token, or two, of which the second is half plus two.
type characterStart struct{ id, half uint32 }

const two = 1 << 31

// character returns what the character at i starts as, or its first byte if merging may not start from the whole
// character.
func (w *worker) character(piece string, i int) (start characterStart, width int) {
	b := piece[i]
	first := w.byteID[b]
	switch {
	case b < 0xe0 && i+1 < len(piece) && !utf8.RuneStart(piece[i+1]):
		start.id, width = w.duo[first<<8|w.byteID[piece[i+1]]], 2
	case b >= 0xe0 && b < 0xf0 && i+2 < len(piece) && !utf8.RuneStart(piece[i+1]) && !utf8.RuneStart(piece[i+2]):
		width = 3
		if start = w.wideStart[wideIndex(b, piece[i+1], piece[i+2])]; start.id|start.half == 0 {
			start = w.fillWide(b, piece[i+1], piece[i+2])
		}
	default:
		return characterStart{id: first}, 1
	}
	end := i + width
	if start.id == none || i > 0 && w.isFrayed(piece[i-1], b) || end < len(piece) && w.isFrayed(piece[end-1], piece[end]) {
		return characterStart{id: first}, 1
	}
	return start, width
}

func wideIndex(a, b, c byte) uint16 { return uint16(a)<<12 | uint16(b&63)<<6 | uint16(c&63) }

// fillWide returns and remembers what a character of three bytes starts as.
func (w *worker) fillWide(a, b, c byte) characterStart {
	start := characterStart{id: w.wide[wideIndex(a, b, c)]}
	if start.id == 0 {
		start.id, start.half = w.halves(w.byteID[a], w.byteID[b], w.byteID[c])
		start.half |= two
	}
	w.wideStart[wideIndex(a, b, c)] = start
	return start
}

// halves returns the two tokens that three bytes which are no token merge into, or none.
func (t *tables) halves(a, b, c uint32) (left, right uint32) {
	ab, bc := t.duo[a<<8|b], t.duo[b<<8|c]
	switch {
	case ab < bc:
		return ab, c
	case bc < ab:
		return a, bc
	}
	return none, none
}
