package summary

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/passage"
)

// maxCandidates bounds the sentences that are ranked against each other.
const maxCandidates = 3000

// candidate is a sentence that may stand in a summary.
type candidate struct {
	text string
	// order is its place in the conversation.
	order int
	// weight multiplies its rank.
	weight float64
}

// rankSentences returns the n best candidates, best first. A candidate is good if its
// rare words are frequent in the whole text, and if it repeats no better one. It takes
// time linear in the words.
func rankSentences(all []candidate, n int) []candidate {
	if len(all) > maxCandidates {
		all = all[len(all)-maxCandidates:]
	}
	bags := make([][]int32, len(all))
	ids := map[string]int32{}
	var inSentences []float64
	for i, c := range all {
		passage.Terms(c.text, func(term string) {
			id, ok := ids[term]
			if !ok {
				id = int32(len(inSentences))
				ids[term] = id
				inSentences = append(inSentences, 0)
			}
			if !slices.Contains(bags[i], id) && len(bags[i]) < 60 {
				bags[i] = append(bags[i], id)
				inSentences[id]++
			}
		})
	}
	for _, bag := range bags {
		slices.Sort(bag)
	}
	// A word weighs by how often it comes back, and by how rare it is. One that never
	// comes back is not what the text is about.
	weights := make([]float64, len(inSentences))
	for id, f := range inSentences {
		weights[id] = math.Log(f) * math.Log(1+float64(len(all))/f)
	}
	scores := make([]float64, len(all))
	for i, bag := range bags {
		for _, id := range bag {
			scores[i] += weights[id]
		}
		// Long sentences have more words; half of that is their merit.
		scores[i] *= all[i].weight / math.Sqrt(float64(len(bag))+4)
	}
	return pick(all, bags, scores, n)
}

// pick takes the best sentences and passes over those that repeat one that was taken.
func pick(all []candidate, bags [][]int32, scores []float64, n int) []candidate {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a))
	})
	var taken []int
	var best []candidate
	for _, i := range order {
		if len(best) == n {
			break
		}
		if len(bags[i]) < 2 || slices.ContainsFunc(taken, func(j int) bool { return repeats(bags[i], bags[j]) }) {
			continue
		}
		taken = append(taken, i)
		best = append(best, all[i])
	}
	return best
}

// repeats reports whether two sorted bags have most words in common, or one is a part
// of the other.
func repeats(a, b []int32) bool {
	common := passage.Common(a, b)
	return common*10 >= max(len(a), len(b))*6 || common*10 >= min(len(a), len(b))*9
}
