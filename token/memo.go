package token

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
)

// memo remembers the raw weights of messages by the hash of their content. It is
// bounded: each shard keeps two generations and forgets the older one when the
// younger is full, so what is in use stays. A message of many parts takes the
// room of several.
type memo struct {
	// touched says that there was something to remember.
	touched atomic.Bool
	shards  [16]memoShard
}

type memoShard struct {
	mu         sync.Mutex
	young, old map[xxh3.Uint128]weight
	// used is what the young ones take of the limit.
	used, limit int
}

// room is what a weight takes of the limit.
func (w weight) room() int { return 1 + len(w.parts)/partsPerRoom }

const partsPerRoom = 16

func newMemo(entries int) *memo {
	m := &memo{}
	for i := range m.shards {
		s := &m.shards[i]
		s.limit = max(1, entries/len(m.shards)/2)
		s.used = s.limit * i / len(m.shards) // so that they do not all forget at the same time
	}
	return m
}

func (m *memo) get(key xxh3.Uint128, make func() weight) weight {
	if w, ok := m.find(key); ok {
		return w
	}
	w := make()
	m.put(key, w)
	return w
}

func (m *memo) shard(key xxh3.Uint128) *memoShard { return &m.shards[key.Lo%uint64(len(m.shards))] }

func (m *memo) find(key xxh3.Uint128) (weight, bool) {
	if !m.touched.Load() {
		return weight{}, false
	}
	return m.shard(key).find(key)
}

func (m *memo) put(key xxh3.Uint128, w weight) {
	if !m.touched.Load() {
		m.touched.Store(true)
	}
	m.shard(key).put(key, w)
}

// expect makes room for so many messages, where there are none yet.
func (m *memo) expect(n int) {
	each := n / len(m.shards) * 5 / 4
	for i := range m.shards {
		m.shards[i].expect(each)
	}
}

func (s *memoShard) expect(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil && s.old == nil {
		s.young = make(map[xxh3.Uint128]weight, min(n, s.limit))
	}
}

func (s *memoShard) find(key xxh3.Uint128) (weight, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := s.young[key]; ok {
		return w, true
	}
	w, ok := s.old[key]
	if ok {
		s.insert(key, w)
	}
	return w, ok
}

func (s *memoShard) put(key xxh3.Uint128, w weight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(key, w)
}

func (s *memoShard) insert(key xxh3.Uint128, w weight) {
	room := w.room()
	if _, ok := s.young[key]; ok || room > s.limit {
		return
	}
	if s.used+room > s.limit {
		s.old, s.young, s.used = s.young, nil, 0
	}
	s.used += room
	if s.young == nil {
		s.young = map[xxh3.Uint128]weight{}
	}
	s.young[key] = w
}

var hashers = sync.Pool{New: func() any { return &hasher{} }}

// hasher feeds the content of messages to a hash. Every field is written with
// its kind and length, so that no two contents run into each other.
type hasher struct {
	xxh3.Hasher
	number [8]byte
}

// messageKey identifies what a message weighs on a scale. A message with a
// digest is not looked into.
func messageKey(scale uint64, m plimsoll.Message, inList bool) xxh3.Uint128 {
	if m.Digest != (plimsoll.Digest{}) {
		return digestKey(scale, m.Digest, inList)
	}
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.Reset()
	h.int(scale)
	h.bool(inList)
	h.string(string(m.Role))
	h.string(m.Name)
	h.parts(m.Parts)
	return h.Sum128()
}

// systemKey identifies what instructions weigh on a scale, toolsKey what tools do.
func systemKey(scale uint64, parts plimsoll.List[plimsoll.Part]) xxh3.Uint128 {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.Reset()
	h.int(scale)
	h.int(headSystem)
	h.parts(parts)
	return h.Sum128()
}

func toolsKey(scale uint64, tools plimsoll.List[plimsoll.Tool]) xxh3.Uint128 {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.Reset()
	h.int(scale)
	h.int(headTools)
	for _, t := range tools.All() {
		h.string(t.Name)
		h.string(t.Description)
		h.string(t.Schema)
		h.string(t.Opaque)
	}
	return h.Sum128()
}

// What stands where a message's key has zero or one.
const headSystem, headTools = 2, 3

// digestKey keeps the keys of scales apart; a digest is a hash already.
func digestKey(scale uint64, d plimsoll.Digest, inList bool) xxh3.Uint128 {
	const odd, other = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	place := scale * 2
	if inList {
		place++
	}
	return xxh3.Uint128{
		Hi: binary.LittleEndian.Uint64(d[:8]) + place*odd,
		Lo: (binary.LittleEndian.Uint64(d[8:]) ^ place*other) * odd,
	}
}

func (h *hasher) parts(parts plimsoll.List[plimsoll.Part]) {
	h.int(uint64(parts.Len()))
	for _, p := range parts.All() {
		h.part(p)
	}
}

func (h *hasher) part(p plimsoll.Part) {
	switch p := p.(type) {
	case plimsoll.Text:
		h.int(1)
		h.string(p.Text)
	case plimsoll.ToolCall:
		h.int(2)
		h.string(p.Name)
		h.string(p.Arguments)
	case plimsoll.ToolResult:
		h.int(3)
		h.parts(p.Content)
	case plimsoll.Reasoning:
		h.int(4)
		h.string(p.Text)
		h.int(uint64(len(p.Signature)))
	case plimsoll.Media:
		h.int(5)
		h.string(string(p.Kind))
		h.string(p.Detail)
		h.string(p.Data)
		h.int(uint64(p.Width))
		h.int(uint64(p.Height))
		h.int(uint64(p.Pages))
		h.int(uint64(p.Seconds * 1000))
	case plimsoll.Opaque:
		h.int(6)
		h.string(p.Raw)
	}
}

func (h *hasher) string(s string) {
	h.int(uint64(len(s)))
	h.WriteString(s)
}

func (h *hasher) int(n uint64) {
	binary.LittleEndian.PutUint64(h.number[:], n)
	h.Write(h.number[:])
}

func (h *hasher) bool(b bool) {
	if b {
		h.int(1)
		return
	}
	h.int(0)
}
