package passage

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The weights of [Index.Search], chosen as those of [Notes].
const (
	saturation   = 1.2  // BM25's k1
	lengthShare  = 0.75 // BM25's b
	neighbour    = 0.7  // what a match gives to the passage next to it
	reach        = 3    // how far it gives
	namedSpeaker = 1.5  // the question names who said it
	leastOfBest  = 0.2  // passages below this share of the best are left out
)

// Bounds of [Index.Search].
const (
	bestMatches  = 200
	mostMisses   = 8    // passages that do not fit, before the search ends
	mostTerms    = 30   // of a question
	manyPassages = 1000 // from here on, common terms are left out
)

var (
	// courtesies are the terms of a message that asks for nothing, or only says that a
	// question follows.
	courtesies = func() map[string]bool {
		stems := map[string]bool{}
		Terms("ok okay thanks thank thx please yes yeah yep sure hi hello hey bye great good nice cool fine perfect continue go ahead proceed next wow awesome well right "+
			"ask asked question something anything thing talk talks talked chat conversation earlier again tell told say said mention remember know discuss", func(t string) { stems[t] = true })
		return stems
	}()
	// courtesyJapanese drops the same from Japanese, where terms cross words.
	courtesyJapanese = strings.NewReplacer("了解", "", "承知", "", "続けて", "", "お願いします", "", "お願いいたします", "", "大丈夫です", "", "分かりました", "")
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
		Terms(p.Text, func(t string) { add(t, 2) })
		Terms(p.Date, func(t string) { add(t, 1) })
		total += float64(x.length[i])
		if _, ok := x.names[p.Speaker]; !ok && p.Speaker != user && p.Speaker != assistant {
			x.names[p.Speaker] = nil
			Terms(p.Speaker, func(t string) { x.names[p.Speaker] = append(x.names[p.Speaker], t) })
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
	asked, known := x.read(question)
	best := x.match(known)
	spread := make(map[int32]float64, (2*reach+1)*len(best))
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
		if name := x.names[x.all[i].Speaker]; len(name) > 0 && !slices.ContainsFunc(name, func(t string) bool { return !asked[t] }) {
			score *= namedSpeaker
		}
		found = append(found, scored{i, score})
	}
	slices.SortFunc(found, better)
	return found
}

// read returns the terms of a question, and the rarest that the index knows, rarest first.
// A question that is only a courtesy has no known terms.
func (x *Index) read(question string) (asked map[string]bool, known []int32) {
	asked = map[string]bool{}
	says := false
	Terms(courtesyJapanese.Replace(question), func(t string) {
		if id, ok := x.ids[t]; ok && !asked[t] {
			known = append(known, id)
			says = says || !courtesies[t]
		}
		asked[t] = true
	})
	if !says {
		return asked, nil
	}
	slices.SortFunc(known, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.size(a), x.size(b)), cmp.Compare(a, b))
	})
	return asked, known[:min(len(known), mostTerms)]
}

// match returns the passages that match best by BM25, best first.
func (x *Index) match(known []int32) []scored {
	scores := make([]float64, len(x.all))
	var touched []int32
	n := float64(len(x.all))
	for _, id := range known {
		df := x.size(id)
		if len(x.all) >= manyPassages && df*5 > len(x.all) {
			break // a term in more than a fifth of the passages says little
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
	var best []scored
	least := 0.0
	for _, i := range touched {
		if scores[i] < least {
			continue
		}
		best = append(best, scored{i, scores[i]})
		if len(best) == 4*bestMatches { // sorting all would take longer than scoring them
			slices.SortFunc(best, better)
			best = best[:bestMatches]
			least = best[bestMatches-1].score
		}
	}
	slices.SortFunc(best, better)
	return best[:min(len(best), bestMatches)]
}

// size returns how many passages have a term.
func (x *Index) size(id int32) int {
	if id == 0 {
		return int(x.ends[0])
	}
	return int(x.ends[id] - x.ends[id-1])
}
