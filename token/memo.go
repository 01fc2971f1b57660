package token

import (
	"encoding/binary"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
)

// newMemo returns a memo of the raw weights of messages, by the hash of their content. It
// holds so many entries of up to sixteen parts; a message of more parts counts for several.
func newMemo(entries int) *lru.Map[xxh3.Uint128, weight] {
	return lru.New(entries, func(_ xxh3.Uint128, w weight) int { return 1 + len(w.parts)/partsPerEntry })
}

const partsPerEntry = 16

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
