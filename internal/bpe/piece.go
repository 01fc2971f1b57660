package bpe

import "unicode/utf8"

// parts is the state of merging: a list of tokens, and for each the merge with its right neighbour as merged
// token<<8 + position, so that the smallest is the one to do next: the lowest rank, and of equal ranks the leftmost.
// Positions are bytes and the arrays have an element for each byte, which spares every bounds check. At both ends of the
// list stands a part that merges with nothing, so that no step asks whether it is at an end.
type parts struct {
	id [256]uint32

	// fence is no merge. It stands right before the first one for those who look at the one before each.
	fence uint32
	merge [256]uint32

	next, prev [256]uint8
}

const (
	// blockLen is how many merges are compared at once.
	blockLen = 8

	// maxParts leaves two positions to stand for the ends.
	maxParts = 254

	// front is the position of the part before the first. The one behind the last comes next in the arrays.
	front = 255

	// edge is the token of the parts at the ends, an id that no vocabulary has.
	edge = idMask

	// noMerge is a merge of none at position 0; all that are not smaller are no merges either.
	noMerge = none << 8
)

// mergeAll appends the tokens of a piece of 1 to maxParts bytes to dst, which must have room for as many ids.
func (w *worker) mergeAll(piece string, dst []uint32) []uint32 {
	if len(piece) <= fewBytes {
		return w.mergeFew(piece, dst)
	}
	p := &w.parts
	count := w.mergeParts(piece)
	out, i := dst[len(dst):len(dst)+count], uint8(0)
	for k := range out {
		out[k] = p.id[i]
		i = p.next[i]
	}
	return dst[:len(dst)+count]
}

// countMerged returns the number of tokens of a piece of 1 to maxParts bytes.
func (w *worker) countMerged(piece string) int {
	if len(piece) <= fewBytes {
		return len(w.mergeFew(piece, w.stack[:0]))
	}
	return w.mergeParts(piece)
}

// mergeParts leaves the tokens of a piece of more than fewBytes bytes in the list of parts, which starts at position 0,
// and returns their number.
func (w *worker) mergeParts(piece string) (count int) {
	var n int
	if piece[len(piece)-1] < utf8.RuneSelf && isASCII(piece) {
		n, count = w.startASCII(piece)
	} else {
		n = w.startParts(piece)
		w.linkSparse(n)
		count = n
	}
	if n <= blockLen {
		return count - w.mergeBlock()
	}
	return count - w.mergeBlocks((n+blockLen-1)&^(blockLen-1))
}

// mergeBlock does the merges of a list of up to eight parts and returns their number.
func (w *worker) mergeBlock() (done int) {
	for ; ; done++ {
		m := (*[blockLen]uint32)(w.parts.merge[:])
		best := min(min(m[0], m[1]), min(m[2], m[3]), min(min(m[4], m[5]), min(m[6], m[7])))
		if best >= noMerge {
			return done
		}
		w.mergeAt(uint8(best), best>>8)
	}
}

// mergeBlocks is mergeBlock for a longer list, the length of which is rounded up to whole blocks. After a merge it goes
// on to the right as long as the same one comes next: in a run of one character that does all of them without another
// search.
func (w *worker) mergeBlocks(n int) (done int) {
	p := &w.parts
	for {
		best := p.smallest(n)
		if best >= noMerge {
			return done
		}
		for at, merged := uint8(best), best>>8; p.merge[at]>>8 == merged; at = p.next[at] {
			w.mergeAt(at, merged)
			done++
		}
	}
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

// link makes a list of the first n parts and fills in what neighbours merge into. The loop has hardly a branch that
// depends on the text: most merges of short pieces are remembered.
func (w *worker) link(n int) {
	p := &w.parts
	p.close(n)
	for i := range n {
		at := uint8(i)
		p.next[at], p.prev[at+1] = at+1, at
		pair := pairKey(p.id[at], p.id[at+1])
		merged, unknown := w.recall(pair)
		if unknown != 0 {
			merged = w.mergeKnown(pair)
		}
		p.merge[at] = merged<<8 | uint32(at)
	}
}

// linkSparse is link for parts of which few merge: only those that the filter does not rule out are looked for.
func (w *worker) linkSparse(n int) {
	p, likely, count := &w.parts, &w.likely, 0
	p.close(n)
	for i := range n {
		at := uint8(i)
		p.next[at], p.prev[at+1] = at+1, at
		p.merge[at] = noMerge
		likely[count&0xff] = at
		count += w.maybe.bit(pairHash(p.id[at], p.id[at+1]))
	}
	for _, at := range likely[:count] {
		p.merge[at] = w.mergeKnown(pairKey(p.id[at], p.id[at+1]))<<8 | uint32(at)
	}
}

// close puts the parts that merge with nothing at both ends of a list of n parts.
func (p *parts) close(n int) {
	p.prev[0], p.id[front], p.id[n&0xff], p.fence = front, edge, edge, noMerge
	for i := n; i < (n+blockLen)&^(blockLen-1); i++ {
		p.merge[i&0xff] = noMerge
	}
}

// mergeAt does the merge at position i.
func (w *worker) mergeAt(i uint8, merged uint32) {
	p := &w.parts
	right, left := p.next[i], p.prev[i]
	after := p.next[right]
	p.id[i] = merged
	p.merge[right] = noMerge
	p.next[i] = after
	p.prev[after] = i
	leftPair, rightPair := pairKey(p.id[left], merged), pairKey(merged, p.id[after])
	before, behind := uint32(none), uint32(none)
	// Both answers of the filter are asked for before the first is needed.
	mayLeft, mayRight := w.maybe.bit(leftPair*hashFactor), w.maybe.bit(rightPair*hashFactor)
	if mayLeft != 0 {
		before = w.mergeKnown(leftPair)
	}
	if mayRight != 0 {
		behind = w.mergeKnown(rightPair)
	}
	p.merge[left] = before<<8 | uint32(left)
	p.merge[i] = behind<<8 | uint32(i)
}

// mergeKnown is findMerge with a memory: the same pairs come again and again.
func (w *worker) mergeKnown(key uint64) uint32 {
	entry := &w.pairs[key*hashFactor>>(64-pairBits)]
	if *entry>>24 != key {
		*entry = key<<24 | uint64(w.findMerge(key))
	}
	return uint32(*entry) & none
}

// recall returns what a pair merges into as far as the memo of merges tells, and whether it does not. It has no branch,
// because what a text merges next is not to be predicted.
func (w *worker) recall(key uint64) (merged uint32, unknown uint64) {
	hash := key * hashFactor
	may, entry := w.maybe.bit(hash), w.pairs[hash>>(64-pairBits)]
	differs := entry>>24 ^ key
	return (uint32(entry) | uint32(may-1)) & none, (differs | -differs) >> 63 & uint64(may)
}

// startParts fills in the parts to start from and returns their number. Most characters of several bytes start as what
// their bytes alone merge into: the merges inside them come before any across their borders, except at a frayed border.
// If that is not one token, nothing merges with its halves.
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
		start.id, width = w.duo[duoSlot(b, piece[i+1])], 2
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
		start.id, start.half = w.halves(a, b, c)
		start.half |= two
	}
	w.wideStart[wideIndex(a, b, c)] = start
	return start
}

// halves returns the two tokens that three bytes which are no token merge into, or none.
func (t *tables) halves(a, b, c byte) (left, right uint32) {
	ab, bc := t.duo[duoSlot(a, b)], t.duo[duoSlot(b, c)]
	switch {
	case ab < bc:
		return ab, t.byteID[c]
	case bc < ab:
		return t.byteID[a], bc
	}
	return none, none
}
