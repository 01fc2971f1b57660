package hf

import (
	"cmp"
	"unicode/utf8"
)

// model is byte-pair encoding with Hugging Face's rules: among all neighbours that the merge list
// knows, the pair with the lowest rank is joined first, the leftmost of equal ones. It is immutable.
type model struct {
	pairs    *pairTable
	bytes    *[256]uint32      // byte-level families: the token of each byte; nil otherwise
	chars    *charTable        // other families: the token of each character
	fallback *[256]uint32      // tokens <0x00> to <0xFF>; nil without byte fallback
	whole    map[string]uint32 // ignore_merges: a piece that is a token is not merged; nil otherwise
	joints   *joints           // where a piece may be cut beforehand; nil when nowhere
	unknown  uint32            // noToken: what has no token is dropped
	fuse     bool              // neighbouring unknown characters are one token
}

// merger is the scratch memory of one goroutine that merges pieces.
type merger struct {
	pairs  pairCache
	ids    []uint32
	merges []uint64
	links  []neighbours
	queue  rankQueue
	all    []uint32 // the symbols of a long row
	out    []uint32 // its tokens
	chunk  int      // symbols merged at once; 0 is chunkSymbols
}

type neighbours struct{ prev, next int32 }

// Rows of up to scanLimit symbols are merged by looking for the smallest rank in the row, which
// is faster than a queue while the row fits in a few cache lines.
const scanLimit = 48

// chunkSymbols is how much of a long row is merged at once: what fits in the first-level caches.
const chunkSymbols = 2048

// keepSymbols bounds the scratch memory that is kept between calls.
const keepSymbols = 1 << 16

// tokens returns the ids of one piece; the slice is valid until the next call.
func (g *merger) tokens(m *model, piece string) []uint32 {
	g.symbols(m, piece)
	if g.pairs.pairs != m.pairs {
		g.pairs = newPairCache(m.pairs)
	}
	if chunk := cmp.Or(g.chunk, chunkSymbols); len(g.ids) > chunk {
		return g.long(&g.pairs, chunk)
	}
	if len(g.ids) <= scanLimit {
		g.scan(&g.pairs)
	} else {
		g.drain(&g.pairs)
		g.collect()
	}
	return g.ids
}

// release gives back scratch memory that one huge piece made necessary.
func (g *merger) release() {
	if cap(g.ids)+cap(g.all) > keepSymbols {
		q := rankQueue{lists: g.queue.lists, used: g.queue.used}
		*g = merger{pairs: g.pairs, queue: q, chunk: g.chunk}
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

// scan merges a short row: the smallest merge is searched again after each step.
func (g *merger) scan(pairs *pairCache) {
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
func (g *merger) rank(pairs *pairCache) []uint64 {
	g.merges = g.merges[:0]
	for i := 1; i < len(g.ids); i++ {
		g.merges = append(g.merges, pairs.get(g.ids[i-1], g.ids[i]))
	}
	return g.merges
}
