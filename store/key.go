package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"hash"
	"strings"
)

// key makes the names of a tenant's content.
type key [32]byte

// Keyed hashes differ by what they are for, so that none can be taken for another.
const (
	forTenant = "plimsoll tenant\x00"
	forKey    = "plimsoll tenant key\x00"
	forChunk  = "plimsoll chunk\x00"
	forRef    = "plimsoll ref\x00"
)

func tenantID(secret [32]byte, name string) TenantID {
	return TenantID(mac(secret, forTenant, []byte(name))[:len(TenantID{})])
}

// tenantKey comes from the tenant's id and not from its name, so that the store can
// verify everything without knowing who is who.
func tenantKey(secret [32]byte, id TenantID) key { return key(mac(secret, forKey, id[:])) }

func (k key) chunkID(content []byte) ChunkID { return ChunkID(mac(k, forChunk, content)) }

func mac(k [32]byte, purpose string, data []byte) []byte {
	h := hmac.New(sha256.New, k[:])
	h.Write([]byte(purpose))
	h.Write(data)
	return h.Sum(nil)
}

// namer returns the hash that the content of a kind must be written to for its name.
func (k key) namer(kind Kind) hash.Hash {
	h := hmac.New(sha256.New, k[:])
	h.Write([]byte(forRef + string(kind) + "\x00"))
	return h
}

// idLen is the length of a reference's id: 130 bits.
const idLen = 26

// letters are those of base32 in lower case; one that is read aloud or typed is hard
// to get wrong.
const letters = "abcdefghijklmnopqrstuvwxyz234567"

func named(h hash.Hash) string {
	return base32.NewEncoding(letters).EncodeToString(h.Sum(nil))[:idLen]
}

// maxName is how many bytes a name may have that others chose.
const maxName = 1000

// plain makes a text that every backend takes of a name that others chose: valid UTF-8
// without NUL, and not longer than a database can index. Long names stay different.
func plain(name string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxName {
		return text
	}
	sum := sha256.Sum256([]byte(name))
	end := "…" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(text[:maxName-len(end)], "") + end
}

// wellFormed leaves out what cannot be an id, so that a backend sees no odd texts.
func wellFormed(ids []string) []string {
	kept := make([]string, 0, len(ids))
	for _, id := range ids {
		if isID(id) {
			kept = append(kept, id)
		}
	}
	return kept
}

func isID(id string) bool {
	return len(id) == idLen && strings.Trim(id, letters) == ""
}
