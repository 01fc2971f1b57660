package token

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
)

const (
	// memoLimit is how many messages' weights a meter keeps.
	memoLimit = 1 << 16
	// partsPerEntry is how many parts a message may have; one of more counts for several.
	partsPerEntry = 16
)

// newMemo returns a memo of raw weights.
func newMemo(limit int) *lru.Map[memoKey, plimsoll.MessageLoad] {
	return lru.New(limit, func(_ memoKey, w plimsoll.MessageLoad) int { return 1 + len(w.Parts)/partsPerEntry })
}

// memoKey names a weight: which scale made it, of what, and a hash of the content.
type memoKey struct {
	scale   *scale
	of      content
	content plimsoll.Digest
}

// content is what a weight is of. The result of a parallel call weighs otherwise than the
// same message alone, and so does reasoning before the last message of the user.
type content uint8

const (
	ofMessage content = iota
	ofListed
	ofPast
	ofSystem
	ofTools
	ofOutput
)

// messageDigest returns the digest of a message; it hashes the content of one that has none.
func messageDigest(m plimsoll.Message) plimsoll.Digest {
	if m.Digest != (plimsoll.Digest{}) {
		return m.Digest
	}
	var h hasher
	h.string(string(m.Role))
	h.string(m.Name)
	h.parts(m.Parts)
	return h.Sum128().Bytes()
}

func systemDigest(parts plimsoll.List[plimsoll.Part]) plimsoll.Digest {
	var h hasher
	h.parts(parts)
	return h.Sum128().Bytes()
}

func toolsDigest(tools plimsoll.List[plimsoll.Tool]) plimsoll.Digest {
	var h hasher
	for _, t := range tools.All() {
		h.tool(t)
	}
	return h.Sum128().Bytes()
}

func outputDigest(t plimsoll.Tool) plimsoll.Digest {
	var h hasher
	h.tool(t)
	return h.Sum128().Bytes()
}

// hasher feeds content to a hash. Every field is written with its kind and length, so that
// no two contents run into each other.
type hasher struct{ xxh3.Hasher }

func (h *hasher) tool(t plimsoll.Tool) {
	h.string(t.Name)
	h.string(t.Description)
	h.string(t.Schema)
	h.string(t.Result)
	h.string(t.Opaque)
}

func (h *hasher) parts(parts plimsoll.List[plimsoll.Part]) {
	h.int(parts.Len())
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			h.int(1)
			h.string(p.Text)
		case plimsoll.ToolCall:
			h.int(2)
			h.string(p.Name)
			h.string(p.Arguments)
			h.int(len(p.Signature))
			h.string(p.Status)
		case plimsoll.ToolResult:
			h.int(3)
			h.parts(p.Content)
		case plimsoll.Reasoning:
			h.int(4)
			h.string(p.Text)
			h.int(len(p.Signature))
		case plimsoll.Media:
			h.int(5)
			h.string(string(p.Kind))
			h.string(p.Detail)
			h.string(p.Data)
			h.int(p.Width)
			h.int(p.Height)
			h.int(p.Pages)
			h.int(int(p.Seconds * 1000))
		case plimsoll.Opaque:
			h.int(6)
			h.string(p.Raw)
		}
	}
}

func (h *hasher) string(s string) {
	h.int(len(s))
	h.WriteString(s)
}

func (h *hasher) int(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
