package anthropic

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// answerBlock is a content block of an answer, as far as it has come.
type answerBlock struct {
	// raw is the block as it began, or all of it in an answer that is not streamed.
	raw            []byte
	kind, id, name string
	// hidden says that it calls a hidden tool. Number is the client's number for it.
	hidden bool
	number int
	// text, thinking and input are what deltas added, still escaped.
	text, thinking, input []byte
	// signature, content and encrypted are values that a delta set.
	signature, content, encrypted []byte
	citations                     [][]byte
}

// readBlock reads a block, which it keeps.
func readBlock(raw []byte, hidden func(string) bool) *answerBlock {
	b := &answerBlock{raw: raw, kind: rawjson.MemberText(raw, "type"), id: rawjson.MemberText(raw, "id"), name: rawjson.MemberText(raw, "name")}
	b.hidden = b.kind == "tool_use" && hidden(b.name)
	return b
}

// add takes what an event adds to the block.
func (b *answerBlock) add(delta []byte) {
	s := rawjson.NewScanner(delta)
	if s.Peek() != '{' {
		return
	}
	compaction := rawjson.MemberText(delta, "type") == "compaction_delta"
	for key := range s.Members() {
		value := s.Value().Of(delta)
		switch string(key) {
		case "text":
			b.text = rawjson.AppendInside(b.text, value)
		case "thinking":
			b.thinking = rawjson.AppendInside(b.thinking, value)
		case "partial_json":
			b.input = rawjson.AppendInside(b.input, value)
		case "signature":
			b.signature = bytes.Clone(value)
		case "citation":
			b.citations = append(b.citations, bytes.Clone(value))
		case "content":
			if compaction {
				b.content = bytes.Clone(value)
			}
		case "encrypted_content":
			if compaction {
				b.encrypted = bytes.Clone(value)
			}
		}
	}
}

// whole returns the block as it would stand in the next request.
func (b *answerBlock) whole() []byte {
	raw := b.raw
	for _, added := range []struct {
		key   string
		value []byte
	}{{"text", b.text}, {"thinking", b.thinking}} {
		if len(added.value) > 0 {
			begun := rawjson.AppendInside(nil, rawjson.Member(raw, added.key))
			raw = rawjson.SetMember(raw, added.key, rawjson.InQuotes(append(begun, added.value...)))
		}
	}
	if input := b.arguments(); len(b.input) > 0 && rawjson.IsObject([]byte(input)) {
		raw = rawjson.SetMember(raw, "input", []byte(input))
	}
	if len(b.citations) > 0 {
		raw = rawjson.SetMember(raw, "citations", rawjson.Array(b.citations))
	}
	for _, set := range []struct {
		key   string
		value []byte
	}{{"signature", b.signature}, {"content", b.content}, {"encrypted_content", b.encrypted}} {
		if set.value != nil {
			raw = rawjson.SetMember(raw, set.key, set.value)
		}
	}
	return raw
}

// part returns the block as it would stand in the next request. An empty text cannot
// stand there.
func (b *answerBlock) part() (plimsoll.Part, bool) {
	switch b.kind {
	case "text":
		text := b.said()
		return plimsoll.Text{Text: text}, text != ""
	case "thinking":
		raw := b.whole()
		return plimsoll.Reasoning{Text: rawjson.MemberText(raw, "thinking"), Signature: rawjson.MemberText(raw, "signature")}, true
	case "redacted_thinking":
		return plimsoll.Reasoning{Signature: rawjson.MemberText(b.raw, "data"), Redacted: true}, true
	case "tool_use":
		return plimsoll.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()}, true
	}
	return plimsoll.Opaque{Kind: b.kind, Raw: string(b.whole())}, true
}

// said returns the text of a text block.
func (b *answerBlock) said() string {
	if b.kind != "text" {
		return ""
	}
	return rawjson.Unquoted(rawjson.Member(b.whole(), "text"))
}

// arguments returns the input of a call, which is no JSON if the answer ended in it.
func (b *answerBlock) arguments() string {
	if len(b.input) > 0 {
		return rawjson.Unquoted(rawjson.InQuotes(b.input))
	}
	return string(rawjson.Member(b.raw, "input"))
}

// roundOf says what an answer of some blocks was. A hidden call whose input
// was cut off is none. Nothing is said by a text without words, and the API does not
// take one back.
func roundOf(blocks []*answerBlock) build.Answer {
	var a build.Answer
	var all, open [][]byte
	for _, b := range blocks {
		raw := b.whole()
		a.Hides = a.Hides || b.hidden
		if !b.hidden {
			part, _ := b.part()
			a.Shown = append(a.Shown, part)
		}
		switch {
		case !rawjson.IsObject(raw), b.hidden && !rawjson.IsObject([]byte(b.arguments())), b.kind == "text" && strings.TrimSpace(b.said()) == "":
			continue
		case b.hidden:
			a.Calls = append(a.Calls, plimsoll.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()})
		case b.kind == "tool_use":
			a.Foreign = true
		}
		all = append(all, raw)
		if !b.hidden {
			open = append(open, raw)
		}
	}
	a.Said, a.Open = build.AssistantMessage(all, isThinking), build.AssistantMessage(open, isThinking)
	return a
}

// billed returns the usage that a client gets: of the last answer, with what
// was put out before. Begun is the usage that the last answer began with; nil if
// there is none.
func billed(usage, begun []byte, before output) []byte {
	if !rawjson.IsObject(usage) {
		return usage
	}
	for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if now, first := rawjson.Member(usage, key), rawjson.Member(begun, key); first != nil && (now == nil || string(now) == "null") {
			usage = rawjson.SetMember(usage, key, first)
		}
	}
	total := before.plus(usage)
	usage = rawjson.SetInt(usage, "output_tokens", total.tokens)
	if details := rawjson.Member(usage, "output_tokens_details"); rawjson.IsObject(details) {
		usage = rawjson.SetMember(usage, "output_tokens_details", rawjson.SetInt(details, "thinking_tokens", total.thinking))
	}
	return usage
}

// output is what answers put out.
type output struct{ tokens, thinking int }

func (o output) plus(usage []byte) output {
	return output{
		o.tokens + rawjson.MemberInt(usage, "output_tokens"),
		o.thinking + rawjson.MemberInt(rawjson.Member(usage, "output_tokens_details"), "thinking_tokens"),
	}
}

// endReason returns why a reply ended. A model that called hidden tools alone wanted to
// go on; since it is not asked again, its turn has ended.
func endReason(reason []byte, last build.Answer) []byte {
	if last.Hides && !last.Foreign && rawjson.Unquoted(reason) == "tool_use" {
		return []byte(`"end_turn"`)
	}
	return reason
}
