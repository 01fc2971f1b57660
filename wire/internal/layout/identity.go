package layout

import (
	"encoding/binary"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
)

// DigestOf fingerprints raw bytes, for [plimsoll.Message.Digest].
func DigestOf(raw []byte) plimsoll.Digest { return xxh3.Hash128(raw).Bytes() }

// Identity hashes what a message says, field by field, so that it stays the same
// when a client sends the message again with other cache marks, a text as string
// or as list, or other white space between members. The order of members, the way
// characters are escaped and white space within values that are taken as they are
// do matter. Every field carries its name and length.
// The zero Identity is not usable; see [NewIdentity].
type Identity struct{ fields *[]byte }

const (
	// longField is the length from which on the hash of a value stands for it: to
	// hash a long text where it lies is faster than to copy it.
	longField = 65
	// identityRoom is how long fields may become before their hash stands for them.
	identityRoom = 4096
)

var identities = sync.Pool{New: func() any { return new(make([]byte, 0, identityRoom+8+2*longField)) }}

// NewIdentity starts a hash. Sum ends it.
func NewIdentity() Identity { return Identity{identities.Get().(*[]byte)} }

// Field adds a named value.
func (id Identity) Field(name string, value []byte) {
	b := binary.LittleEndian.AppendUint64(*id.fields, uint64(len(name))<<48|uint64(len(value)))
	if len(name) < longField {
		b = append(b, name...)
	} else {
		b = appendHash(b, xxh3.HashString128(name))
	}
	if len(value) < longField {
		b = append(b, value...)
	} else {
		b = appendHash(b, xxh3.Hash128(value))
	}
	if len(b) > identityRoom {
		b = appendHash(b[:0], xxh3.Hash128(b))
	}
	*id.fields = b
}

func appendHash(b []byte, h xxh3.Uint128) []byte {
	sum := h.Bytes()
	return append(b, sum[:]...)
}

// Sum returns the hash. The Identity must not be used afterwards.
func (id Identity) Sum() plimsoll.Digest {
	sum := DigestOf(*id.fields)
	*id.fields = (*id.fields)[:0]
	identities.Put(id.fields)
	return sum
}

// Chain returns the identity of every prefix of the conversation: entry 0 stands for
// system and tools alone, entry i+1 for everything up to message i.
func (l *Layout) Chain(d plimsoll.Dialect) []plimsoll.Digest {
	root := NewIdentity()
	root.Field("dialect", []byte(d))
	root.Field("system", l.SystemIdentity[:])
	root.Field("tools", l.ToolsIdentity[:])
	links := make([]plimsoll.Digest, 1, len(l.Identities)+1)
	links[0] = root.Sum()
	for i, identity := range l.Identities {
		links = append(links, DigestOf(append(links[i][:], identity[:]...)))
	}
	return links
}
