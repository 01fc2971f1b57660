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
	p := &w.parts
	var n int
	if piece[len(piece)-1] < utf8.RuneSelf && isASCII(piece) {
		n = w.startBytes(piece)
	} else {
		n = w.startParts(piece)
	}
	// The search for the smallest takes four at a time.
	padded := (n + 3) &^ 3
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

// smallest returns the smallest of the first n merges, n being a multiple of four.
func (p *parts) smallest(n int) uint32 {
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
		if i > 0 {
			left := p.prev[i]
			p.merge[left] = w.mergeAgain(p.id[left], merged)<<8 | uint32(left)
		}
		if after >= n {
			p.merge[i] = noMerge
			return
		}
		if p.merge[after]>>8 != merged {
			p.merge[i] = w.mergeAgain(merged, p.id[after])<<8 | uint32(i)
			return
		}
		i = after
	}
}

// mergeAgain is mergeWide with a memory for pairs that pass the filter: the same ones come again and again.
func (w *worker) mergeAgain(left, right uint32) uint32 {
	hash := pairHash(left, right)
	if !w.maybe.has(hash) {
		return none
	}
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
	for i := 0; i < len(piece); {
		b := piece[i]
		id, half, width := w.byteID[b], uint32(none), 1
		if b >= 0xc0 {
			id, half, width = w.character(piece, i)
		}
		p.id[n&0xff] = id
		n++
		if half != none {
			p.id[n&0xff] = half
			n++
		}
		i += width
	}
	w.linkAll(n)
	return n
}

// link notes that part i has a right neighbour and what the two merge into.
func (p *parts) link(i uint8, merged uint32) {
	p.merge[i] = merged<<8 | uint32(i)
	p.next[i], p.prev[i+1] = i+1, i
}

// character returns what the character at i starts as: one token, or two, of which the second is half, or its first
// byte if merging may not start from the whole character.
func (w *worker) character(piece string, i int) (id, half uint32, width int) {
	b := piece[i]
	first := w.byteID[b]
	half = none
	switch {
	case b < 0xe0 && i+1 < len(piece) && !utf8.RuneStart(piece[i+1]):
		id, width = w.duo[first<<8|w.byteID[piece[i+1]]], 2
	case b >= 0xe0 && b < 0xf0 && i+2 < len(piece) && !utf8.RuneStart(piece[i+1]) && !utf8.RuneStart(piece[i+2]):
		width = 3
		if id = w.wide[uint16(b)<<12|uint16(piece[i+1]&63)<<6|uint16(piece[i+2]&63)]; id == 0 {
			id, half = w.halves(first, w.byteID[piece[i+1]], w.byteID[piece[i+2]])
		}
	default:
		return first, none, 1
	}
	end := i + width
	if id == none || i > 0 && w.isFrayed(piece[i-1], b) || end < len(piece) && w.isFrayed(piece[end-1], piece[end]) {
		return first, none, 1
	}
	return id, half, width
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
