package plimsoll

import "github.com/plimsoll/plimsoll/internal/recent"

// factLimit is how many facts about parts of messages are remembered at least.
const factLimit = 1 << 16

// facts remembers what rungs found out about parts of messages.
type facts struct{ recent.Map[factKey, any] }

// factKey has nothing in it but numbers, so that it is hashed at once.
type factKey struct {
	message  Digest
	part     int
	question *question
}

type question struct{ _ byte }

// Question is what is asked of parts of messages, with answers of type T. A question is the
// same as another only if it is a copy of it.
type Question[T any] struct{ is *question }

// NewQuestion returns a question that is not the same as any other.
func NewQuestion[T any]() Question[T] { return Question[T]{&question{}} }

// FactOf returns what find says about a part of the original, and remembers it for
// the next request that has the same message. Rungs use it for what takes a look at
// the whole text.
func FactOf[T any](w *Work, at PartRef, q Question[T], find func() T) T {
	key := w.factKey(at, q.is)
	if key.message == (Digest{}) {
		return find()
	}
	if fact, known := w.fact(at, key); known {
		return fact.(T)
	}
	fact := find()
	w.facts.Put(key, fact)
	return fact
}

// Knows reports whether [FactOf] remembers a fact.
func Knows[T any](w *Work, at PartRef, q Question[T]) bool {
	_, known := w.fact(at, w.factKey(at, q.is))
	return known
}

func (w *Work) fact(at PartRef, key factKey) (fact any, known bool) {
	if w.notes != nil {
		if fact, known = w.notes[at.Message].find(at.Part, key.question); known {
			return fact, true
		}
	}
	return w.facts.Find(key)
}

func (w *Work) factKey(at PartRef, q *question) factKey {
	return factKey{w.draft.base.Messages.items[at.Message].Digest, at.Part, q}
}
