package transport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/store"
)

// Credential names the sender of a request by a hash of everything that it presents as
// a credential; empty if that is nothing. Clients and gateways put keys into many
// places, so none of them is left out, and a name is never a part of a key.
func Credential(req *http.Request) string {
	sum, found := sha256.New(), false
	add := func(place, value string) {
		if value == "" {
			return
		}
		found = true
		sum.Write(binary.BigEndian.AppendUint64([]byte(place), uint64(len(value))))
		sum.Write([]byte(value))
	}
	var names []string
	for name := range req.Header {
		if isCredential(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range req.Header[name] {
			add(name, value)
		}
	}
	query := req.URL.Query()
	for _, value := range append(query["key"], query["access_token"]...) {
		add("key", value)
	}
	if !found {
		return ""
	}
	return "credential:" + hex.EncodeToString(sum.Sum(nil))
}

// isCredential knows the headers that carry keys by how they end.
func isCredential(name string) bool {
	name = strings.ToLower(name)
	if name == "cookie" {
		return true
	}
	for _, end := range []string{"authorization", "api-key", "apikey", "-auth", "subscription-key", "auth-token", "access-token", "virtual-key"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// owner is whose a conversation is.
type owner struct {
	// key tells owners apart; label is a part of it that is safe to show.
	key, label string
	tenant     *store.Tenant
}

// ownerOf returns the owner of what a request carries.
func (t *Transport) ownerOf(req *http.Request) owner {
	name := t.options.Tenant(req)
	if t.options.Store != nil {
		tenant := t.options.Store.Tenant(name)
		key := tenant.Key()
		return owner{key: key, label: key[:16], tenant: tenant}
	}
	sum := sha256.Sum256(append(t.secret[:], name...))
	return owner{key: hex.EncodeToString(sum[:]), label: hex.EncodeToString(sum[:8])}
}
