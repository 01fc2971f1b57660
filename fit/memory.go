package fit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/maphash"
	"math/bits"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

// Memory keeps decisions and accounts. What was cut for the prefix of a conversation is
// cut in the same way for every later request that begins with it, in other processes
// and after a restart too. A Memory is safe for concurrent use.
type Memory interface {
	// Recall returns the decision of the first of the keys that has one, or
	// [plimsoll.ErrNotFound].
	Recall(ctx context.Context, keys []plimsoll.Digest) (Decision, error)
	// Remember adds or replaces a decision.
	Remember(ctx context.Context, d Decision) error
	// Forget takes decisions out.
	Forget(ctx context.Context, keys ...plimsoll.Digest) error
	// Lease takes a name until it is released, so that of several processes one does
	// the work. It reports false if another has it. A process that ends without a
	// release has it no longer than life.
	Lease(ctx context.Context, name string, life time.Duration) (release func(), ok bool, err error)
	// AddAccount adds figures to the account of a conversation.
	AddAccount(ctx context.Context, a account.Account) error
}

// Decision is what was decided for the prefix of a conversation.
type Decision struct {
	// Key is the link of the prefix in its chain.
	Key plimsoll.Digest
	// Body says what was decided, in a form of the keeper's own.
	Body []byte
	// Refs are the references that it needs.
	Refs []string
	// Conversation is the id of the conversation, as in its account.
	Conversation string
}

// recentDecisions is how many decisions a keeper has in memory.
const recentDecisions = 1 << 12

// scoped is a key of one tenant.
type scoped struct {
	scope string
	key   plimsoll.Digest
}

// tenantRef is a reference of one tenant.
type tenantRef struct{ tenant, ref string }

// recall returns what was cut for the longest prefix that anything was cut for; nil
// if nothing was.
func (k *Keeper) recall(ctx context.Context, t *Task) (*cutList, error) {
	memory := t.Memory
	if memory == nil && k.decisions.Len() == 0 {
		return nil, nil
	}
	chain := t.chain()
	own, n := k.decided(t.scope(), chain)
	if memory == nil {
		return own, nil
	}
	// Another process may have decided about a longer prefix meanwhile, or otherwise about
	// this one, or undone it. What is stored holds, so that all processes cut alike.
	keys := slices.Clone(chain[max(1, n):])
	slices.Reverse(keys)
	d, err := memory.Recall(ctx, keys)
	switch {
	case errors.Is(err, plimsoll.ErrNotFound) && own != nil:
		k.decisions.Delete(scoped{t.scope(), chain[n]})
		return k.recall(ctx, t)
	case errors.Is(err, plimsoll.ErrNotFound):
		return nil, nil
	case err != nil:
		return own, err
	case own != nil && d.Key == chain[n] && own.stored == fingerprint(d.Body):
		return own, nil
	}
	c := readCutList(d)
	if c == nil {
		return own, nil
	}
	k.decisions.Put(scoped{t.scope(), d.Key}, c)
	return c, nil
}

// decided returns what was decided about the longest prefix that something was decided
// about, and the length of that.
func (k *Keeper) decided(scope string, chain []plimsoll.Digest) (*cutList, int) {
	for n := len(chain) - 1; n > 0; n-- {
		if s, ok := k.decisions.Get(scoped{scope, chain[n]}); ok {
			return s, n
		}
	}
	return nil, 0
}

// remember keeps what was cut for every later request that begins with the same
// messages. The memory has it first: what it does not have, another process may have undone.
func (k *Keeper) remember(ctx context.Context, t *Task, s *cutList) error {
	key := t.chain()[s.Until]
	defer k.decisions.Put(scoped{t.scope(), key}, s)
	memory := t.Memory
	if memory == nil {
		return nil
	}
	d, err := s.decision(key)
	if err != nil {
		return err
	}
	s.stored, d.Conversation = fingerprint(d.Body), t.account()
	return memory.Remember(ctx, d)
}

// seed is this process's, because no fingerprint leaves it.
var seed = maphash.MakeSeed()

func fingerprint(body []byte) uint64 { return maphash.Bytes(seed, body) }

