package anthropic

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their blocks. In frames they come from Bedrock, as chunks.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, ok := sse.FramingOf(contentType); ok {
		if framing == sse.Frames {
			framing = sse.Chunks
		}
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner { return &eventJoiner{out: out, hidden: hidden} })
	}
	return build.NewWholeReply(c, hidden)
}

// Results makes one message of the user, which this API wants behind the calls.
func (Codec) Results(results []wire.Result) ([][]byte, error) {
	if len(results) == 0 {
		return nil, nil
	}
	parts := make([]plimsoll.Part, len(results))
	for i, r := range results {
		parts[i] = r.Part()
	}
	return (&writer{}).Message(plimsoll.NewMessage(plimsoll.User, parts...))
}

// ResultsBeside makes content blocks.
func (c Codec) ResultsBeside(results []wire.Result) ([][]byte, error) {
	messages, err := c.Results(results)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	return rawjson.Items(rawjson.Member(messages[0], "content")), nil
}

// InsertResults puts blocks behind the results that the client's next message begins with.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.User {
		return nil, false
	}
	answers := build.LeadingResults(messages.At(next))
	blocks := contentAt(r.Body(), r.Layout().Messages.Items[next])
	if answers == 0 || answers > len(blocks.Items) {
		return nil, false
	}
	at := blocks.Items[answers-1].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append([]byte{','}, bytes.Join(results, []byte{','})...)}}, true
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

// Restored puts the last cache mark of what the client sent on the last block that can
// carry one, so that there are never more marks than before.
func (Codec) Restored(elements [][]byte, sent []byte, withoutReasoning bool) [][]byte {
	elements = slices.Clone(elements)
	for i := range elements {
		if withoutReasoning {
			elements[i] = withoutThinking(elements[i])
		}
	}
	value := markOf(sent)
	for i := len(elements) - 1; i >= 0 && value != nil; i-- {
		if marked, ok := withMark(elements[i], value); ok {
			elements[i] = marked
			break
		}
	}
	return elements
}

// markOf returns the last cache mark on a block of some messages.
func markOf(messages []byte) (last []byte) {
	for _, m := range rawjson.Items(rawjson.Array([][]byte{messages})) {
		for _, block := range rawjson.Items(rawjson.Member(m, "content")) {
			if mark := rawjson.Member(block, "cache_control"); rawjson.IsObject(mark) {
				last = mark
			}
		}
	}
	return last
}

func isThinking(block []byte) bool {
	kind := rawjson.MemberText(block, "type")
	return kind == "thinking" || kind == "redacted_thinking"
}

// withoutThinking takes thinking out of a message, which has other blocks as well.
func withoutThinking(message []byte) []byte {
	blocks := rawjson.Items(rawjson.Member(message, "content"))
	left := slices.DeleteFunc(slices.Clone(blocks), isThinking)
	if len(left) == len(blocks) || len(left) == 0 {
		return message
	}
	return rawjson.SetMember(message, "content", rawjson.Array(left))
}

// withMark puts a cache mark on the last block of a message that can carry one:
// neither thinking nor what a server's tool left can.
func withMark(message, value []byte) ([]byte, bool) {
	content := contentAt(message, rawjson.Span{End: len(message)})
	for _, at := range slices.Backward(content.Items) {
		block := at.Of(message)
		switch rawjson.MemberText(block, "type") {
		case "text", "tool_use", "tool_result":
			return rawjson.Replace(message, at, rawjson.SetMember(block, "cache_control", value)), true
		}
	}
	return nil, false
}
