package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// kindHidden: what clients were not shown of the replies to a request.
const kindHidden = "hidden"

// hidden is what clients were not shown of replies at one place, with the place before
// it of which that is true, so that one look at the store finds all of them.
type hidden struct {
	// Records of the last replies, the newest first: a client may ask several times.
	Records []wire.Record `json:"records"`
	// Messages is how many messages of the client stand before the reply, and Before
	// the key of the earlier record.
	Messages int              `json:"messages"`
	Before   *plimsoll.Digest `json:"before,omitempty"`
}

// maxReplies is how many replies are remembered at one place.
const maxReplies = 4

// restore puts back what the client was not shown. If that fails the request stays as
// it is.
func (t *Thread) restore(ctx context.Context) {
	const failure = "what the client was not shown could not be put back"
	defer func() {
		if r := recover(); r != nil {
			t.o.Report(failure, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	body, err := wire.Restore(t.o.Codec, t.Shown, t.fitting(ctx, t.records(ctx)))
	if err == nil && bytes.Equal(body, t.Shown.Body()) {
		return
	}
	var request *wire.Request
	if err == nil {
		request, err = t.o.Codec.Decode(body)
	}
	if err != nil {
		t.o.Report(failure, err)
		return
	}
	t.Restored, t.Hidden = request, true
}

// replies are the places where a reply of the model begins.
func replies(r *wire.Request) []int {
	var places []int
	c, last := r.Conversation(), plimsoll.Role("")
	for i := range c.Messages.Len() {
		role := c.Messages.At(i).Role
		if role == plimsoll.Assistant && last != plimsoll.Assistant {
			places = append(places, i)
		}
		last = role
	}
	return places
}

// findNewest returns the key of the last record that the conversation may have. For a
// request that follows one that this process has answered, memory is enough.
func (t *Thread) findNewest(ctx context.Context) (plimsoll.Digest, bool) {
	chain, replies := t.chain, t.replies
	var ask []plimsoll.Digest
	for i := len(chain) - 1; i >= 0; i-- {
		seen, ok := t.h.places.Get(key{t.o.Owner, chain[i]})
		if !ok {
			continue
		}
		t.followed = t.followed || i < len(chain)-1
		for j := len(replies) - 1; j >= 0 && replies[j] >= i; j-- {
			if replies[j] > i || !wire.Stands(t.Shown, i, seen.shown) {
				ask = append(ask, keyFor(kindHidden, chain[replies[j]]))
			}
		}
		if len(ask) > 0 {
			if found, _, ok := t.first(ctx, ask...); ok {
				return found, true
			}
		}
		return seen.newest, seen.known
	}
	for j := len(replies) - 1; j >= 0; j-- {
		ask = append(ask, keyFor(kindHidden, chain[replies[j]]))
	}
	found, _, ok := t.first(ctx, ask...)
	return found, ok
}

// records returns the records of a conversation by the places of their replies.
func (t *Thread) records(ctx context.Context) map[int][]wire.Record {
	found, chain, newest := map[int][]wire.Record{}, t.chain, t.newest
	for range chain {
		_, body, ok := t.first(ctx, newest)
		if !ok {
			break
		}
		var h hidden
		if json.Unmarshal(body, &h) != nil || h.Messages >= len(chain) {
			break
		}
		if h.Messages < len(chain)-1 && keyFor(kindHidden, chain[h.Messages]) == newest && len(h.Records) > 0 {
			found[h.Messages] = h.Records
		}
		if h.Before == nil {
			break
		}
		newest = *h.Before
	}
	return found
}

// fitting chooses the records of the replies that the client really has.
func (t *Thread) fitting(ctx context.Context, found map[int][]wire.Record) map[int]wire.Record {
	chosen := map[int]wire.Record{}
	for at, records := range found {
		r, ok := t.choose(at, records)
		if !ok {
			r, ok = t.choose(at, t.others(ctx, at))
		}
		if ok {
			chosen[at] = r
		}
	}
	return chosen
}

// choose returns the record of the reply that stands at a place.
func (t *Thread) choose(at int, records []wire.Record) (wire.Record, bool) {
	for _, r := range records {
		if wire.Stands(t.Shown, at, r.Shown) {
			return r, true
		}
	}
	return wire.Record{}, false
}

// others returns the records of a place as the store has them: another process may have
// added some. The store is asked once for each reply.
func (t *Thread) others(ctx context.Context, at int) []wire.Record {
	reply := key{t.o.Owner, t.chain[at+1]}
	if _, ok := t.h.checked.Get(reply); ok {
		return nil
	}
	t.h.checked.Put(reply, struct{}{})
	var h hidden
	if body, ok := t.newestOf(ctx, keyFor(kindHidden, t.chain[at])); !ok || json.Unmarshal(body, &h) != nil {
		return nil
	}
	return h.Records
}

// noteReply notes what the newest record of the conversation is, as of this request.
func (t *Thread) noteReply(ctx context.Context, a Delivered) {
	at := t.chain[len(t.chain)-1]
	seen := place{a.Record.Shown, t.newest, t.known}
	if a.Hidden {
		digest := keyFor(kindHidden, at)
		h := t.withOthers(ctx, digest, a.Record)
		h.Messages = len(t.chain) - 1
		if t.known && t.newest != digest {
			h.Before = &t.newest
		}
		if body, err := json.Marshal(h); err == nil {
			t.put(ctx, kindHidden, digest, body)
			seen.newest, seen.known = digest, true
		} else {
			t.o.Report("what the client was not shown could not be stored", err)
		}
	}
	t.h.places.Put(key{t.o.Owner, at}, seen)
}

// withOthers puts a record before those of other replies at the same place. What stands
// before that place is the same for all of them.
func (t *Thread) withOthers(ctx context.Context, digest plimsoll.Digest, record wire.Record) hidden {
	all := hidden{Records: []wire.Record{record}}
	body, ok := t.newestOf(ctx, digest)
	var h hidden
	if !ok || json.Unmarshal(body, &h) != nil {
		return all
	}
	all.Before = h.Before
	for _, other := range h.Records {
		if other.Shown != record.Shown && len(all.Records) < maxReplies {
			all.Records = append(all.Records, other)
		}
	}
	return all
}
