package wire

import (
	"encoding/binary"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
)

// DigestOf fingerprints raw bytes, for [plimsoll.Message.Digest].
func DigestOf(raw []byte) plimsoll.Digest { return xxh3.Hash128(raw).Bytes() }

// Identity hashes what a message says, field by field, so that two bodies that
// say the same have the same identity. Every field carries its name and length.
// The zero Identity is not usable; see [NewIdentity].
type Identity struct{ h *xxh3.Hasher }

var hashers = sync.Pool{New: func() any { return xxh3.New() }}

// NewIdentity starts a hash. Sum ends it.
func NewIdentity() Identity {
	h := hashers.Get().(*xxh3.Hasher)
	h.Reset()
	return Identity{h}
}

// Field adds a named value.
func (id Identity) Field(name string, value []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(name))<<48|uint64(len(value)))
	_, _ = id.h.Write(length[:])
	_, _ = id.h.WriteString(name)
	_, _ = id.h.Write(value)
}

// Sum returns the hash. The Identity must not be used afterwards.
func (id Identity) Sum() plimsoll.Digest {
	sum := id.h.Sum128().Bytes()
	hashers.Put(id.h)
	return sum
}

// Chain returns the identity of every prefix of the conversation: entry 0 stands
// for system and tools alone, entry i+1 for everything up to message i. Two
// requests that share a history share the beginning of their chains, whatever
// the client did to fields that do not matter.
func (r *Request) Chain() []plimsoll.Digest {
	chain := make([]plimsoll.Digest, len(r.layout.Items)+1)
	root := NewIdentity()
	root.Field("dialect", []byte(r.dialect))
	root.Field("system", r.layout.SystemIdentity[:])
	root.Field("tools", r.layout.ToolsIdentity[:])
	chain[0] = root.Sum()
	for i := range r.layout.Items {
		link := NewIdentity()
		link.Field("before", chain[i][:])
		link.Field("message", r.layout.Items[i].Identity[:])
		chain[i+1] = link.Sum()
	}
	return chain
}
