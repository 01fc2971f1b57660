package hf

import "unicode/utf8"

// model is byte-pair encoding with Hugging Face's rules: among all neighbours that the merge list
// knows, the pair with the lowest rank is joined first, the leftmost of equal ones. It is immutable.
type model struct {
	pairs    *pairTable
	bytes    *[256]uint32      // byte-level families: the token of each byte; nil otherwise
	chars    *charTable        // other families: the token of each character
	fallback *[256]uint32      // tokens <0x00> to <0xFF>; nil without byte fallback
	whole    map[string]uint32 // ignore_merges: a piece that is a token stays whole; nil otherwise
	joints   *joints           // where a piece may be cut beforehand; nil when nowhere
	unknown  uint32            // noToken: what has no token is dropped
	fuse     bool              // neighbouring unknown characters are one token
}

// merger is the scratch memory of one goroutine that merges pieces.
type merger struct {
	ids    []uint32
	merges []uint64
	links  []link
	heap   []uint64
}

type link struct{ prev, next int32 }

// Pieces of up to scanLimit symbols are merged by looking for the smallest rank in a row, which
// is faster than a heap while the row fits in a few cache lines.
const scanLimit = 48

// keepSymbols bounds the scratch memory that is kept between calls.
const keepSymbols = 1 << 16

// tokens returns the ids of one piece; the slice is valid until the next call.
func (g *merger) tokens(m *model, piece string) []uint32 {
	if m.whole != nil {
		if id, ok := m.whole[piece]; ok {
			g.ids = append(g.ids[:0], id)
			return g.ids
		}
	}
	g.symbols(m, piece)
	if len(g.ids) <= scanLimit {
		g.scan(m.pairs)
	} else {
		g.queue(m.pairs)
	}
	return g.ids
}

// release gives back scratch memory that one huge piece made necessary.
func (g *merger) release() {
	if cap(g.ids) > keepSymbols {
		*g = merger{}
	}
}

// symbols fills ids with the tokens that merging starts from.
func (g *merger) symbols(m *model, piece string) {
	g.ids = g.ids[:0]
	if m.bytes != nil {
		g.byteSymbols(m, piece)
		return
	}
	afterUnknown := false
	for i := 0; i < len(piece); {
		r, n := utf8.DecodeRuneInString(piece[i:])
		id := m.chars.find(r, n)
		switch {
		case id != noToken:
			g.ids = append(g.ids, id)
			afterUnknown = false
		case g.fallbackSymbols(m, piece[i:i+n]):
			afterUnknown = false
		default:
			g.unknownSymbol(m, afterUnknown)
			afterUnknown = true
		}
		i += n
	}
}

func (g *merger) byteSymbols(m *model, piece string) {
	afterUnknown := false
	for i := range len(piece) {
		id := m.bytes[piece[i]]
		if id == noToken {
			g.unknownSymbol(m, afterUnknown)
			afterUnknown = true
			continue
		}
		g.ids = append(g.ids, id)
		afterUnknown = false
	}
}

// fallbackSymbols spells a character in byte tokens, if all of its bytes have one.
func (g *merger) fallbackSymbols(m *model, char string) bool {
	if m.fallback == nil {
		return false
	}
	mark := len(g.ids)
	for i := range len(char) {
		id := m.fallback[char[i]]
		if id == noToken {
			g.ids = g.ids[:mark]
			return false
		}
		g.ids = append(g.ids, id)
	}
	return true
}

func (g *merger) unknownSymbol(m *model, afterUnknown bool) {
	if m.unknown != noToken && !(m.fuse && afterUnknown) {
		g.ids = append(g.ids, m.unknown)
	}
}

// scan merges a short row: the smallest merge is searched anew after each step.
func (g *merger) scan(pairs *pairTable) {
	ids := g.ids
	merges := g.rank(pairs)
	for {
		at, low := -1, noMerge
		for i, m := range merges {
			if m < low {
				at, low = i, m
			}
		}
		if at < 0 {
			break
		}
		ids[at] = uint32(low)
		ids = append(ids[:at+1], ids[at+2:]...)
		merges = append(merges[:at], merges[at+1:]...)
		if at < len(merges) {
			merges[at] = pairs.get(ids[at], ids[at+1])
		}
		if at > 0 {
			merges[at-1] = pairs.get(ids[at-1], ids[at])
		}
	}
	g.ids = ids
}

// rank returns the merge of every symbol with its right neighbour.
func (g *merger) rank(pairs *pairTable) []uint64 {
	g.merges = g.merges[:0]
	for i := 1; i < len(g.ids); i++ {
		g.merges = append(g.merges, pairs.get(g.ids[i-1], g.ids[i]))
	}
	return g.merges
}

// queue merges a long row in O(n log n): a heap of (rank, position) over a linked list of symbols.
// An entry is stale when the merge at its position has changed since it was pushed.
func (g *merger) queue(pairs *pairTable) {
	ids := g.ids
	merges := append(g.rank(pairs), noMerge)
	g.link(len(ids))
	g.heap = g.heap[:0]
	for i, m := range merges {
		if m != noMerge {
			g.heap = append(g.heap, m>>32<<32|uint64(i))
		}
	}
	g.heapify()
	for len(g.heap) > 0 {
		top := g.pop()
		at := int32(uint32(top))
		if merges[at] == noMerge || merges[at]>>32 != top>>32 {
			continue
		}
		right := g.links[at].next
		ids[at] = uint32(merges[at])
		ids[right], merges[right] = noToken, noMerge
		next := g.links[right].next
		g.links[at].next = next
		merges[at] = noMerge
		if next < int32(len(ids)) {
			g.links[next].prev = at
			g.offer(merges, at, pairs.get(ids[at], ids[next]))
		}
		if prev := g.links[at].prev; prev >= 0 {
			g.offer(merges, prev, pairs.get(ids[prev], ids[at]))
		}
	}
	g.merges = merges[:0]
	g.collect()
}

func (g *merger) link(n int) {
	g.links = g.links[:0]
	for i := range int32(n) {
		g.links = append(g.links, link{i - 1, i + 1})
	}
}

func (g *merger) offer(merges []uint64, at int32, merge uint64) {
	merges[at] = merge
	if merge != noMerge {
		g.push(merge>>32<<32 | uint64(at))
	}
}

// collect drops the symbols that were merged into their left neighbour.
func (g *merger) collect() {
	kept := g.ids[:0]
	for _, id := range g.ids {
		if id != noToken {
			kept = append(kept, id)
		}
	}
	g.ids = kept
}

// The heap has four children per node: half the levels of a binary one, and the children of a
// node share a cache line.

func (g *merger) heapify() {
	for i := len(g.heap)/4 + 1; i >= 0; i-- {
		g.down(i)
	}
}

func (g *merger) push(v uint64) {
	g.heap = append(g.heap, v)
	h := g.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if h[parent] <= v {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = v
}

func (g *merger) pop() uint64 {
	top := g.heap[0]
	last := len(g.heap) - 1
	g.heap[0] = g.heap[last]
	g.heap = g.heap[:last]
	g.down(0)
	return top
}

func (g *merger) down(i int) {
	h := g.heap
	if i >= len(h) {
		return
	}
	v := h[i]
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(h)); c++ {
			if h[c] < h[least] {
				least = c
			}
		}
		if v <= h[least] {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = v
}
