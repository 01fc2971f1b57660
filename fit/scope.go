package fit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Scope says whose conversation a task has and what its client asked for. A keeper
// never uses in one scope what it decided in another. Every entry that serves the same
// client must fill it in the same way; the zero scope is that of a single user.
type Scope struct {
	// Tenant is the owner.
	Tenant string
	// Conversation is the name that the client gave. Preset, Window and Limit are what it
	// asked for instead of the operator's own; Limit wins over Window. Empty and 0 mean
	// that the client said nothing.
	Conversation, Preset string
	Window, Limit        int
}

// salt is a digest of what the client said; false if it said nothing.
func (s Scope) salt() (salt plimsoll.Digest, ok bool) {
	if s.Conversation == "" && s.Preset == "" && s.Window == 0 && s.Limit == 0 {
		return salt, false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", s.Conversation, s.Preset, s.Window, s.Limit))
	return plimsoll.Digest(sum[:len(salt)]), true
}

// key identifies the scope.
func (s Scope) key() string { return s.Tenant + s.asked() }

// asked identifies what the client said; empty if it said nothing.
func (s Scope) asked() string {
	if salt, ok := s.salt(); ok {
		return ":" + hex.EncodeToString(salt[:])
	}
	return ""
}

// Salt mixes what the client said into digests of prefixes, so that two conversations
// that begin alike do not meet in a tenant's memory. It returns the digests themselves
// if the client said nothing.
func (s Scope) Salt(chain []plimsoll.Digest) []plimsoll.Digest {
	salt, ok := s.salt()
	if !ok {
		return chain
	}
	return salted(chain, salt)
}

// ConversationID is the id of a conversation that a client named. One without a name has
// the id of what it begins with.
func ConversationID(name string) string {
	sum := sha256.Sum256([]byte("conversation\x00" + name))
	return hex.EncodeToString(sum[:len(plimsoll.Digest{})])
}

// whateverLimit returns the task in the scope of its bills: a conversation is billed alike
// whatever limit and preset the client asks for.
func (t *Task) whateverLimit() *Task {
	if t.Scope.Preset == "" && t.Scope.Window == 0 && t.Scope.Limit == 0 {
		return t
	}
	u := *t
	u.Scope.Preset, u.Scope.Window, u.Scope.Limit = "", 0, 0
	u.prefixes, u.links, u.scopeKey = nil, nil, ""
	return &u
}

// salted mixes a salt into digests.
func salted(chain []plimsoll.Digest, salt plimsoll.Digest) []plimsoll.Digest {
	out := make([]plimsoll.Digest, len(chain))
	for i, link := range chain {
		for j := range link {
			out[i][j] = link[j] ^ salt[j]
		}
	}
	return out
}
