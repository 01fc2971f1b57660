// Package recent remembers what was used lately and forgets the rest, one by one. A
// cache that forgets half of what it has at once makes the memory of a process rise and
// fall, and nobody can tell that from a leak.
package recent

import (
	"iter"
	"sync"
	"sync/atomic"
)

// Map is a map of what was used lately. When it is full, what came first and has not
// been used since goes first. It is safe for concurrent use, and must not be copied.
type Map[K comparable, V any] struct {
	// Limit is how many entries are held or, with Cost, what they cost together. It must
	// be set before the first use.
	Limit int
	// Cost, if not nil, is what an entry takes of the limit. One that takes more than all
	// of it is held as well, alone.
	Cost func(K, V) int

	touched atomic.Bool
	mu      sync.Mutex
	at      map[K]int
	slots   []slot[K, V]
	// free are slots without an entry, the newest last.
	free []int
	// hand is the slot that is looked at next for something to forget.
	hand int
	// cost of all entries.
	cost int
}

type slot[K comparable, V any] struct {
	key   K
	value V
	cost  int
	// held tells a slot with an entry, used one that was used since the hand passed.
	held, used bool
}

// Unused reports whether nothing was ever put in. It is cheaper than to look for a key.
func (m *Map[K, V]) Unused() bool { return !m.touched.Load() }

// Expect makes room for so many entries, if there are none yet.
func (m *Map[K, V]) Expect(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n = min(n, m.Limit); m.at == nil {
		m.at, m.slots = make(map[K]int, n), make([]slot[K, V], 0, n)
	}
}

// Find returns what is remembered under a key.
func (m *Map[K, V]) Find(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.at[key]
	if !ok {
		var none V
		return none, false
	}
	m.slots[i].used = true
	return m.slots[i].value, true
}

// Put remembers a value under a key, in the place of what was there.
func (m *Map[K, V]) Put(key K, v V) {
	cost := 1
	if m.Cost != nil {
		cost = m.Cost(key, v)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(key, v, cost)
}

// PutAll remembers what each puts, one after the other, as Put does. The map must not be
// used meanwhile.
func (m *Map[K, V]) PutAll(each func(put func(K, V))) {
	m.mu.Lock()
	defer m.mu.Unlock()
	each(func(key K, v V) {
		cost := 1
		if m.Cost != nil {
			cost = m.Cost(key, v)
		}
		m.put(key, v, cost)
	})
}

func (m *Map[K, V]) put(key K, v V, cost int) {
	if !m.touched.Load() {
		m.touched.Store(true)
		if m.at == nil {
			m.at = map[K]int{}
		}
	}
	i, known := m.at[key]
	if !known {
		for m.cost+cost > m.Limit && len(m.at) > 0 {
			m.forgetOne(-1)
		}
		i = m.slot()
		m.at[key] = i
	}
	m.cost += cost - m.slots[i].cost
	m.slots[i] = slot[K, V]{key: key, value: v, cost: cost, held: true, used: known}
	for m.cost > m.Limit && len(m.at) > 1 {
		m.forgetOne(i)
	}
}

// Forget removes what is under a key.
func (m *Map[K, V]) Forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, ok := m.at[key]; ok {
		m.drop(i)
	}
}

// All iterates over what is remembered, in no order. The map must not be used meanwhile.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for key, i := range m.at {
			if !yield(key, m.slots[i].value) {
				return
			}
		}
	}
}

// slot returns one that is free.
func (m *Map[K, V]) slot() int {
	if n := len(m.free); n > 0 {
		i := m.free[n-1]
		m.free = m.free[:n-1]
		return i
	}
	m.slots = append(m.slots, slot[K, V]{})
	return len(m.slots) - 1
}

// forgetOne drops the first entry from the hand on that was not used since the hand
// passed it, but not the one in the slot kept.
func (m *Map[K, V]) forgetOne(kept int) {
	for ; ; m.hand++ {
		if m.hand >= len(m.slots) {
			m.hand = 0
		}
		s := &m.slots[m.hand]
		if s.held && !s.used && m.hand != kept {
			m.drop(m.hand)
			m.hand++
			return
		}
		s.used = false
	}
}

func (m *Map[K, V]) drop(i int) {
	delete(m.at, m.slots[i].key)
	m.cost -= m.slots[i].cost
	m.slots[i] = slot[K, V]{}
	m.free = append(m.free, i)
}
