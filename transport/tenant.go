package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Credential names the sender of a request by a hash of everything that it presents as
// a credential; empty if that is nothing. Clients put keys into any of these places,
// so none of them is left out, and a name is never a part of a key.
func Credential(req *http.Request) string {
	sum, any := sha256.New(), false
	add := func(place, value string) {
		if value == "" {
			return
		}
		any = true
		length := [8]byte{byte(len(value)), byte(len(value) >> 8), byte(len(value) >> 16), byte(len(value) >> 24)}
		sum.Write([]byte(place))
		sum.Write(length[:])
		sum.Write([]byte(value))
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Proxy-Authorization", "Cookie"} {
		for _, value := range req.Header.Values(name) {
			add(name, value)
		}
	}
	for _, value := range keysIn(req) {
		add("key", value)
	}
	if !any {
		return ""
	}
	return "credential:" + hex.EncodeToString(sum.Sum(nil))
}

func keysIn(req *http.Request) []string {
	if req.URL.RawQuery == "" {
		return nil
	}
	q := req.URL.Query()
	return append(q["key"], q["access_token"]...)
}

// owner is whose a conversation is.
type owner struct {
	// key tells owners apart; label is a part of it that is safe to show.
	key, label string
	tenant     *store.Tenant
}

func (t *Transport) ownerOf(req *http.Request) owner {
	name := t.options.Tenant(req)
	if t.options.Store != nil {
		tenant := t.options.Store.Tenant(name)
		id := tenant.ID()
		return owner{key: hex.EncodeToString(id[:]), label: hex.EncodeToString(id[:8]), tenant: tenant}
	}
	sum := sha256.Sum256(append(t.secret[:], name...))
	return owner{key: hex.EncodeToString(sum[:]), label: hex.EncodeToString(sum[:8])}
}

func (o owner) memory() plimsoll.Memory {
	if o.tenant == nil {
		return nil
	}
	return o.tenant.Memory()
}

func (o owner) archive() plimsoll.Archive {
	if o.tenant == nil {
		return nil
	}
	return o.tenant
}
