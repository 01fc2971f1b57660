package transport

import (
	"context"
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// link is what one request added to a conversation whose history the server keeps: the
// items that were sent and those that were answered, behind an earlier answer.
type link struct {
	Before string            `json:"before,omitempty"`
	Items  []json.RawMessage `json:"items"`
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
	id := responses.PreviousResponseID(f.shown)
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
		for _, item := range links[i].Items {
			items = append(items, item)
		}
	}
	body, err := responses.Rebuild(f.shown, items)
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

// chained remembers an answer that later requests may name.
func (f *flow) chained(final []byte) {
	if f.name != respond || len(final) == 0 {
		return
	}
	client := f.client
	if client == nil {
		client = f.shown
	}
	if !stored(client) {
		return
	}
	id := answerID(final)
	input, err := responses.InputItems(client)
	if err != nil || id == "" {
		return
	}
	output, err := responses.OutputItems(final)
	if err != nil {
		return
	}
	l := link{Before: responses.PreviousResponseID(client)}
	for _, item := range append(input, output...) {
		l.Items = append(l.Items, item)
	}
	if body, err := json.Marshal(l); err == nil {
		f.record(context.WithoutCancel(f.ctx), answerKey(id), body)
	}
}

// stored reports whether the server keeps what it answers to a request, as it does
// unless it is told not to.
func stored(r *wire.Request) bool {
	for key, value := range members(r) {
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
