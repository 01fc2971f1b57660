package plimsoll

import (
	"sync"

	"github.com/plimsoll/plimsoll/internal/recent"
	"github.com/plimsoll/plimsoll/internal/share"
)

// factLimit is how many facts about parts of messages are remembered at least.
const factLimit = 1 << 16

// facts remembers what rungs found out about parts of messages. What was noted while a
// conversation was weighed is at hand in its own walk, and needed beyond that by the next
// one that cuts: it is put in order when that begins.
type facts struct {
	recent.Map[factKey, any]
	mu    sync.Mutex
	noted []notedMessages
}

// notedMessages are notes by the digests of their messages.
type notedMessages struct {
	digests []Digest
	notes   []notes
}

// mostNoted is how many conversations notes are kept of before they are put in order.
const mostNoted = 8

// remember keeps notes about messages for later requests.
func (f *facts) remember(messages List[Message], all []notes) {
	if all == nil {
		return
	}
	digests := make([]Digest, len(all))
	for i := range digests {
		digests[i] = messages.At(i).Digest
	}
	f.mu.Lock()
	f.noted = append(f.noted, notedMessages{digests, all})
	full := len(f.noted) >= mostNoted
	f.mu.Unlock()
	if full {
		f.order()
	}
}

// order puts what was noted where it is found.
func (f *facts) order() {
	f.mu.Lock()
	noted := f.noted
	f.noted = nil
	f.mu.Unlock()
	for _, n := range noted {
		f.Expect(len(n.notes))
		f.PutAll(n.each)
	}
}

func (n notedMessages) each(put func(factKey, any)) {
	for i := range n.notes {
		is := &n.notes[i]
		if is.first.question == nil {
			continue
		}
		put(factKey{n.digests[i], is.first.part, is.first.question}, is.first.fact)
		for _, m := range is.more {
			put(factKey{n.digests[i], m.part, m.question}, m.fact)
		}
	}
}

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

// Learn finds out what is not known yet about parts of the original, on all processors,
// before [FactOf] is asked about one after another: whoever sent the conversation waits.
// Find is called from several goroutines, with the place of a part in the list. Messages
// without a digest are left out, because nothing is remembered about those, and many an
// answer is known from when the conversation was weighed.
func Learn[T any](w *Work, parts []PartRef, q Question[T], find func(i int) T) {
	const batch = 8
	var unknown []int
	for i, at := range parts {
		key := w.factKey(at, q.is)
		if key.message == (Digest{}) {
			continue
		}
		if _, known := w.fact(at, key); !known {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) < 2*batch {
		return
	}
	found := make([]T, len(unknown))
	share.Do(len(unknown), batch, func(k int) { found[k] = find(unknown[k]) })
	w.facts.PutAll(func(put func(factKey, any)) {
		for k, i := range unknown {
			if w.notes != nil && len(w.notes[parts[i].Message].more) < fewNotes {
				w.notes[parts[i].Message].add(noted{parts[i].Part, q.is, found[k]})
			} else {
				put(w.factKey(parts[i], q.is), found[k])
			}
		}
	})
}

// fewNotes about a message are so many that one can be put between them.
const fewNotes = 16

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
