package passage

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The weights of [Notes], chosen on five conversations of LoCoMo and checked on five
// others. LoCoMo has no rules and no corrections: these two are chosen by reason.
const (
	nameWeight      = 2.0 // a name or a number counts more than another word
	selfWeight      = 1.3 // what the speakers say about themselves
	factWeight      = 1.3 // family, work, possessions, decisions
	ruleWeight      = 2.0 // what the user asks for or forbids
	correctedWeight = 0.3 // what a later sentence corrects
)

var (
	selfWords = wordSet("i my me we our")
	factWords = wordSet(`favorite favourite prefer hate mom mother dad father sister brother wife husband son daughter kid kids child children
		family friend friends dog cat pet pets move moved born job work worked working started bought got made went visited named called
		decided plan planning signed joined won lost read watched learned learning tried took gave met`)
)

// sentence is a sentence that may be kept.
type sentence struct {
	passage    int
	text       string
	terms      []int32 // sorted, each once
	self, fact bool
	corrected  bool
	cost       int // tokens
	value      float64
}

// weigh splits the passages into sentences and says what each is worth. A term carries more
// the rarer it is; names and numbers carry twice as much. A sentence is worth the sum of its
// terms. It is worth more if it states a fact, a rule or something about the speaker. Said
// twice, only the later one is worth something.
func weigh(all []Passage) []sentence {
	var sentences []sentence
	v := vocabulary{ids: map[string]int32{}}
	for i, p := range all {
		parts := []string{p.Text}
		if !isVerbatim(p.Text) {
			parts = SplitLine(nil, withoutArticles(p.Text))
		}
		for _, text := range parts {
			sentences = append(sentences, v.read(i, text))
		}
		Terms(p.Speaker, func(t string) { v.isSpeaker[v.id(t)] = true })
	}
	weights := make([]float64, len(v.passages))
	for id, df := range v.passages {
		idf := math.Log(float64(len(all)+1) / float64(max(1, df)))
		weights[id] = idf * idf
		if v.hasDigit[id] || v.isName[id] && !v.isSpeaker[id] {
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
		if s.self {
			s.value *= selfWeight
		}
		switch {
		case all[s.passage].Speaker == user && instructs(*s):
			s.value *= ruleWeight
		case s.fact:
			s.value *= factWeight
		}
		if later[string(key)] {
			s.value = 0
		}
		later[string(key)] = true
	}
	discountCorrected(sentences, v.passages, len(all))
	return sentences
}

// discountCorrected lowers the value of sentences that a later one corrects. A correction
// begins as one, or follows a short sentence that does. It shares at least half of the terms
// with the earlier sentence, and a rare one.
func discountCorrected(sentences []sentence, passages []int32, all int) {
	const recent = 16 // how many earlier sentences with the same term are compared
	rare := int32(max(3, all/50))
	with := map[int32][]int{} // the sentences that have a rare term
	announced := -1           // the passage in which the last sentence was only "Sorry!"
	for k, s := range sentences {
		begins := correction.MatchString(s.text)
		corrects := begins || announced == s.passage
		announced = -1
		if begins && len(s.terms) <= 2 {
			announced = s.passage
		}
		for _, id := range s.terms {
			if passages[id] < 2 || passages[id] > rare {
				continue
			}
			if before := with[id]; corrects {
				for _, j := range before[max(0, len(before)-recent):] {
					if e := &sentences[j]; !e.corrected && 2*Common(e.terms, s.terms) >= max(len(e.terms), len(s.terms)-1) {
						e.corrected = true
						e.value *= correctedWeight
					}
				}
			}
			with[id] = append(with[id], k)
		}
	}
}

// Common counts the terms that two sorted lists share.
func Common(a, b []int32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// vocabulary numbers terms.
type vocabulary struct {
	ids       map[string]int32
	passages  []int32 // how many passages have the term
	last      []int   // the last passage that has it, plus one
	isName    []bool  // it begins with a capital inside a sentence
	isSpeaker []bool
	hasDigit  []bool
}

// id returns the number of a term.
func (v *vocabulary) id(term string) int32 {
	id, ok := v.ids[term]
	if !ok {
		id = int32(len(v.passages))
		v.ids[term] = id
		v.passages = append(v.passages, 0)
		v.last = append(v.last, 0)
		v.isName = append(v.isName, false)
		v.isSpeaker = append(v.isSpeaker, false)
		v.hasDigit = append(v.hasDigit, strings.ContainsFunc(term, unicode.IsDigit))
	}
	return id
}

// read reads a sentence of passage i.
func (v *vocabulary) read(i int, text string) sentence {
	s := sentence{passage: i, text: text}
	add := func(term string) int32 {
		id := v.id(term)
		if v.last[id] != i+1 {
			v.last[id] = i + 1
			v.passages[id]++
		}
		s.terms = append(s.terms, id)
		return id
	}
	blank := strings.IndexByte(text, ' ')
	scan(text, func(at int, word string) {
		base, _, _ := strings.Cut(word, "'")
		s.self = s.self || selfWords[base]
		s.fact = s.fact || factWords[base]
		if stopWords[word] {
			return
		}
		id := add(stem(word))
		if r, _ := utf8.DecodeRuneInString(text[at:]); at > blank && blank >= 0 && unicode.IsUpper(r) && base != "i" {
			v.isName[id] = true
		}
	}, func(pair string) { add(pair) })
	slices.Sort(s.terms)
	s.terms = slices.Compact(s.terms)
	return s
}
