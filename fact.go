package plimsoll

import "sync"

// factLimit is how many facts a generation holds. Two are kept, so that what is
// used again survives.
const factLimit = 1 << 16

// facts remembers what rungs found out about parts of messages. It is safe for
// concurrent use.
type facts struct {
	mu       sync.Mutex
	now, old map[factKey]any
}

type factKey struct {
	message Digest
	part    int
	name    string
}

func (f *facts) find(key factKey) (any, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.now[key]; ok {
		return v, true
	}
	v, ok := f.old[key]
	if ok {
		f.add(key, v)
	}
	return v, ok
}

func (f *facts) put(key factKey, v any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(key, v)
}

func (f *facts) add(key factKey, v any) {
	if len(f.now) >= factLimit || f.now == nil {
		f.now, f.old = map[factKey]any{}, f.now
	}
	f.now[key] = v
}

// FactOf returns what find says about a part of the original, and remembers it for
// the next request that has the same message. Rungs use it for what takes a look at
// the whole text. The name tells the facts of a part apart; it must stand for the
// same type and the same question everywhere.
func FactOf[T any](w *Work, at PartRef, name string, find func() T) T {
	key := factKey{w.draft.base.Messages.items[at.Message].Digest, at.Part, name}
	if key.message == (Digest{}) {
		return find()
	}
	if v, ok := w.facts.find(key); ok {
		if fact, ok := v.(T); ok {
			return fact
		}
	}
	fact := find()
	w.facts.put(key, fact)
	return fact
}
