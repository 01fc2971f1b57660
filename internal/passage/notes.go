package passage

import (
	"cmp"
	"container/heap"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The weights of [Notes], chosen on five conversations of LoCoMo and checked on five
// others.
const (
	nameWeight = 2.0 // a name or a number counts more than another word
	selfWeight = 1.3 // what the speakers say about themselves
	factWeight = 1.3 // family, work, possessions, decisions
	labelCost  = 3.0 // tokens that a new line costs for its speaker
)

var (
	ofSelf = regexp.MustCompile(`\b(i|i'm|i've|i'd|my|me|we|we're|we've|our)\b`)
	ofFact = regexp.MustCompile(`\b(favorite|favourite|prefer|hate|mom|mother|dad|father|sister|brother|wife|husband|son|daughter|kids?|child|children|family|friends?|dog|cat|pets?|moved?|born|job|work(?:ed|ing)?|started|bought|got|made|went|visited|named|called|decided|plan(?:ning)?|signed|joined|won|lost|read|watched|learn(?:ed|ing)|tried|took|gave|met)\b`)
)

// sentence is a sentence that may be kept.
type sentence struct {
	passage int
	text    string
	terms   []int32 // sorted, each once
	cost    int     // tokens
	value   float64
}

// Notes writes the sentences that carry most, in order, with dates and speakers. They have
// at most budget tokens by count. It returns "" if nothing fits.
//
// A sentence is worth the sum of its terms: the rarer a term, the more it carries. Names
// and numbers carry twice as much. Notes takes the sentences with the most value for each
// token.
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

// weigh splits the passages into sentences and says what each is worth.
func weigh(all []Passage) []sentence {
	var sentences []sentence
	v := vocabulary{ids: map[string]int32{}}
	for i, p := range all {
		parts := []string{p.Text}
		if !isVerbatim(p.Text) {
			parts = splitLine(nil, withoutArticles(p.Text))
		}
		for _, text := range parts {
			sentences = append(sentences, sentence{passage: i, text: text, terms: v.read(i, text)})
		}
	}
	for _, p := range all {
		terms(p.Speaker, func(t string) {
			if id, ok := v.ids[t]; ok {
				v.isName[id] = false
			}
		})
	}
	weights := make([]float64, len(v.passages))
	for id, df := range v.passages {
		idf := math.Log(float64(len(all)+1) / float64(df))
		weights[id] = idf * idf
		if v.isName[id] || v.hasDigit[id] {
			weights[id] *= nameWeight
		}
	}
	later := map[string]bool{}
	var key []byte
	for k := len(sentences) - 1; k >= 0; k-- {
		s := &sentences[k]
		key = key[:0]
		for _, id := range s.terms {
			s.value += weights[id]
			key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		}
		lower := strings.ToLower(s.text)
		if ofSelf.MatchString(lower) {
			s.value *= selfWeight
		}
		if ofFact.MatchString(lower) {
			s.value *= factWeight
		}
		if later[string(key)] { // said twice: the later one stays
			s.value = 0
		}
		later[string(key)] = true
	}
	return sentences
}

// vocabulary numbers terms.
type vocabulary struct {
	ids      map[string]int32
	passages []int32 // how many passages have the term
	last     []int   // the last passage that has it, plus one
	isName   []bool  // it begins with a capital inside a sentence
	hasDigit []bool
}

// read returns the terms of a sentence of passage i, sorted, each once.
func (v *vocabulary) read(i int, text string) []int32 {
	var ids []int32
	terms(text, func(t string) {
		id, ok := v.ids[t]
		if !ok {
			id = int32(len(v.passages))
			v.ids[t] = id
			v.passages = append(v.passages, 0)
			v.last = append(v.last, 0)
			v.isName = append(v.isName, false)
			v.hasDigit = append(v.hasDigit, strings.ContainsFunc(t, unicode.IsDigit))
		}
		if v.last[id] != i+1 {
			v.last[id] = i + 1
			v.passages[id]++
		}
		ids = append(ids, id)
	})
	_, rest, _ := strings.Cut(text, " ")
	for word := range strings.FieldsSeq(rest) {
		word = strings.Trim(word, `.,!?;:()[]"'`)
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) && !strings.HasPrefix(word, "I'") && !strings.HasPrefix(word, "I’") {
			terms(word, func(t string) {
				if id, ok := v.ids[t]; ok {
					v.isName[id] = true
				}
			})
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
