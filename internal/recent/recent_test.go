package recent_test

import (
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/recent"
)

func count[K comparable, V any](m *recent.Map[K, V]) int {
	n := 0
	for range m.All() {
		n++
	}
	return n
}

func TestWhatWasUsedLatelyIsThere(t *testing.T) {
	m := recent.Map[int, int]{Limit: 1600}
	for key := range 100_000 {
		m.Put(key, -key)
		if v, ok := m.Find(key / 2 * 2); !ok || v != -(key/2*2) {
			t.Fatalf("%d is %d, %v", key/2*2, v, ok)
		}
		if v, ok := m.Find(0); !ok || v != 0 {
			t.Fatalf("after %d others, what was always used is %d, %v", key, v, ok)
		}
	}
	for key := 100_000 - 800; key < 100_000; key++ {
		if _, ok := m.Find(key); !ok {
			t.Errorf("%d of 100,000 is lost, with a limit of 1600", key)
		}
	}
}

func TestItHoldsAsMuchAsItsLimitSays(t *testing.T) {
	m := recent.Map[int, int]{Limit: 1600}
	for key := range 20_000 {
		m.Put(key, key)
		if key%500 == 499 && count(&m) != min(1600, key+1) {
			t.Fatalf("after %d there are %d", key+1, count(&m))
		}
	}
}

func TestEntriesCountByTheirCost(t *testing.T) {
	m := recent.Map[int, string]{Limit: 16_000, Cost: func(_ int, v string) int { return len(v) }}
	text := string(make([]byte, 100))
	for key := range 5000 {
		m.Put(key, text)
		m.Put(0, text) // takes its room once
	}
	if n := count(&m); n != 160 {
		t.Errorf("there are %d of 100 bytes in 16,000", n)
	}
	huge := string(make([]byte, 50_000))
	m.Put(1, huge)
	if v, ok := m.Find(1); !ok || len(v) != len(huge) {
		t.Error("what is larger than the limit is not held")
	}
	if m.Put(1, huge+text); count(&m) != 1 {
		t.Errorf("when it has grown, there are %d beside it", count(&m)-1)
	}
	if m.Put(2, text); count(&m) != 1 {
		t.Errorf("beside it there are %d", count(&m)-1)
	}
}

func TestWhatIsForgottenIsGone(t *testing.T) {
	m := recent.Map[string, int]{Limit: 10}
	if !m.Unused() {
		t.Error("it was used before it was used")
	}
	m.Put("a", 1)
	m.Put("a", 2)
	if v, ok := m.Find("a"); !ok || v != 2 || m.Unused() {
		t.Errorf("a is %d, %v; unused %v", v, ok, m.Unused())
	}
	m.Forget("a")
	m.Forget("b")
	if _, ok := m.Find("a"); ok || count(&m) != 0 {
		t.Error("it is still there")
	}
}

func TestManyMayUseItAtOnce(t *testing.T) {
	m := recent.Map[int, int]{Limit: 100}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 5000 {
				key := i*7%500 + worker
				m.Put(key, key)
				if v, ok := m.Find(key); ok && v != key {
					t.Errorf("%d is %d", key, v)
				}
				m.Forget(key + 1)
			}
		})
	}
	all.Wait()
}

func TestManyAreRememberedAtOnce(t *testing.T) {
	m := recent.Map[int, int]{Limit: 100}
	m.Expect(1000)
	if !m.Unused() {
		t.Error("it is in use before anything was put in")
	}
	m.PutAll(func(put func(key, v int)) {
		for key := range 150 {
			put(key, -key)
		}
	})
	m.Expect(1000)
	if count(&m) != 100 {
		t.Errorf("%d are remembered, with a limit of 100", count(&m))
	}
	for key := 50; key < 150; key++ {
		if v, ok := m.Find(key); !ok || v != -key {
			t.Errorf("%d is %d, %v", key, v, ok)
		}
	}
}
