package weave

import (
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/anthropic"
)

// anthropicLoom weaves answers of the Messages API.
type anthropicLoom struct{}

var (
	_ loom      = anthropicLoom{}
	_ adapter   = anthropicLoom{}
	_ forgetter = anthropicLoom{}
)

func (l anthropicLoom) reply(streamed bool, ours func(string) bool) Reply {
	if streamed {
		return newAnthropicStream(l, ours)
	}
	return newWhole(newHistory(l), anthropicJoiner{ours})
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
		content := r.Parts
		if r.Text != "" || len(content) == 0 {
			content = append([]plimsoll.Part{plimsoll.Text{Text: r.Text}}, content...)
		}
		parts[i] = plimsoll.ToolResult{CallID: r.Call.ID, Content: plimsoll.ListOf(content...), IsError: r.IsError}
	}
	return parts
}

// beside makes content blocks.
func (l anthropicLoom) beside(results []Result) ([]json.RawMessage, error) {
	messages, err := l.results(results)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	return rawMessages(itemsOf(memberOf(messages[0], "content"))), nil
}

// put puts blocks behind the results that the client's next message begins with.
func (anthropicLoom) put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.User {
		return nil, false
	}
	answers, m := 0, messages.At(next)
	for answers < m.Parts.Len() {
		if _, ok := plimsoll.Peek(m, answers).(plimsoll.ToolResult); !ok {
			break
		}
		answers++
	}
	blocks := contentAt(r.Body(), r.Layout().Messages.Items[next])
	if answers == 0 || answers > len(blocks.Items) {
		return nil, false
	}
	at := blocks.Items[answers-1].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append([]byte{','}, joined(results)...)}}, true
}

// contentAt returns the blocks of the message at a span; none if its content is a
// string.
func contentAt(body []byte, at rawjson.Span) (content rawjson.List) {
	s := rawjson.NewScannerAt(body, at)
	for key := range s.Members() {
		if string(key) == "content" {
			content = s.List()
		}
	}
	return content
}

// adapt puts the last cache mark of what stood there on the last block that can carry
// one, so that there are never more marks than before.
func (anthropicLoom) adapt(stood []byte, elements []json.RawMessage) []json.RawMessage {
	elements = slices.Clone(elements)
	value := markOf(stood)
	for i := len(elements) - 1; i >= 0 && value != nil; i-- {
		if marked, ok := withMark(elements[i], value); ok {
			elements[i] = marked
			break
		}
	}
	return elements
}

// forget takes the thinking out of messages.
func (anthropicLoom) forget(elements []json.RawMessage) []json.RawMessage {
	elements = slices.Clone(elements)
	for i := range elements {
		elements[i] = withoutThinking(elements[i])
	}
	return elements
}

// markOf returns the last cache mark on a block of some messages.
func markOf(messages []byte) (last []byte) {
	for _, m := range itemsOf(listed([][]byte{messages})) {
		for _, block := range itemsOf(memberOf(m, "content")) {
			if mark := memberOf(block, "cache_control"); isObject(mark) {
				last = mark
			}
		}
	}
	return last
}

func isThinking(block []byte) bool {
	kind := stringOf(block, "type")
	return kind == "thinking" || kind == "redacted_thinking"
}

// withoutThinking takes thinking out of a message, which has other blocks as well.
func withoutThinking(message []byte) []byte {
	blocks := itemsOf(memberOf(message, "content"))
	left := slices.DeleteFunc(slices.Clone(blocks), isThinking)
	if len(left) == len(blocks) || len(left) == 0 {
		return message
	}
	return withMember(message, "content", listed(left))
}

// withMark puts a cache mark on the last block of a message that can carry one:
// neither thinking nor what a server's tool left can.
func withMark(message, value []byte) ([]byte, bool) {
	content := contentAt(message, rawjson.Span{End: len(message)})
	for _, at := range slices.Backward(content.Items) {
		block := at.Of(message)
		switch stringOf(block, "type") {
		case "text", "tool_use", "tool_result":
			return splice(message, at, withMember(block, "cache_control", value)), true
		}
	}
	return nil, false
}
