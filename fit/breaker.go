package fit

import (
	"cmp"
	"crypto/sha256"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// recentBreakers is how many conversations a keeper has a breaker for.
const recentBreakers = 1 << 13

// After breakerCount poor compactions in a row the breaker opens until the load is
// breakerGrow times as large. Poor means: gained less than breakerGain.
const (
	breakerCount = 2
	breakerGain  = 0.2
	breakerGrow  = 1.2
)

// breaker is a circuit breaker: it stops compactions that gain little.
type breaker struct {
	// poor is how many compactions in a row gained little, and load what the last of
	// them left.
	poor, load int
	// total is what the last call was billed with.
	total int
}

// breakerOf returns the breaker of the longest prefix that has one. A conversation whose
// history was replaced is known by its checkpoint.
func (k *Keeper) breakerOf(t *Task) breaker {
	chain := t.chain()
	for i := len(chain) - 1; i > 0; i-- {
		if found, ok := k.breakers.Get(scoped{t.scope(), chain[i]}); ok {
			return found
		}
	}
	head := t.Conversation.Outline().Head
	for i, m := range t.Conversation.Messages.All() {
		if (i < head || i > head+1) && !summary.CheckpointAt(t.Conversation, i) {
			continue // a summary without tags is the first message or the second
		}
		if found, ok := k.breakers.Get(scoped{t.scope(), textKey(m.Text())}); ok {
			return found
		}
	}
	return breaker{}
}

func (k *Keeper) putBreaker(t *Task, n int, is breaker) {
	k.breakers.Put(scoped{t.scope(), t.chain()[n]}, is)
}

// tripped reports whether the breaker is open.
func (k *Keeper) tripped(t *Task, load int) bool {
	is := k.breakerOf(t)
	return is.poor >= breakerCount && float64(load) < breakerGrow*float64(is.load)
}

// count adds a compaction to the conversation's breaker.
func (k *Keeper) count(t *Task, made *Compaction) {
	is := k.breakerOf(t)
	if gain := made.Before - made.After; made.Status == Compressed && float64(gain) >= breakerGain*float64(made.Before) {
		is.poor = 0
	} else {
		is.poor++
	}
	is.load, is.total = cmp.Or(made.left, made.After), 0
	k.putBreaker(t, made.old.End, is)
	if made.Checkpoint == nil {
		return
	}
	for _, m := range made.Checkpoint.Messages {
		k.breakers.Put(scoped{t.scope(), textKey(m.Text)}, is)
	}
}

func textKey(text string) plimsoll.Digest {
	sum := sha256.Sum256([]byte(text))
	var key plimsoll.Digest
	copy(key[:], sum[:])
	return key
}
