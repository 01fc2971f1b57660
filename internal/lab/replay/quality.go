package replay

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/survival"
)

// horizon is how many calls after a cut count as later, as in package survival.
const horizon = 60

// recollectRung is the name by which an engine's edits say that they brought back what
// the newest question needs.
const recollectRung = "recollect"

// quality counts what cuts leave of what comes later, and what recollections bring back.
type quality struct {
	// cuts that were looked at, and the sum of the shares of the limit that they used.
	cuts int
	used float64
	// atoms and words that only the old part had and that came later; the text that
	// replaced the old part names atomsKept and wordsKept of them.
	atoms, atomsKept, words, wordsKept int
	// words that an answer used and only removed messages had; the request had wordsSeen
	// of them in what management wrote.
	wordsUsed, wordsSeen int
	// recollections that were made, what they weigh, and how many the answer used.
	recollections, recollected, hits int
}

func (q *quality) add(o quality) {
	q.cuts += o.cuts
	q.used += o.used
	q.atoms += o.atoms
	q.atomsKept += o.atomsKept
	q.words += o.words
	q.wordsKept += o.wordsKept
	q.wordsUsed += o.wordsUsed
	q.wordsSeen += o.wordsSeen
	q.recollections += o.recollections
	q.recollected += o.recollected
	q.hits += o.hits
}

// wordsOf numbers the content words of what people and the model say in a message. Calls
// and results have atoms instead.
func (t *track) wordsOf(m plimsoll.Message) []atom {
	var texts []string
	for _, p := range m.Parts.All() {
		if text, ok := p.(plimsoll.Text); ok && m.Role != plimsoll.System {
			texts = append(texts, text.Text)
		}
	}
	return t.wordsIn(texts...)
}

// wordsIn returns the content words of texts by their numbers, each once.
func (t *track) wordsIn(texts ...string) []atom {
	var found []atom
	for _, text := range texts {
		for w := range survival.Words(text) {
			n, ok := t.words[w]
			if !ok {
				n = atom(len(t.words))
				t.words[w] = n
			}
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// cut counts what a request that was cut leaves of what comes later: from the item of
// its answer on. A recollection does not count, because it is for one question.
func (q *quality) cut(h *history, s *sending, from int) {
	q.cuts++
	q.used += float64(s.total) / float64(s.limit)
	left := s.without(s.recollections)
	words := h.sayings(&left)
	calls, seen, said := 0, map[atom]bool{}, map[atom]bool{}
	for _, it := range h.track.items[from:] {
		if it.message.Role == plimsoll.Assistant {
			if calls++; calls > horizon {
				break
			}
		}
		for j, p := range it.message.Parts.All() {
			_, call := p.(plimsoll.ToolCall)
			for _, a := range it.atoms[j] {
				if call && !seen[a] && len(h.places(a)) > 0 {
					if sight := h.glance(&left, a); !sight.verbatim {
						q.atoms++
						count(&q.atomsKept, sight.named)
					}
				}
				seen[a] = true
			}
		}
		for _, w := range it.words {
			if state := words[w]; !said[w] && state != unsaid && state != stands {
				q.words++
				count(&q.wordsKept, state == noted)
			}
			said[w] = true
		}
	}
}

// saying is how a content word can be seen.
type saying byte

const (
	unsaid saying = iota
	// gone: only messages have it that are not in the request.
	gone
	// noted: and what management wrote has it too.
	noted
	stands
)

// sayings returns how each content word can be seen.
func (h *history) sayings(v *visible) []saying {
	words := make([]saying, len(h.words))
	for i, it := range h.items {
		for _, w := range it.words {
			if v.stands[i] {
				words[w] = stands
			} else {
				words[w] = max(words[w], gone)
			}
		}
	}
	for _, text := range v.words {
		for _, w := range text.words {
			if words[w] == gone {
				words[w] = noted
			}
		}
	}
	return words
}

// without returns the view as it is without some texts of management.
func (s *sending) without(texts []*managedText) visible {
	v := s.view
	v.words = slices.DeleteFunc(slices.Clone(v.words), func(t *managedText) bool { return slices.Contains(texts, t) })
	return v
}

// answer counts the words that a recorded answer uses and only removed messages had.
func (q *quality) answer(h *history, s *sending, answer []item) {
	if !slices.Contains(s.view.stands, false) {
		return
	}
	words := h.sayings(&s.view)
	for _, it := range answer {
		for _, w := range it.words {
			if words[w] == gone || words[w] == noted {
				q.wordsUsed++
				count(&q.wordsSeen, words[w] == noted)
			}
		}
	}
}

// recollect counts the recollections that a request has and the one before had not. The
// answer used one if it has a word or an identifier that nothing else in the request has.
func (q *quality) recollect(h *history, s *sending, answer []item, known map[*managedText]bool) {
	for i, text := range s.recollections {
		if known[text] {
			continue
		}
		known[text] = true
		q.recollections++
		q.recollected += s.recollected[i]
		rest := s.without([]*managedText{text})
		words := h.sayings(&rest)
		count(&q.hits, slices.ContainsFunc(answer, func(it item) bool {
			for _, atoms := range it.atoms {
				if slices.ContainsFunc(atoms, func(a atom) bool { return text.atoms[a] && !h.glance(&rest, a).exact() }) {
					return true
				}
			}
			return slices.ContainsFunc(it.words, func(w atom) bool { return words[w] == gone && slices.Contains(text.words, w) })
		}))
	}
}
