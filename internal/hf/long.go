package hf

import "slices"

// drain merges a row in O(n log n): a queue of (rank, position) over a linked list of symbols. An
// entry is stale when the merge at its position has changed since it was put in. Symbols that went
// into their left neighbour are left as noToken, so that the others keep their positions.
func (g *merger) drain(pairs *pairCache) {
	g.start(pairs)
	ids, merges, links := g.ids, g.merges, g.links
	for {
		rank, at, ok := g.queue.pop()
		if !ok {
			break
		}
		if merges[at] == noMerge || uint32(merges[at]>>32) != rank {
			continue
		}
		right := links[at].next
		next := links[right].next
		ids[at] = uint32(merges[at])
		ids[right], merges[right], merges[at] = noToken, noMerge, noMerge
		links[at].next = next
		if prev := links[at].prev; prev >= 0 {
			g.offer(prev, pairs.get(ids[prev], ids[at]))
		}
		if next < int32(len(ids)) {
			links[next].prev = at
			g.offer(at, pairs.get(ids[at], ids[next]))
		}
	}
}

// start links the symbols and enters the merges of all neighbours.
func (g *merger) start(pairs *pairCache) {
	g.merges = append(g.rank(pairs), noMerge)
	g.links = g.links[:0]
	for i := range int32(len(g.ids)) {
		g.links = append(g.links, neighbours{i - 1, i + 1})
	}
	g.queue.reset(pairs.pairs.ranks)
	for i, m := range g.merges {
		g.offer(int32(i), m)
	}
}

// offer makes merge the one of the symbol at a position with its right neighbour.
func (g *merger) offer(at int32, merge uint64) {
	g.merges[at] = merge
	if merge != noMerge {
		g.queue.push(uint32(merge>>32), at)
	}
}

// collect drops the symbols that went into their left neighbour.
func (g *merger) collect() {
	kept := g.ids[:0]
	for _, id := range g.ids {
		if id != noToken {
			kept = append(kept, id)
		}
	}
	g.ids = kept
}

// long merges a long row chunk by chunk, in linear time and in memory that stays in the caches.
//
// It rests on this: a row of tokens is the encoding of its text exactly if every two neighbours
// are the encoding of theirs. (The first merge across a boundary of such a row would happen as
// well if only its two sides were there, because nothing else has reached them yet.) So two
// encodings of overlapping stretches may be joined at a token that both contain. Each chunk begins
// with a token of the chunk before, far from its end; if merging the chunk gives that token
// again, everything before it is final. If not, the row is merged as a whole.
func (g *merger) long(pairs *pairCache, chunk int) []uint32 {
	g.all = append(g.all[:0], g.ids...)
	g.out = g.out[:0]
	shared, size := noToken, 0
	for from, before := 0, 0; ; {
		to := min(from+chunk, len(g.all))
		// A run of one character makes chunks that are all alike: the tokens are there already.
		if from == 0 || !slices.Equal(g.all[from:to], g.all[before:before+chunk]) {
			g.ids = append(g.ids[:0], g.all[from:to]...)
			g.drain(pairs)
		}
		if shared != noToken && (g.ids[0] != shared || int(g.links[0].next) != size) {
			return g.wholeRow(pairs)
		}
		if to == len(g.all) {
			g.collect()
			return append(g.out, g.ids...)
		}
		at := g.lastStart(chunk - chunk/4)
		if at == 0 {
			return g.wholeRow(pairs)
		}
		for _, id := range g.ids[:at] {
			if id != noToken {
				g.out = append(g.out, id)
			}
		}
		shared, size = g.ids[at], int(g.links[at].next)-at
		before, from = from, from+at
	}
}

// lastStart returns the last position up to limit at which a token starts.
func (g *merger) lastStart(limit int) int {
	for limit > 0 && g.ids[limit] == noToken {
		limit--
	}
	return limit
}

func (g *merger) wholeRow(pairs *pairCache) []uint32 {
	g.ids = append(g.ids[:0], g.all...)
	g.drain(pairs)
	g.collect()
	return g.ids
}
