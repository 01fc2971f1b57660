package hf_test

import (
	"cmp"
	"slices"
)

// learned is the result of training: symbols, then one token per merge, in the order of learning.
type learned struct {
	tokens []string
	merges [][2]string
}

// train learns byte-pair merges from pieces of symbols: the most frequent pair first, the smaller
// of equally frequent ones. It is the textbook method, slow and small.
func train(pieces [][]string, alphabet []string, merges int) learned {
	result := learned{tokens: slices.Clone(alphabet)}
	known := make(map[string]bool)
	for _, s := range alphabet {
		known[s] = true
	}
	for len(result.merges) < merges {
		counts := make(map[[2]string]int)
		for _, p := range pieces {
			for i := 1; i < len(p); i++ {
				counts[[2]string{p[i-1], p[i]}]++
			}
		}
		var best [2]string
		for pair, n := range counts {
			before := cmp.Or(counts[best]-n, cmp.Compare(pair[0], best[0]), cmp.Compare(pair[1], best[1]))
			if before < 0 {
				best = pair
			}
		}
		if counts[best] < 2 {
			break
		}
		result.merges = append(result.merges, best)
		if joined := best[0] + best[1]; !known[joined] {
			known[joined] = true
			result.tokens = append(result.tokens, joined)
		}
		for i, p := range pieces {
			pieces[i] = joinPair(p, best)
		}
	}
	return result
}

// joinPair joins all occurrences of a pair, from the left.
func joinPair(symbols []string, pair [2]string) []string {
	var out []string
	for i := 0; i < len(symbols); i++ {
		if i+1 < len(symbols) && symbols[i] == pair[0] && symbols[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
			continue
		}
		out = append(out, symbols[i])
	}
	return out
}