// supersede forgets what was cut for shorter prefixes than the first n messages, back to
// the last checkpoint: the new checkpoint has replaced the messages with these cuts, and
// what they refer to can be collected. An earlier checkpoint stays, for an undo.
func (k *Keeper) supersede(ctx context.Context, t *Task, n int) error {
	shorter := slices.Clone(t.chain()[1:n])
	slices.Reverse(shorter)
	for _, key := range shorter {
		own, ok := k.decisions.Get(scoped{t.scope(), key})
		if ok && own.Checkpoint != nil {
			break
		}
		k.decisions.Delete(scoped{t.scope(), key})
	}
	memory := t.Memory
	for memory != nil && len(shorter) > 0 {
		d, err := memory.Recall(ctx, shorter)
		if errors.Is(err, plimsoll.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if c := readCutList(d); c == nil || c.Checkpoint != nil {
			return nil
		}
		if err := memory.Forget(ctx, d.Key); err != nil {
			return err
		}
		shorter = shorter[1+slices.Index(shorter, d.Key):]
	}
	return nil
}

// chain returns the keys of the conversation's prefixes; entry i stands for the first
// i messages. They differ from model to model: a prompt cache is one model's, and what
// was cut for a small window must not be missing in a large one.
func (t *Task) chain() []plimsoll.Digest {
	if t.links == nil {
		t.links = forModel(t.identity(), t.Conversation.Model)
	}
	return t.links
}

// identity returns what identifies the conversation's prefixes, whatever the model.
func (t *Task) identity() []plimsoll.Digest {
	if t.prefixes == nil {
		if t.Chain != nil {
			t.prefixes = t.Chain()
		} else {
			t.prefixes = chainOf(t.Conversation)
		}
		t.prefixes = t.Scope.Salt(t.prefixes)
	}
	return t.prefixes
}

// scope returns the key of the scope.
func (t *Task) scope() string {
	if t.scopeKey == "" {
		t.scopeKey = t.Scope.key()
	}
	return t.scopeKey
}

func forModel(links []plimsoll.Digest, model string) []plimsoll.Digest {
	if model == "" {
		return links
	}
	salt := sha256.Sum256([]byte(model))
	return salted(links, plimsoll.Digest(salt[:len(plimsoll.Digest{})]))
}

// chainOf draws a chain from what the conversation says, for conversations that no
// codec has read.
func chainOf(c plimsoll.Conversation) []plimsoll.Digest {
	chain := append(make([]plimsoll.Digest, 0, c.Messages.Len()+1), headDigest(c.System, c.Tools))
	for i, m := range c.Messages.All() {
		chain = append(chain, link(chain[i], digestOf(m)))
	}
	return chain
}

// headDigest identifies instructions and tools.
func headDigest(system plimsoll.List[plimsoll.Part], tools plimsoll.List[plimsoll.Tool]) plimsoll.Digest {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	_ = encoder.Encode(plainParts(system)) // a hash takes everything
	for _, tool := range tools.All() {
		_ = encoder.Encode(tool)
	}
	return plimsoll.Digest(sum.Sum(nil)[:len(plimsoll.Digest{})])
}

// digestOf identifies a message by its bytes, or by what it says if the task has none.
func digestOf(m plimsoll.Message) plimsoll.Digest {
	if m.Digest != (plimsoll.Digest{}) {
		return m.Digest
	}
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(plainMessage{m.Role, m.Name, plainParts(m.Parts)})
	return plimsoll.Digest(sum.Sum(nil)[:len(plimsoll.Digest{})])
}

// link mixes the digest of a message into that of everything before it. A conversation
// has thousands of links and they are drawn for each request, so it is two
// multiplications; digests are fingerprints already.
func link(before, message plimsoll.Digest) (d plimsoll.Digest) {
	a, b := binary.LittleEndian.Uint64(before[:8]), binary.LittleEndian.Uint64(before[8:])
	for _, m := range [2]uint64{binary.LittleEndian.Uint64(message[:8]), binary.LittleEndian.Uint64(message[8:])} {
		high, low := bits.Mul64(a^m^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
		a, b = b^low^bits.RotateLeft64(m, 29), a^high
	}
	binary.LittleEndian.PutUint64(d[:8], a)
	binary.LittleEndian.PutUint64(d[8:], b)
	return d
}
