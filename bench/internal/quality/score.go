package quality

import (
	"slices"
	"strings"
)

// stop are the words that carry nothing, as the research's program has them.
var stop = setOf(strings.Fields(`the a an of in on at to for and or is was were are be been it its he she they his her
their my your our i you we that this with as by from had has have did do does not no so but if then than about into over
after before up out what when who which how`))

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// words returns the content words of a text: runs of a–z, 0–9 and ', in lower case.
func words(text string) []string {
	var found []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '\''
	}) {
		if !stop[w] {
			found = append(found, w)
		}
	}
	return found
}

// runs returns every three neighbouring words as one text; fewer words are one run.
func runs(words []string) []string {
	var all []string
	for i := range max(1, len(words)-2) {
		all = append(all, strings.Join(words[i:min(i+3, len(words))], " "))
	}
	return all
}

// Question has an answer and the utterances that are its evidence.
type Question struct {
	Text     string
	answer   []string
	evidence []utterance
	// ids of the utterances.
	ids []string
	// readable says that the evidence has all words of the answer.
	readable bool
}

type utterance struct {
	words map[string]bool
	runs  []string
}

func newQuestion(text, answer string, evidence []string) Question {
	q := Question{Text: text, answer: words(answer)}
	all := map[string]bool{}
	for _, said := range evidence {
		u := utterance{setOf(words(said)), runs(words(said))}
		q.evidence = append(q.evidence, u)
		for w := range u.words {
			all[w] = true
		}
	}
	q.readable = len(q.answer) > 0 && among(q.answer, all)
	return q
}

// Score counts questions. The figures of several prompts can be added.
type Score struct {
	Questions int `json:"questions"`
	// Answers counts those whose answer's words are all in the prompt, anywhere.
	Answers int `json:"answers"`
	// Evidence counts those of which every evidence utterance has, anywhere in the
	// prompt, 60 % of its words, and three of them side by side.
	Evidence int `json:"evidence"`
	// Strict counts those of which every evidence utterance has one line of the prompt
	// with 60 % of its words, and three of them side by side.
	Strict int `json:"strict"`
	// Local counts those of which these lines have all words of the answer, of the
	// Readable ones: only their evidence has these words.
	Local    int `json:"local"`
	Readable int `json:"readable"`
}

func (s *Score) add(o Score) {
	s.Questions += o.Questions
	s.Answers += o.Answers
	s.Evidence += o.Evidence
	s.Strict += o.Strict
	s.Local += o.Local
	s.Readable += o.Readable
}

// enough is the share of an utterance's words that must be left.
const enough = 0.6

// score looks for what the questions need in a prompt.
func score(prompt string, questions []Question) Score {
	var lines [][]string
	var all []string
	linesOf := map[string][]int{} // by run
	for line := range strings.SplitSeq(prompt, "\n") {
		w := words(line)
		if len(w) == 0 {
			continue
		}
		for _, run := range runs(w) {
			linesOf[run] = append(linesOf[run], len(lines))
		}
		lines, all = append(lines, w), append(all, w...)
	}
	have, flat := setOf(all), strings.Join(all, " ")
	var s Score
	for _, q := range questions {
		s.Questions++
		s.Answers += one(len(q.answer) > 0 && among(q.answer, have))
		s.Readable += one(q.readable)
		if len(q.evidence) == 0 {
			continue
		}
		evidence, strict, read := true, true, map[string]bool{}
		for _, u := range q.evidence {
			evidence = evidence && u.enough(len(common(u.words, have))) && u.stands(flat)
			var near []int
			for _, run := range u.runs {
				near = append(near, linesOf[run]...)
			}
			slices.Sort(near)
			best := map[string]bool{}
			for _, i := range slices.Compact(near) {
				if found := common(u.words, setOf(lines[i])); len(found) > len(best) {
					best = found
				}
			}
			strict = strict && u.enough(len(best))
			for w := range best {
				read[w] = true
			}
		}
		s.Evidence += one(evidence)
		s.Strict += one(strict)
		s.Local += one(q.readable && among(q.answer, read))
	}
	return s
}

func (u utterance) enough(words int) bool { return float64(words) >= enough*float64(len(u.words)) }

// stands reports whether a run is part of the text.
func (u utterance) stands(flat string) bool {
	for _, run := range u.runs {
		if strings.Contains(flat, run) {
			return true
		}
	}
	return false
}

func common(a, b map[string]bool) map[string]bool {
	both := map[string]bool{}
	for w := range a {
		if b[w] {
			both[w] = true
		}
	}
	return both
}

func among(words []string, set map[string]bool) bool {
	for _, w := range words {
		if !set[w] {
			return false
		}
	}
	return true
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
