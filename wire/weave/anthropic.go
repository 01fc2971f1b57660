package weave

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/anthropic"
)

// anthropicLoom weaves answers of the Messages API.
type anthropicLoom struct{}

var (
	_ loom   = anthropicLoom{}
	_ marker = anthropicLoom{}
)

func (l anthropicLoom) reply(streamed bool, ours func(string) bool) Reply {
	return nil
}

// results makes one message of the user's, which this API wants behind the calls.
func (anthropicLoom) results(results []Result) ([]json.RawMessage, error) {
	if len(results) == 0 {
		return nil, nil
	}
	return rendered(anthropic.Codec{}, "messages", plimsoll.NewMessage(plimsoll.User, resultParts(results)...))
}

// resultParts makes parts of results, with their pictures and documents.
func resultParts(results []Result) []plimsoll.Part {
	parts := make([]plimsoll.Part, len(results))
	for i, r := range results {
		content := append([]plimsoll.Part{plimsoll.Text{Text: r.Text}}, r.Parts...)
		parts[i] = plimsoll.ToolResult{CallID: r.Call.ID, Content: plimsoll.ListOf(content...), IsError: r.IsError}
	}
	return parts
}

// beside makes content blocks.
func (l anthropicLoom) beside(results []Result) ([]json.RawMessage, error) {
	messages, err := l.results(results)
	if err != nil {
		return nil, err
	}
	var blocks []json.RawMessage
	for _, m := range messages {
		blocks = append(blocks, itemsOf(m, contentOf(m))...)
	}
	return blocks, nil
}

// put puts blocks behind the results that the client's next message begins with.
func (anthropicLoom) put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.User {
		return nil, false
	}
	last := -1
	for i := range messages.At(next).Parts.Len() {
		if _, ok := plimsoll.Peek(messages.At(next), i).(plimsoll.ToolResult); !ok {
			break
		}
		last = i
	}
	span := r.Layout().Messages.Items[next]
	list := contentOf(span.Of(r.Body()))
	if last < 0 || last >= len(list.Items) {
		return nil, false
	}
	at := span.Start + list.Items[last].End
	text := append([]byte{','}, joined(results)...)
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: text}}, true
}

// contentOf returns the blocks of a message; zero if its content is a string.
func contentOf(message []byte) (content rawjson.List) {
	s := rawjson.NewScanner(message)
	for key := range s.Members() {
		if string(key) == "content" {
			content = s.List()
		}
	}
	return content
}

func itemsOf(data []byte, l rawjson.List) []json.RawMessage {
	items := make([]json.RawMessage, len(l.Items))
	for i, item := range l.Items {
		items[i] = item.Of(data)
	}
	return items
}

// mark puts the last cache mark of what stood there on the last block that can carry
// one. So there are never more marks than before.
func (anthropicLoom) mark(stood []byte, elements []json.RawMessage) []json.RawMessage {
	value := lastMark(stood)
	if value == nil {
		return elements
	}
	for i := len(elements) - 1; i >= 0; i-- {
		if marked, ok := withMark(elements[i], value); ok {
			elements = append([]json.RawMessage{}, elements...)
			elements[i] = marked
			break
		}
	}
	return elements
}

// lastMark returns the last cache mark on a block of some messages.
func lastMark(messages []byte) (value []byte) {
	list := append(append([]byte{'['}, messages...), ']')
	for _, m := range itemsOf(list, rawjson.NewScanner(list).List()) {
		for _, block := range itemsOf(m, contentOf(m)) {
			if mark := member(block, "cache_control"); len(mark) > 0 && mark[0] == '{' {
				value = mark
			}
		}
	}
	return value
}

// withMark puts a cache mark on the last block of a message that can carry one:
// neither thinking nor anything that a server's tool left can.
func withMark(message, value []byte) ([]byte, bool) {
	content := contentOf(message)
	for i := len(content.Items) - 1; i >= 0; i-- {
		block := content.Items[i].Of(message)
		switch text(block, "type") {
		case "text", "tool_use", "tool_result":
			span := content.Items[i]
			return splice(message, span, with(block, "cache_control", value)), true
		}
	}
	return nil, false
}
