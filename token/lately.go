package token

import (
	"container/list"
	"sync"

	"github.com/plimsoll/plimsoll"
)

// lately remembers the loads of conversations that were weighed lately, so that
// one that has grown is weighed from where it was. It goes by digests only: a
// conversation is recognised by its first messages, and taken over as far as its
// messages are the same.
type lately struct {
	mu      sync.Mutex
	entries map[recentKey]*list.Element
	order   list.List // of *recentLoad, newest first
	// messages is how many all entries have, limit how many they may have.
	messages, limit int
}

// opening is how many messages a conversation is recognised by. Shorter ones are
// weighed as fast without.
const opening = 4

type recentKey struct {
	scale   uint64
	opening [opening]plimsoll.Digest
}

type recentLoad struct {
	key     recentKey
	times   float64
	digests []plimsoll.Digest
	load    plimsoll.Load
}

func newLately(limit int) *lately {
	return &lately{entries: map[recentKey]*list.Element{}, limit: limit}
}

// find returns a load of the first messages, as far as they are known; its other
// figures mean nothing.
func (l *lately) find(s *scale, f factor, digests []plimsoll.Digest) plimsoll.Load {
	if len(digests) <= opening {
		return plimsoll.Load{}
	}
	l.mu.Lock()
	e, ok := l.entries[keyOf(s, digests)]
	if ok {
		l.order.MoveToFront(e)
	}
	l.mu.Unlock()
	if !ok {
		return plimsoll.Load{}
	}
	known := e.Value.(*recentLoad)
	if known.times != f.times {
		return plimsoll.Load{}
	}
	n := 0
	for n < len(digests) && n < len(known.digests) && digests[n] == known.digests[n] {
		n++
	}
	return firstOf(known.load, n)
}

// put remembers the load of messages that have digests.
func (l *lately) put(s *scale, f factor, digests []plimsoll.Digest, load plimsoll.Load) {
	if len(digests) <= opening || len(digests) > l.limit {
		return
	}
	added := &recentLoad{keyOf(s, digests), f.times, digests, firstOf(load, len(digests))}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.entries[added.key]; ok {
		l.remove(e)
	}
	l.entries[added.key] = l.order.PushFront(added)
	l.messages += len(digests)
	for l.messages > l.limit {
		l.remove(l.order.Back())
	}
}

func (l *lately) remove(e *list.Element) {
	gone := l.order.Remove(e).(*recentLoad)
	delete(l.entries, gone.key)
	l.messages -= len(gone.digests)
}

func keyOf(s *scale, digests []plimsoll.Digest) recentKey {
	return recentKey{s.key, [opening]plimsoll.Digest(digests)}
}
