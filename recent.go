package plimsoll

import "sync"

// recent is a map that forgets what has not been used for long. It holds two
// generations of at most limit entries, so that what is used again survives. It is
// safe for concurrent use.
type recent[K comparable, V any] struct {
	limit    int
	mu       sync.Mutex
	now, old map[K]V
}

func (r *recent[K, V]) find(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.now[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.add(key, v)
	}
	return v, ok
}

func (r *recent[K, V]) empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.now)+len(r.old) == 0
}

func (r *recent[K, V]) put(key K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(key, v)
}

func (r *recent[K, V]) forget(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.now, key)
	delete(r.old, key)
}

func (r *recent[K, V]) add(key K, v V) {
	if len(r.now) >= r.limit || r.now == nil {
		r.now, r.old = map[K]V{}, r.now
	}
	r.now[key] = v
}
