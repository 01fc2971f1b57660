// Package lru is a bounded map that forgets the least recently used entries.
package lru

import (
	"container/list"
	"iter"
	"sync"
)

// Map is a bounded map. When it is full, the entry that was used longest ago goes first.
// It is safe for concurrent use.
type Map[K comparable, V any] struct {
	limit int
	cost  func(K, V) int

	mu      sync.Mutex
	used    int
	entries map[K]*list.Element
	order   list.List // of *node[K, V], most recently used first
}

type node[K comparable, V any] struct {
	key   K
	value V
	cost  int
}

// New returns an empty map. Limit bounds the sum of what the entries cost; a nil cost
// counts each entry as 1. An entry that costs more than the limit is held alone.
func New[K comparable, V any](limit int, cost func(K, V) int) *Map[K, V] {
	if cost == nil {
		cost = func(K, V) int { return 1 }
	}
	return &Map[K, V]{limit: limit, cost: cost, entries: map[K]*list.Element{}}
}

// Get returns the value of a key, and whether there is one. It counts as a use.
func (m *Map[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		var none V
		return none, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*node[K, V]).value, true
}

// Put sets the value of a key. It counts as a use.
func (m *Map[K, V]) Put(key K, value V) {
	added := &node[K, V]{key, value, m.cost(key, value)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.entries[key])
	m.entries[key] = m.order.PushFront(added)
	m.used += added.cost
	for m.used > m.limit && m.order.Len() > 1 {
		m.remove(m.order.Back())
	}
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.entries[key])
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.order.Len()
}

// All returns the entries, the most recently used first. It counts as no use.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*node[K, V], 0, m.order.Len())
	for e := m.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*node[K, V]))
	}
	return func(yield func(K, V) bool) {
		for _, e := range all {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

func (m *Map[K, V]) remove(e *list.Element) {
	if e == nil {
		return
	}
	gone := m.order.Remove(e).(*node[K, V])
	delete(m.entries, gone.key)
	m.used -= gone.cost
}
