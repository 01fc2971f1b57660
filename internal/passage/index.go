package passage

import (
	"cmp"
	"math"
	"slices"
)

// The weights of [Index.Search], chosen as those of [Notes].
const (
	saturation    = 1.2 // BM25's k1
	lengthShare   = 0.75
	neighbour     = 0.7 // what a match gives to the passage next to it
	reach         = 3   // how far it gives
	namedSpeaker  = 1.5
	leastOfBest   = 0.2
	bestMatches   = 200
	mostMisses    = 8
	mostQuestion  = 30
	manyPassages  = 1000
	commonPortion = 5 // a term in more than a fifth of many passages says little
)

// Index finds passages by the words of a question. It is immutable and safe for concurrent
// use.
type Index struct {
	all     []Passage
	ids     map[string]int32
	ends    []int32  // where the matches of each term end
	passage []int32  // the passages that have the term, in order
	twice   []uint16 // twice how often; a term of the date counts half
	length  []float32
	average float64
	names   map[string][]string // the terms of each speaker's name
}

// NewIndex indexes passages. It keeps the slice.
func NewIndex(all []Passage) *Index {
	x := &Index{all: all, ids: map[string]int32{}, length: make([]float32, len(all)), names: map[string][]string{}}
	type match struct {
		term  int32
		where int32
		twice uint16
	}
	var matches []match
	var sizes []int32
	last := []int{} // where the last match of each term is
	total := 0.0
	for i, p := range all {
		from := len(matches)
		add := func(t string, twice uint16) {
			id, ok := x.ids[t]
			if !ok {
				id = int32(len(sizes))
				x.ids[t] = id
				sizes = append(sizes, 0)
				last = append(last, -1)
			}
			if last[id] < from {
				last[id] = len(matches)
				matches = append(matches, match{term: id, where: int32(i)})
				sizes[id]++
			}
			m := &matches[last[id]]
			m.twice = min(m.twice, math.MaxUint16-twice) + twice
			x.length[i] += float32(twice) / 2
		}
		terms(p.Text, func(t string) { add(t, 2) })
		terms(p.Date, func(t string) { add(t, 1) })
		total += float64(x.length[i])
		if _, ok := x.names[p.Speaker]; !ok && p.Speaker != user && p.Speaker != assistant {
			x.names[p.Speaker] = nil
			terms(p.Speaker, func(t string) { x.names[p.Speaker] = append(x.names[p.Speaker], t) })
		}
	}
	x.average = max(1, total/float64(max(1, len(all))))
	x.ends = make([]int32, len(sizes))
	sum := int32(0)
	for id, n := range sizes {
		x.ends[id] = sum
		sum += n
	}
	x.passage, x.twice = make([]int32, sum), make([]uint16, sum)
	for _, m := range matches { // ends moves from the beginning to the end of each list
		x.passage[x.ends[m.term]], x.twice[x.ends[m.term]] = m.where, m.twice
		x.ends[m.term]++
	}
	return x
}

// Search returns the passages that a question needs, verbatim and in order, with dates and
// speakers. They have at most budget tokens by count. It returns "" if none matches.
func (x *Index) Search(question string, budget int, count func(string) int) string {
	found := x.find(question)
	var got []int
	dated := map[string]bool{}
	left, misses := budget, 0
	for _, f := range found {
		p := x.all[f.passage]
		if f.score < leastOfBest*found[0].score || misses > mostMisses {
			break
		}
		price := left + 1
		if len(p.Text) <= 16*budget {
			price = count(p.Speaker+": "+p.Text) + 1
		}
		if p.Date != "" && !dated[p.Date] {
			price += count(p.Date) + 1
		}
		if price > left {
			misses++
			continue
		}
		left -= price
		dated[p.Date] = true
		got = append(got, int(f.passage))
	}
	for {
		var w writer
		for _, i := range slices.Sorted(slices.Values(got)) {
			w.add(x.all, i, x.all[i].Text)
		}
		if len(got) == 0 || count(w.String()) <= budget {
			return w.String()
		}
		got = got[:len(got)-1]
	}
}

// scored is a passage with what it is worth for a question.
type scored struct {
	passage int32
	score   float64
}

func better(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage))
}

// find returns the passages that match, and their neighbours, best first.
func (x *Index) find(question string) []scored {
	asked := map[string]bool{}
	var known []int32
	terms(question, func(t string) {
		id, ok := x.ids[t]
		if ok && !asked[t] {
			known = append(known, id)
		}
		asked[t] = true
	})
	slices.SortFunc(known, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.size(a), x.size(b)), cmp.Compare(a, b))
	})
	scores := make([]float64, len(x.all))
	var touched []int32
	n := float64(len(x.all))
	for _, id := range known[:min(len(known), mostQuestion)] {
		df := x.size(id)
		if len(x.all) >= manyPassages && df*commonPortion > len(x.all) {
			break
		}
		idf := math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
		for at := int(x.ends[id]) - df; at < int(x.ends[id]); at++ {
			i := x.passage[at]
			if scores[i] == 0 {
				touched = append(touched, i)
			}
			c := float64(x.twice[at]) / 2
			scores[i] += idf * c * (saturation + 1) / (c + saturation*(1-lengthShare+lengthShare*float64(x.length[i])/x.average))
		}
	}
	best := make([]scored, len(touched))
	for k, i := range touched {
		best[k] = scored{i, scores[i]}
	}
	slices.SortFunc(best, better)
	best = best[:min(len(best), bestMatches)]
	spread := map[int32]float64{}
	for _, b := range best {
		spread[b.passage] += b.score
		share := b.score
		for d := int32(1); d <= reach; d++ {
			share *= neighbour
			for _, j := range [...]int32{b.passage - d, b.passage + d} {
				if j >= 0 && int(j) < len(x.all) {
					spread[j] += share
				}
			}
		}
	}
	found := make([]scored, 0, len(spread))
	for i, score := range spread {
		if named := x.names[x.all[i].Speaker]; len(named) > 0 && !slices.ContainsFunc(named, func(t string) bool { return !asked[t] }) {
			score *= namedSpeaker
		}
		found = append(found, scored{i, score})
	}
	slices.SortFunc(found, better)
	return found
}

// size returns how many passages have a term.
func (x *Index) size(id int32) int {
	if id == 0 {
		return int(x.ends[0])
	}
	return int(x.ends[id] - x.ends[id-1])
}
