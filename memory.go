package plimsoll

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"time"
)

// Memory keeps decisions, so that what was cut for the prefix of a conversation is
// cut in the same way for every later request that begins with it, in other
// processes and after a restart too. It is safe for concurrent use.
type Memory interface {
	// Recall returns the decision of the first of the keys that has one, or
	// [ErrNotFound].
	Recall(ctx context.Context, keys []Digest) (Decision, error)
	// Remember adds or replaces a decision.
	Remember(ctx context.Context, d Decision) error
	// Forget takes decisions out.
	Forget(ctx context.Context, keys ...Digest) error
	// Lease takes a name until it is released, so that of several processes one does
	// the work. It reports false if another has it. A process that ends without a
	// release has it no longer than life.
	Lease(ctx context.Context, name string, life time.Duration) (release func(), ok bool, err error)
}

// Decision is what was decided for the prefix of a conversation.
type Decision struct {
	// Key is the link of the prefix in its chain.
	Key Digest
	// Body says what was decided, in a form of the keeper's own.
	Body []byte
	// Refs are the references that it needs.
	Refs []string
}

// recentDecisions is how many decisions a keeper has at hand.
const recentDecisions = 1 << 12

// scoped is a key of one tenant.
type scoped struct {
	scope string
	key   Digest
}

// recall returns what was cut for the longest prefix that anything was cut for; nil
// if nothing was.
func (k *Keeper) recall(ctx context.Context, t *Task) (*sticky, error) {
	memory := k.memoryOf(t)
	if memory == nil && k.decisions.Unused() {
		return nil, nil
	}
	chain := t.chain()
	var own *sticky
	var keys []Digest
	for i := len(chain) - 1; i > 0 && own == nil; i-- {
		if s, ok := k.decisions.Find(scoped{t.Scope, chain[i]}); ok {
			own = s
		} else {
			keys = append(keys, chain[i])
		}
	}
	if memory == nil || len(keys) == 0 {
		return own, nil
	}
	// Another process may have decided about a longer prefix meanwhile.
	d, err := memory.Recall(ctx, keys)
	if err != nil {
		return own, notFoundIsNil(err)
	}
	s := stickyOf(d)
	if s == nil {
		return own, nil
	}
	k.decisions.Put(scoped{t.Scope, d.Key}, s)
	return s, nil
}

// remember keeps what was cut for every later request that begins with the same
// messages.
func (k *Keeper) remember(ctx context.Context, t *Task, s *sticky) error {
	key := t.chain()[s.Until]
	k.decisions.Put(scoped{t.Scope, key}, s)
	memory := k.memoryOf(t)
	if memory == nil {
		return nil
	}
	d, err := s.decision(key)
	if err != nil {
		return err
	}
	return memory.Remember(ctx, d)
}

// refs returns all references that a checkpoint needs.
func (cp *Checkpoint) refs() []string {
	all := append([]string{}, cp.Refs...)
	if cp.Ref != nil {
		all = append(all, cp.Ref.ID)
	}
	return all
}

func (k *Keeper) memoryOf(t *Task) Memory {
	if t.Memory != nil {
		return t.Memory
	}
	return k.options.Memory
}

// chain returns the keys of the conversation's prefixes; entry i stands for the first
// i messages. They differ from model to model: a prompt cache is one model's, and what
// was cut for a small window is not to be missed in a large one.
func (t *Task) chain() []Digest {
	if t.links == nil {
		t.links = forModel(t.identity(), t.Conversation.Model)
	}
	return t.links
}

// identity returns what identifies the conversation's prefixes, whatever the model.
func (t *Task) identity() []Digest {
	if t.prefixes == nil {
		if t.Chain != nil {
			t.prefixes = t.Chain()
		} else {
			t.prefixes = chainOf(t.Conversation)
		}
	}
	return t.prefixes
}

func forModel(links []Digest, model string) []Digest {
	if model == "" {
		return links
	}
	salt := sha256.Sum256([]byte(model))
	first, second := binary.LittleEndian.Uint64(salt[:8]), binary.LittleEndian.Uint64(salt[8:])
	keys := make([]Digest, len(links))
	for i := range links {
		binary.LittleEndian.PutUint64(keys[i][:8], binary.LittleEndian.Uint64(links[i][:8])^first)
		binary.LittleEndian.PutUint64(keys[i][8:], binary.LittleEndian.Uint64(links[i][8:])^second)
	}
	return keys
}

// chainOf draws a chain from what the conversation says, for conversations that no
// codec has read.
func chainOf(c Conversation) []Digest {
	chain := make([]Digest, 1, c.Messages.Len()+1)
	head := sha256.New()
	encoder := json.NewEncoder(head)
	_ = encoder.Encode(plainParts(c.System)) // a hash takes everything
	for _, tool := range c.Tools.All() {
		_ = encoder.Encode(tool)
	}
	copy(chain[0][:], head.Sum(nil))
	for i := range c.Messages.items {
		chain = append(chain, link(chain[i], digestOf(&c.Messages.items[i])))
	}
	return chain
}

// digestOf identifies a message by its bytes, or by what it says if nobody has them.
func digestOf(m *Message) Digest {
	if m.Digest != (Digest{}) {
		return m.Digest
	}
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(plainMessage{m.Role, m.Name, plainParts(m.Parts)})
	var digest Digest
	copy(digest[:], sum.Sum(nil))
	return digest
}

// link mixes the digest of a message into that of everything before it. A
// conversation has thousands of links and they are drawn for each request, so it is
// two multiplications; digests are fingerprints already.
func link(before, message Digest) Digest {
	a, b := binary.LittleEndian.Uint64(before[:8]), binary.LittleEndian.Uint64(before[8:])
	for _, word := range [2]uint64{binary.LittleEndian.Uint64(message[:8]), binary.LittleEndian.Uint64(message[8:])} {
		high, low := bits.Mul64(a^word^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
		a, b = b^low^bits.RotateLeft64(word, 29), a^high
	}
	var linked Digest
	binary.LittleEndian.PutUint64(linked[:8], a)
	binary.LittleEndian.PutUint64(linked[8:], b)
	return linked
}
