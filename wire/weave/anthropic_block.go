package weave

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// anthropicBlock is a content block of an answer, as far as it has come.
type anthropicBlock struct {
	// raw is the block as it began, or all of it in an answer that is not streamed.
	raw            []byte
	kind, id, name string
	// ours says that it calls a tool of ours. Number is the client's number for it.
	ours   bool
	number int
	// text, thinking and input are what deltas added, still escaped.
	text, thinking, input []byte
	// signature, content and encrypted are values that a delta set.
	signature, content, encrypted []byte
	citations                     [][]byte
}

// readBlock reads a block, which it keeps.
func readBlock(raw []byte, ours func(string) bool) *anthropicBlock {
	b := &anthropicBlock{raw: raw, kind: stringOf(raw, "type"), id: stringOf(raw, "id"), name: stringOf(raw, "name")}
	b.ours = b.kind == "tool_use" && ours(b.name)
	return b
}

// add takes what an event adds to the block.
func (b *anthropicBlock) add(delta []byte) {
	switch stringOf(delta, "type") {
	case "text_delta":
		b.text = appendInside(b.text, memberOf(delta, "text"))
	case "thinking_delta":
		b.thinking = appendInside(b.thinking, memberOf(delta, "thinking"))
	case "signature_delta":
		b.signature = bytes.Clone(memberOf(delta, "signature"))
	case "input_json_delta":
		b.input = appendInside(b.input, memberOf(delta, "partial_json"))
	case "citations_delta":
		if c := memberOf(delta, "citation"); c != nil {
			b.citations = append(b.citations, bytes.Clone(c))
		}
	case "compaction_delta":
		b.content = bytes.Clone(memberOf(delta, "content"))
		b.encrypted = bytes.Clone(memberOf(delta, "encrypted_content"))
	}
}

// whole returns the block as it would stand in the next request.
func (b *anthropicBlock) whole() []byte {
	raw := b.raw
	for _, added := range []struct {
		key   string
		value []byte
	}{{"text", b.text}, {"thinking", b.thinking}} {
		if len(added.value) > 0 {
			begun := appendInside(nil, memberOf(raw, added.key))
			raw = withMember(raw, added.key, quoted(append(begun, added.value...)))
		}
	}
	if input := b.arguments(); len(b.input) > 0 && isObject([]byte(input)) {
		raw = withMember(raw, "input", []byte(input))
	}
	if len(b.citations) > 0 {
		raw = withMember(raw, "citations", listed(b.citations))
	}
	for _, set := range []struct {
		key   string
		value []byte
	}{{"signature", b.signature}, {"content", b.content}, {"encrypted_content", b.encrypted}} {
		if set.value != nil {
			raw = withMember(raw, set.key, set.value)
		}
	}
	return raw
}

// said returns the text of a text block.
func (b *anthropicBlock) said() string {
	if b.kind != "text" {
		return ""
	}
	return unquoted(memberOf(b.whole(), "text"))
}

// arguments returns the input of a call, which is no JSON if the answer ended in it.
func (b *anthropicBlock) arguments() string {
	if len(b.input) > 0 {
		return unquoted(quoted(b.input))
	}
	return string(memberOf(b.raw, "input"))
}

// anthropicRound says what an answer of some blocks was. A call of ours whose input
// was cut off is none. Nothing is said by a text without words, and the API does not
// take one back.
func anthropicRound(blocks []*anthropicBlock) answered {
	var a answered
	var all, open [][]byte
	for _, b := range blocks {
		raw := b.whole()
		a.hides = a.hides || b.ours
		switch {
		case !isObject(raw), b.ours && !isObject([]byte(b.arguments())), b.kind == "text" && strings.TrimSpace(b.said()) == "":
			continue
		case b.ours:
			a.Calls = append(a.Calls, plimsoll.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()})
		case b.kind == "tool_use":
			a.Foreign = true
		}
		all = append(all, raw)
		if !b.ours {
			open = append(open, raw)
		}
	}
	a.Said, a.open = anthropicMessage(all), anthropicMessage(open)
	return a
}

// anthropicMessage makes blocks a message of the assistant's; none if there are none.
// It must not end in thinking.
func anthropicMessage(blocks [][]byte) [][]byte {
	for len(blocks) > 0 && isThinking(blocks[len(blocks)-1]) {
		blocks = blocks[:len(blocks)-1]
	}
	if len(blocks) == 0 {
		return nil
	}
	message := append([]byte(`{"role":"assistant","content":`), listed(blocks)...)
	return [][]byte{append(message, '}')}
}

// see notes what of the blocks the client was shown.
func (s *shown) see(blocks []*anthropicBlock) {
	for _, b := range blocks {
		s.text(b.said())
		s.thought = s.thought || isThinking(b.raw)
		if b.kind == "tool_use" && !b.ours {
			s.call(plimsoll.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()})
		}
	}
}

// anthropicUsage returns the usage that a client is told: of the last answer, with what
// was put out before. Begun is the usage that the last answer began with, if that was
// told apart.
func anthropicUsage(usage, begun []byte, before anthropicOutput) []byte {
	if !isObject(usage) {
		return usage
	}
	for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if now, first := memberOf(usage, key), memberOf(begun, key); first != nil && (now == nil || string(now) == "null") {
			usage = withMember(usage, key, first)
		}
	}
	total := before.plus(usage)
	usage = withNumber(usage, "output_tokens", total.tokens)
	if details := memberOf(usage, "output_tokens_details"); isObject(details) {
		usage = withMember(usage, "output_tokens_details", withNumber(details, "thinking_tokens", total.thinking))
	}
	return usage
}

// anthropicOutput is what answers put out.
type anthropicOutput struct{ tokens, thinking int }

func (o anthropicOutput) plus(usage []byte) anthropicOutput {
	return anthropicOutput{
		o.tokens + numberOf(usage, "output_tokens"),
		o.thinking + numberOf(memberOf(usage, "output_tokens_details"), "thinking_tokens"),
	}
}

// anthropicStop returns why a reply ended: the model that called tools of ours alone
// wanted to go on, but nobody asks it to.
func anthropicStop(reason []byte, last answered) []byte {
	if last.hides && !last.Foreign && unquoted(reason) == "tool_use" {
		return []byte(`"end_turn"`)
	}
	return reason
}
