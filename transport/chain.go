package transport

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// link is what one request added to a conversation whose history the server keeps: the
// items that were sent and those that were answered, behind an earlier answer.
type link struct {
	Before string   `json:"before,omitempty"`
	Items  []string `json:"items"`
	// Woven says that the server knows something else under this name: that the items
	// hold rounds that the client was not shown, or that an answer was renamed.
	Woven bool `json:"woven,omitempty"`
}

// kindAnswer: what an answer of a given id was, with the request that it answered.
const kindAnswer = "answer"

func answerKey(id string) plimsoll.Digest {
	return keyFor(kindAnswer, wire.DigestOf([]byte(id)))
}

// maxLinks bounds how many answers a conversation may have on the server.
const maxLinks = 10_000

// continued puts the history in front of a request that only names it, as far as it
// passed through here. What the server alone knows cannot be weighed or cut.
func (f *flow) continued() {
	id := dialects.PreviousResponseID(f.shown)
	if id == "" {
		return
	}
	var links []link
	for range maxLinks {
		_, body, ok := f.recorded(answerKey(id))
		var l link
		if !ok || json.Unmarshal(body, &l) != nil {
			f.warn("the conversation began elsewhere and can be managed in part only")
			return
		}
		links = append(links, l)
		if id = l.Before; id == "" {
			break
		}
	}
	var items [][]byte
	for i := len(links) - 1; i >= 0; i-- {
		f.hiddenRounds = f.hiddenRounds || links[i].Woven
		for _, item := range links[i].Items {
			items = append(items, []byte(item))
		}
	}
	body, err := dialects.Rebuild(f.shown, items)
	if err != nil {
		f.failed("the conversation could not be put together", err)
		return
	}
	whole, err := f.codec.Decode(body)
	if err != nil {
		f.failed("the conversation could not be put together", err)
		return
	}
	f.client, f.shown = f.shown, whole
}

// chained remembers an answer that later requests may name. Hidden is what the client
// was not shown of it; nil if that is nothing.
func (f *flow) chained(final []byte, hidden *wire.Record) {
	client := f.client
	if client == nil {
		client = f.shown
	}
	if !f.codec.Traits().Chained || f.name == compact || len(final) == 0 || !stored(client) || hidden == nil && f.followed && tellsAll(client) {
		return
	}
	id := answerID(final)
	items, err := dialects.InputItems(client)
	if err != nil || id == "" {
		return
	}
	l := link{Before: dialects.PreviousResponseID(client), Woven: hidden != nil || f.renamed}
	if hidden != nil {
		items = slices.Concat(items, hidden.Elements, hidden.Results)
	} else {
		output, err := dialects.OutputItems(final)
		if err != nil {
			return
		}
		items = append(items, output...)
	}
	for _, item := range items {
		l.Items = append(l.Items, string(item))
	}
	if body, err := json.Marshal(l); err == nil {
		f.record(context.WithoutCancel(f.ctx), answerKey(id), body)
	}
}

// tellsAll reports whether a request carries its history itself. A client that does so
// again and again need not name earlier answers.
func tellsAll(r *wire.Request) bool {
	return dialects.PreviousResponseID(r) == "" && len(replies(r)) > 0
}

// stored reports whether the server keeps what it answers to a request, as it does
// unless it is told not to.
func stored(r *wire.Request) bool {
	for key, value := range r.Members() {
		if key == "store" {
			return string(value) != "false"
		}
	}
	return true
}

// answerID returns the id of an answer: of the whole, or of the event that ends it.
func answerID(body []byte) string {
	var answer struct {
		ID       string `json:"id"`
		Response struct {
			ID string `json:"id"`
		} `json:"response"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	if answer.Response.ID != "" {
		return answer.Response.ID
	}
	return answer.ID
}
