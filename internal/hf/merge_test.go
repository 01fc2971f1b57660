package hf

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawModel makes a model over three letters with tokens of up to five and some of the merges that
// are possible between them, in any order. No training gives such lists, but files may hold them.
func drawModel(t *rapid.T) (*model, map[[2]string]int, map[string]uint32) {
	letters := rapid.StringMatching(`[abc]{2,5}`)
	ids := map[string]uint32{"a": 0, "b": 1, "c": 2}
	tokens := []string{"a", "b", "c"}
	for _, s := range rapid.SliceOfN(letters, 1, 20).Draw(t, "tokens") {
		if _, ok := ids[s]; !ok {
			ids[s] = uint32(len(tokens))
			tokens = append(tokens, s)
		}
	}
	var possible [][2]string
	for _, s := range tokens {
		for i := 1; i < len(s); i++ {
			_, left := ids[s[:i]]
			_, right := ids[s[i:]]
			if left && right {
				possible = append(possible, [2]string{s[:i], s[i:]})
			}
		}
	}
	m := &model{unknown: noToken, chars: newCharTable(3), pairs: newPairTable(len(possible) + 1)}
	for _, s := range tokens[:3] {
		m.chars.put(rune(s[0]), ids[s])
	}
	ranks := make(map[[2]string]int)
	for rank, pair := range rapid.Permutation(possible).Draw(t, "merges") {
		ranks[pair] = rank
		m.pairs.put(ids[pair[0]], ids[pair[1]], uint32(rank), ids[pair[0]+pair[1]])
	}
	return m, ranks, ids
}

// mergeSlowly joins the pair of the lowest rank, the leftmost of these, until there is none.
func mergeSlowly(text string, ranks map[[2]string]int, ids map[string]uint32) []uint32 {
	var symbols []string
	for _, r := range text {
		symbols = append(symbols, string(r))
	}
	for {
		at, low := -1, len(ranks)
		for i := 1; i < len(symbols); i++ {
			if rank, ok := ranks[[2]string{symbols[i-1], symbols[i]}]; ok && rank < low {
				at, low = i-1, rank
			}
		}
		if at < 0 {
			break
		}
		symbols = slices.Replace(symbols, at, at+2, symbols[at]+symbols[at+1])
	}
	var out []uint32
	for _, s := range symbols {
		out = append(out, ids[s])
	}
	return out
}

func TestAnyMergeListIsFollowedByAllWaysToMerge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, ranks, ids := drawModel(t)
		text := rapid.StringMatching(`[abc]{1,120}`).Draw(t, "text")
		want := mergeSlowly(text, ranks, ids)
		var scanned, drained merger
		pairs := newPairCache(m.pairs)
		scanned.symbols(m, text)
		scanned.scan(&pairs)
		drained.symbols(m, text)
		drained.drain(&pairs)
		drained.collect()
		chunked := merger{chunk: rapid.IntRange(4, 60).Draw(t, "chunk")}
		for name, got := range map[string][]uint32{"scan": scanned.ids, "drain": drained.ids, "chunks": chunked.tokens(m, text)} {
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s became %v, want %v", name, text, got, want)
			}
		}
	})
}

func TestRankQueueGivesRanksThenPositions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			rank uint32
			pos  int32
		}
		order := func(a, b entry) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.pos, b.pos)) }
		const ranks = 300_000
		rank := rapid.SampledFrom([]uint32{0, 1, 63, 64, 4095, 4096, 262_143, 262_144, ranks - 1})
		var q rankQueue
		q.reset(ranks)
		var waiting []entry
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "what") > 0 {
				e := entry{rank.Draw(t, "rank"), rapid.Int32Range(0, 1000).Draw(t, "pos")}
				q.push(e.rank, e.pos)
				waiting = append(waiting, e)
				continue
			}
			slices.SortFunc(waiting, order)
			r, p, ok := q.pop()
			if ok != (len(waiting) > 0) || ok && (entry{r, p}) != waiting[0] {
				t.Fatalf("got %d %d %v, waiting %v", r, p, ok, waiting)
			}
			if ok {
				waiting = waiting[1:]
			}
		}
	})
}
