package plimsoll

import "crypto/sha256"

// recentTallies is how many conversations a keeper has a tally of.
const recentTallies = 1 << 13

// The breaker: after so many compactions in a row that gained less than this share
// there is none until the conversation has grown by that one.
const (
	breakerCount = 2
	breakerGain  = 0.2
	breakerGrow  = 1.2
)

// tally is what the keeper knows about a conversation beside its messages.
type tally struct {
	// poor is how many compactions in a row gained little, and load what the last of
	// them left.
	poor, load int
	// total is what the last call was billed with.
	total int
}

// tallyOf returns the tally of the longest prefix that has one. A conversation whose
// history was replaced is known by its checkpoint.
func (k *Keeper) tallyOf(t *Task) tally {
	chain := t.chain()
	for i := len(chain) - 1; i > 0; i-- {
		if found, ok := k.tallies.Find(scoped{t.scope(), chain[i]}); ok {
			return found
		}
	}
	for i, m := range t.Conversation.Messages.items {
		if m.Role != Assistant && m.Role != User || !t.Conversation.CheckpointAt(i) {
			continue
		}
		if found, ok := k.tallies.Find(scoped{t.scope(), textKey(m.Text())}); ok {
			return found
		}
	}
	return tally{}
}

func (k *Keeper) putTally(t *Task, n int, is tally) {
	k.tallies.Put(scoped{t.scope(), t.chain()[n]}, is)
}

// tripped reports whether the breaker is open.
func (k *Keeper) tripped(t *Task, load int) bool {
	is := k.tallyOf(t)
	return is.poor >= breakerCount && float64(load) < breakerGrow*float64(is.load)
}

// count takes a compaction into the conversation's tally.
func (k *Keeper) count(t *Task, made *Compaction) {
	is := k.tallyOf(t)
	if gain := made.Before - made.After; made.Status == Compressed && float64(gain) >= breakerGain*float64(made.Before) {
		is.poor = 0
	} else {
		is.poor++
	}
	is.load, is.total = made.After, 0
	k.putTally(t, made.old.End, is)
	if made.Checkpoint == nil {
		return
	}
	for _, m := range made.Checkpoint.Messages {
		k.tallies.Put(scoped{t.scope(), textKey(m.Text)}, is)
	}
}

func textKey(text string) Digest {
	sum := sha256.Sum256([]byte(text))
	var key Digest
	copy(key[:], sum[:])
	return key
}
