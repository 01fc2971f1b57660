package weave

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/openai"
)

// openaiLoom weaves answers of Chat Completions and what is compatible with it.
type openaiLoom struct{}

var _ loom = openaiLoom{}

func (l openaiLoom) reply(streamed bool, ours func(string) bool) Reply {
	if streamed {
		return newOpenaiStream(l, ours)
	}
	return newWhole(newHistory(l), openaiJoiner{ours})
}

// results makes a tool message of each. The API takes nothing but text in it.
func (openaiLoom) results(results []Result) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for _, r := range results {
		part := plimsoll.ToolResult{CallID: r.Call.ID, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: r.Text})}
		message, err := rendered(openai.Codec{}, "messages", plimsoll.NewMessage(plimsoll.ToolRole, part))
		if err != nil {
			return nil, err
		}
		all = append(all, message...)
	}
	return all, nil
}

// beside makes tool messages, too.
func (l openaiLoom) beside(results []Result) ([]json.RawMessage, error) { return l.results(results) }

// put puts the tool messages right behind the calls, before those of the client.
func (openaiLoom) put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.ToolRole {
		return nil, false
	}
	at := r.Layout().Messages.Items[next].Start
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append(joined(results), ',')}}, true
}
