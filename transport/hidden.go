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
	// kindSeen: what this process knows of a conversation as of a request that it has
	// answered. It is in memory only.
	kindSeen = "seen"
	// kindChecked: that the store was asked about a reply to which no record fits. It is
	// in memory only.
	kindChecked = "checked"
)

// sighting is what is known of a conversation as of a request: what the client was shown
// in answer to it, and the newest record up to there, if there is any. The client may
// have got another answer, by another process.
type sighting struct {
	shown  plimsoll.Digest
	newest plimsoll.Digest
	known  bool
}

func (s sighting) bytes() []byte {
	if !s.known {
		return s.shown[:]
	}
	return append(s.shown[:], s.newest[:]...)
}

func sightingOf(note []byte) (s sighting) {
	n := copy(s.shown[:], note)
	s.known = copy(s.newest[:], note[n:]) > 0
	return s
}

// restored returns the request with everything that the client was not shown, or as it
// came if that fails.
func (f *flow) restored() (request *wire.Request) {
	defer func() {
		if r := recover(); r != nil {
			f.failed("what the client was not shown could not be put back", panicError(r))
			request, f.woven = f.shown, false
		}
	}()
	places := replies(f.shown)
	if len(places) == 0 {
		return f.shown
	}
	chain := f.chain()
	key, ok := f.newest(chain, places)
	if !ok {
		return f.shown
	}
	body, err := weave.Restore(f.shown, f.fitting(f.follow(key, chain), chain))
	if err != nil || sameSlice(body, f.shown.Body()) {
		if err != nil {
			f.failed("what the client was not shown could not be put back", err)
		}
		return f.shown
	}
	if request, err = f.codec.Decode(body); err != nil {
		f.failed("what the client was not shown could not be put back", err)
		return f.shown
	}
	f.woven = true
	return request
}

// chain identifies the client's messages, apart from those of requests that ask for
// something else.
func (f *flow) chain() []plimsoll.Digest { return f.scope().Salt(f.shown.Chain()) }

// fitting chooses the records of the replies that the client really has.
func (f *flow) fitting(found map[int][]weave.Record, chain []plimsoll.Digest) map[int]weave.Record {
	chosen := map[int]weave.Record{}
	for at, records := range found {
		r, ok := f.choose(at, records)
		if !ok {
			r, ok = f.choose(at, f.others(at, chain))
		}
		if ok {
			chosen[at] = r
		}
	}
	return chosen
}

// choose returns the record of the reply that stands at a place.
func (f *flow) choose(at int, records []weave.Record) (weave.Record, bool) {
	for _, r := range records {
		if weave.Stands(f.shown, at, r.Shown) {
			return r, true
		}
	}
	return weave.Record{}, false
}

// others returns the records of a place anew: another process may have added some. It
// does so once for each reply.
func (f *flow) others(at int, chain []plimsoll.Digest) []weave.Record {
	checked := recordKey{f.owner.key, keyFor(kindChecked, chain[at+1])}
	if _, ok := f.t.records.Get(checked); ok {
		return nil
	}
	f.t.records.Put(checked, nil)
	var h hidden
	if body, ok := f.freshly(keyFor(kindHidden, chain[at])); !ok || json.Unmarshal(body, &h) != nil {
		return nil
	}
	return h.Records
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
		body, ok := f.t.records.Get(recordKey{f.owner.key, keyFor(kindSeen, chain[i])})
		if !ok {
			continue
		}
		f.followed = f.followed || i < len(chain)-1
		seen := sightingOf(body)
		for j := len(places) - 1; j >= 0 && places[j] >= i; j-- {
			if places[j] > i || !weave.Stands(f.shown, i, seen.shown) {
				ask = append(ask, keyFor(kindHidden, chain[places[j]]))
			}
		}
		if len(ask) > 0 {
			if key, _, ok := f.recorded(ask...); ok {
				return key, true
			}
		}
		return seen.newest, seen.known
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
		if h.Messages < len(chain)-1 && keyFor(kindHidden, chain[h.Messages]) == key && len(h.Records) > 0 {
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
	note := sighting{record.Shown, before, known}
	if hid {
		key := keyFor(kindHidden, at)
		h := f.withOthers(key, record)
		h.Messages = len(chain) - 1
		if known && before != key {
			h.Before = &before
		}
		if body, err := json.Marshal(h); err == nil {
			f.record(context.WithoutCancel(f.ctx), key, body)
			note.newest, note.known = key, true
		} else {
			f.failed("what the client was not shown could not be stored", err)
		}
	}
	f.t.records.Put(recordKey{f.owner.key, keyFor(kindSeen, at)}, note.bytes())
}

// withOthers puts a record before those of other replies at the same place. What stands
// before that place is the same for all of them.
func (f *flow) withOthers(key plimsoll.Digest, record weave.Record) hidden {
	all := hidden{Records: []weave.Record{record}}
	body, ok := f.freshly(key)
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
