package history

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// kindAnswer: what an answer of a given id was, with the request that it answered.
const kindAnswer = "answer"

// link is what one request added to a conversation whose history the server keeps: the
// items that were sent and those that were answered, behind an earlier answer.
type link struct {
	Before string   `json:"before,omitempty"`
	Items  []string `json:"items"`
	// Woven says that the server knows something else under this id: the items have
	// rounds that the client was not shown, or the answer was renamed.
	Woven bool `json:"woven,omitempty"`
}

// maxLinks bounds how many answers a conversation may have on the server.
const maxLinks = 10_000

func answerKey(id string) plimsoll.Digest { return keyFor(kindAnswer, xxh3.HashString128(id).Bytes()) }

// resume puts the history in front of a request that only names it, as far as it passed
// through here. What the server alone knows cannot be weighed or cut.
func (t *Thread) resume(ctx context.Context) {
	id := dialects.PreviousResponseID(t.client)
	if id == "" {
		return
	}
	var links []link
	for range maxLinks {
		_, body, ok := t.first(ctx, answerKey(id))
		var l link
		if !ok || json.Unmarshal(body, &l) != nil {
			t.o.Report("the conversation began elsewhere and can be managed in part only", nil)
			return
		}
		links = append(links, l)
		if id = l.Before; id == "" {
			break
		}
	}
	var items [][]byte
	more := false
	for i := len(links) - 1; i >= 0; i-- {
		more = more || links[i].Woven
		for _, item := range links[i].Items {
			items = append(items, []byte(item))
		}
	}
	body, err := dialects.Rebuild(t.client, items)
	var whole *wire.Request
	if err == nil {
		whole, err = t.o.Codec.Decode(body)
	}
	if err != nil {
		t.o.Report("the conversation could not be put together", err)
		return
	}
	t.Shown, t.Hidden = whole, more
}

// noteID remembers an answer that later requests may name.
func (t *Thread) noteID(ctx context.Context, a Delivered) {
	if !t.o.Codec.Traits().Chained || a.ID == "" || !stores(t.client) || !a.Hidden && t.followed && tellsAll(t.client) {
		return
	}
	items, err := dialects.InputItems(t.client)
	if err != nil {
		return
	}
	l := link{Before: dialects.PreviousResponseID(t.client), Woven: a.Hidden || a.Renamed}
	if a.Hidden {
		items = slices.Concat(items, a.Record.Elements, a.Record.Results)
	} else {
		output, err := dialects.OutputItems(a.Final)
		if err != nil {
			return
		}
		items = append(items, output...)
	}
	for _, item := range items {
		l.Items = append(l.Items, string(item))
	}
	if body, err := json.Marshal(l); err == nil {
		t.put(ctx, kindAnswer, answerKey(a.ID), body)
	}
}

// tellsAll reports whether a request carries its history itself. A client that does so
// again and again need not name earlier answers.
func tellsAll(r *wire.Request) bool {
	return dialects.PreviousResponseID(r) == "" && len(replies(r)) > 0
}

// stores reports whether the server keeps what it answers to a request, as it does
// unless the request says false.
func stores(r *wire.Request) bool {
	s := rawjson.NewScanner(r.Body())
	store := true
	for name := range s.Members() {
		if string(name) == "store" {
			store = string(s.Value().Of(r.Body())) != "false"
		}
	}
	return store
}
