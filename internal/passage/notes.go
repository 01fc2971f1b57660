package passage

import (
	"cmp"
	"container/heap"
	"strings"
)

// labelCost is the tokens that a new line costs for its speaker.
const labelCost = 3.0

// Notes writes the sentences that carry most, in order, with dates and speakers. They have
// at most budget tokens by count. It returns "" if nothing fits.
//
// Notes takes the sentences with the most value for each token; see [weigh]. It takes time
// n log n in the sentences and counts each of them once.
func Notes(all []Passage, budget int, count func(string) int) string {
	sentences := weigh(all)
	n := notes{all: all, sentences: sentences, count: count, budget: budget, counts: map[string]int{}, first: make([]int, len(all)+1), open: make([]bool, len(all)), dated: map[string]bool{}, kept: make([]bool, len(sentences))}
	for k := range sentences {
		s := &sentences[k]
		n.first[s.passage+1] = k + 1
		if s.value > 0 && len(s.text) > 16*budget {
			s.value = 0 // too long for any counter
		}
		if s.value > 0 {
			s.cost = count(" " + s.text)
			n.queue = append(n.queue, offer{n.density(k), k})
		}
	}
	for i := 1; i < len(n.first); i++ { // passages without sentences
		n.first[i] = max(n.first[i], n.first[i-1])
	}
	heap.Init(&n.queue)
	text := ""
	for left, round := budget, 0; round < 5 && len(n.queue) > 0 && left > 0; round++ {
		// The pieces cost more than the whole text, so there is room for more.
		n.take(left)
		text = n.render()
		left = budget - count(text)
		for drop := 1; left < 0; drop *= 2 { // a counter by which the whole costs more
			n.drop(drop)
			text = n.render()
			left = budget - count(text)
			round = 5
		}
		if left*100 < budget {
			break
		}
	}
	return text
}

// notes is the state of [Notes].
type notes struct {
	all       []Passage
	sentences []sentence
	count     func(string) int
	budget    int
	counts    map[string]int  // tokens of dates and speakers
	first     []int           // the first sentence of each passage
	open      []bool          // passages that have a sentence already
	dated     map[string]bool // dates that are paid for
	kept      []bool
	order     []int // the kept sentences, best first
	queue     offers
}

func (n *notes) density(k int) float64 {
	s := n.sentences[k]
	d := float64(s.cost + 1)
	if !n.open[s.passage] {
		d += labelCost
	}
	return s.value / d
}

// take keeps the best sentences that fit into the tokens left.
func (n *notes) take(left int) {
	var skipped []offer
	for len(n.queue) > 0 && len(skipped) <= 50 && (left*100 >= n.budget || len(skipped) == 0) {
		o := heap.Pop(&n.queue).(offer)
		if n.kept[o.sentence] {
			continue
		}
		s := n.sentences[o.sentence]
		p := n.all[s.passage]
		price := s.cost
		if !n.open[s.passage] {
			price += n.tokens(p.Speaker+":") + 1
		}
		if p.Date != "" && !n.dated[p.Date] {
			price += n.tokens(p.Date) + 1
		}
		if price > left {
			skipped = append(skipped, o)
			continue
		}
		left -= price
		n.kept[o.sentence] = true
		n.order = append(n.order, o.sentence)
		n.dated[p.Date] = true
		if !n.open[s.passage] {
			n.open[s.passage] = true
			for k := n.first[s.passage]; k < n.first[s.passage+1]; k++ {
				if !n.kept[k] && n.sentences[k].value > 0 {
					heap.Push(&n.queue, offer{n.density(k), k})
				}
			}
		}
	}
	for _, o := range skipped {
		heap.Push(&n.queue, o)
	}
}

// drop gives up the worst sentences.
func (n *notes) drop(worst int) {
	for ; worst > 0 && len(n.order) > 0; worst-- {
		n.kept[n.order[len(n.order)-1]] = false
		n.order = n.order[:len(n.order)-1]
	}
}

func (n *notes) tokens(s string) int {
	c, ok := n.counts[s]
	if !ok {
		c = n.count(s)
		n.counts[s] = c
	}
	return c
}

func (n *notes) render() string {
	var w writer
	for k, s := range n.sentences {
		if n.kept[k] {
			w.add(n.all, s.passage, s.text)
		}
	}
	return w.String()
}

// writer writes passages with dates and speakers.
type writer struct {
	strings.Builder
	date string
	last int // the passage of the last line, plus one
}

// add writes a text of passage i. Texts of one passage share a line.
func (w *writer) add(all []Passage, i int, text string) {
	p := all[i]
	if w.last == i+1 {
		w.WriteString(" " + text)
		return
	}
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	if p.Date != "" && p.Date != w.date {
		w.WriteString(p.Date + "\n")
		w.date = p.Date
	}
	w.WriteString(p.Speaker + ": " + text)
	w.last = i + 1
}

// offer is a sentence in the queue.
type offer struct {
	density  float64
	sentence int
}

// offers is a heap, the best first.
type offers []offer

func (o offers) Len() int { return len(o) }
func (o offers) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(o[j].density, o[i].density), cmp.Compare(o[i].sentence, o[j].sentence)) < 0
}
func (o offers) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *offers) Push(x any)   { *o = append(*o, x.(offer)) }
func (o *offers) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}
