package transport

import (
	"context"
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/weave"
)

// hidden is what clients were not shown of replies at one place, with the place before
// it of which that is true, so that one look at the store finds all of them.
type hidden struct {
	// Records of the last replies, the newest first: a client may ask several times.
	Records []weave.Record `json:"records"`
	// Messages of the client's that stand before the reply, and Before that of the
	// earlier one.
	Messages int              `json:"messages"`
	Before   *plimsoll.Digest `json:"before,omitempty"`
}

// maxReplies is how many replies are remembered at one place.
const maxReplies = 4

// The kinds of records.
const (
	// kindHidden: what the client was not shown of the reply to a request.
	kindHidden = "hidden"
	// kindSeen: the newest record of a conversation as of a request. It is in memory
	// only; an empty one says that there is none.
	kindSeen = "seen"
)

// restored returns the request with everything that the client was not shown.
func (f *flow) restored() *wire.Request {
	places := replies(f.shown)
	if len(places) == 0 {
		return f.shown
	}
	chain := f.chain()
	key, ok := f.newest(chain, places)
	if !ok {
		return f.shown
	}
	body, err := weave.Restore(f.shown, f.fitting(f.follow(key, chain)))
	if err != nil || sameSlice(body, f.shown.Body()) {
		if err != nil {
			f.failed("what the client was not shown could not be put back", err)
		}
		return f.shown
	}
	request, err := f.codec.Decode(body)
	if err != nil {
		f.failed("what the client was not shown could not be put back", err)
		return f.shown
	}
	f.woven = true
	return request
}

// chain identifies the client's messages, apart from those of requests that ask for
// something else.
func (f *flow) chain() []plimsoll.Digest {
	if salt, ok := f.salt(); ok {
		return salted(f.shown.Chain(), salt)
	}
	return f.shown.Chain()
}

// fitting chooses the records of the replies that the client really has.
func (f *flow) fitting(found map[int][]weave.Record) map[int]weave.Record {
	chosen := map[int]weave.Record{}
	for at, records := range found {
		chosen[at] = records[0]
		for _, r := range records {
			if len(records) == 1 {
				break
			}
			if body, err := weave.Restore(f.shown, map[int]weave.Record{at: r}); err == nil && !sameSlice(body, f.shown.Body()) {
				chosen[at] = r
				break
			}
		}
	}
	return chosen
}

// replies are the places where a reply of the model's begins.
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

// newest returns the key of the last record that the conversation may have. A request
// that goes on from one that passed through here is answered from memory.
func (f *flow) newest(chain []plimsoll.Digest, places []int) (plimsoll.Digest, bool) {
	var ask []plimsoll.Digest
	for i := len(chain) - 1; i >= 0; i-- {
		body, ok := f.t.records.atHand(recordKey{f.owner.key, keyFor(kindSeen, chain[i])})
		if !ok {
			continue
		}
		f.followed = f.followed || i < len(chain)-1
		for j := len(places) - 1; j >= 0 && places[j] > i; j-- {
			ask = append(ask, keyFor(kindHidden, chain[places[j]]))
		}
		if len(ask) > 0 {
			if key, _, ok := f.recorded(ask...); ok {
				return key, true
			}
		}
		if len(body) == 0 {
			return plimsoll.Digest{}, false
		}
		return plimsoll.Digest(body), true
	}
	for j := len(places) - 1; j >= 0; j-- {
		ask = append(ask, keyFor(kindHidden, chain[places[j]]))
	}
	key, _, ok := f.recorded(ask...)
	return key, ok
}

// follow returns the records of a conversation by the places of their replies.
func (f *flow) follow(key plimsoll.Digest, chain []plimsoll.Digest) map[int][]weave.Record {
	found := map[int][]weave.Record{}
	for range chain {
		_, body, ok := f.recorded(key)
		if !ok {
			break
		}
		var h hidden
		if json.Unmarshal(body, &h) != nil || h.Messages >= len(chain) {
			break
		}
		if keyFor(kindHidden, chain[h.Messages]) == key && len(h.Records) > 0 {
			found[h.Messages] = h.Records
		}
		if h.Before == nil {
			break
		}
		key = *h.Before
	}
	return found
}

// seen notes what the newest record of the conversation is, as of this request.
func (f *flow) seen(record weave.Record, hid bool) {
	chain := f.chain()
	at := chain[len(chain)-1]
	before, known := f.newest(chain, replies(f.shown))
	note := []byte{}
	if known {
		note = before[:]
	}
	if hid {
		key := keyFor(kindHidden, at)
		h := f.withOthers(key, record)
		h.Messages = len(chain) - 1
		if known && before != key {
			h.Before = &before
		}
		if body, err := json.Marshal(h); err == nil {
			f.record(context.WithoutCancel(f.ctx), key, body)
			note = key[:]
		} else {
			f.failed("what the client was not shown could not be stored", err)
		}
	}
	f.t.records.keep(recordKey{f.owner.key, keyFor(kindSeen, at)}, note)
}

// withOthers puts a record before those of other replies at the same place. What stands
// before that place is the same for all of them.
func (f *flow) withOthers(key plimsoll.Digest, record weave.Record) hidden {
	all := hidden{Records: []weave.Record{record}}
	_, body, ok := f.recorded(key)
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
