package lru_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/lru"
)

// model is the same map, kept as a list: most recently used first.
type model struct {
	limit, used int
	entries     []entry
}

type entry struct{ key, cost int }

func (m *model) find(key int) int {
	for i, e := range m.entries {
		if e.key == key {
			return i
		}
	}
	return -1
}

func (m *model) remove(i int) (gone entry) {
	gone = m.entries[i]
	m.entries = append(m.entries[:i:i], m.entries[i+1:]...)
	m.used -= gone.cost
	return gone
}

func (m *model) add(e entry) {
	m.entries = append([]entry{e}, m.entries...)
	m.used += e.cost
}

func TestTheLeastRecentlyUsedEntriesGoFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := model{limit: rapid.IntRange(1, 12).Draw(t, "limit")}
		got := lru.New(want.limit, func(_, value int) int { return value })
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 9).Draw(t, "key")
			i := want.find(key)
			switch rapid.SampledFrom([]string{"get", "put", "delete"}).Draw(t, "do") {
			case "get":
				value, ok := got.Get(key)
				if ok != (i >= 0) || ok && value != want.entries[i].cost {
					t.Fatalf("key %d is %d, %v; want one of %v", key, value, ok, want.entries)
				}
				if ok {
					want.add(want.remove(i))
				}
			case "put":
				cost := rapid.SampledFrom([]int{0, 1, 1, 2, 3, 15}).Draw(t, "cost")
				got.Put(key, cost)
				if i >= 0 {
					want.remove(i)
				}
				want.add(entry{key, cost})
				for want.used > want.limit && len(want.entries) > 1 {
					want.remove(len(want.entries) - 1)
				}
			case "delete":
				got.Delete(key)
				if i >= 0 {
					want.remove(i)
				}
			}
			if got.Len() != len(want.entries) {
				t.Fatalf("there are %d entries, want %v", got.Len(), want.entries)
			}
		}
	})
}

func TestWithoutACostEveryEntryCountsAsOne(t *testing.T) {
	t.Parallel()
	m := lru.New[int, string](3, nil)
	for key := range 10 {
		m.Put(key, "value")
		m.Put(key, "another")
	}
	if _, ok := m.Get(6); ok || m.Len() != 3 {
		t.Errorf("there are %d entries, the fourth newest among them: %v; want 3, false", m.Len(), ok)
	}
	if value, ok := m.Get(7); !ok || value != "another" {
		t.Errorf("the third newest is %q, %v", value, ok)
	}
}

func TestAMapIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	m := lru.New[int, int](50, nil)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				key := (i*7 + g) % 100
				if value, ok := m.Get(key); ok && value != key {
					t.Errorf("key %d is %d", key, value)
				}
				m.Put(key, key)
				m.Delete((key + 50) % 100)
			}
		})
	}
	wg.Wait()
	if m.Len() > 50 {
		t.Errorf("there are %d entries, with a limit of 50", m.Len())
	}
}

func TestAllListsTheNewestFirstAndUsesNone(t *testing.T) {
	t.Parallel()
	m := lru.New[string, int](2, nil)
	m.Put("a", 1)
	m.Put("b", 2)
	var keys string
	for key := range m.All() {
		keys += key
	}
	m.Put("c", 3)
	if _, kept := m.Get("a"); keys != "ba" || kept {
		t.Errorf("All gave %q, and the oldest is still there: %v", keys, kept)
	}
}
