package plimsoll

import "github.com/plimsoll/plimsoll/internal/recent"

// factLimit is how many facts about parts of messages are remembered at least.
const factLimit = 1 << 16

// facts remembers what rungs found out about parts of messages.
type facts = recent.Map[factKey, any]

type factKey struct {
	message Digest
	part    int
	name    string
}

// Knows reports whether [FactOf] remembers a fact.
func Knows(w *Work, at PartRef, name string) bool {
	_, known := w.facts.Find(w.factKey(at, name))
	return known
}

func (w *Work) factKey(at PartRef, name string) factKey {
	return factKey{w.draft.base.Messages.items[at.Message].Digest, at.Part, name}
}

// FactOf returns what find says about a part of the original, and remembers it for
// the next request that has the same message. Rungs use it for what takes a look at
// the whole text. The name tells the facts of a part apart; it must stand for the
// same type and the same question everywhere.
func FactOf[T any](w *Work, at PartRef, name string, find func() T) T {
	key := w.factKey(at, name)
	if key.message == (Digest{}) {
		return find()
	}
	if v, ok := w.facts.Find(key); ok {
		if fact, ok := v.(T); ok {
			return fact
		}
	}
	fact := find()
	w.facts.Put(key, fact)
	return fact
}
