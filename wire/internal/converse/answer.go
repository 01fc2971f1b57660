package converse

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// answerBlock is a block of an answer, as far as it has come.
type answerBlock struct {
	// raw is the block, if the answer is not streamed. Otherwise the rest is.
	raw      []byte
	call     plimsoll.ToolCall
	redacted []byte
	// text, thinking, signature and input are what deltas added, still escaped.
	text, thinking, signature, input []byte
	// hidden says that it calls a hidden tool. Number is the client's number for it.
	hidden bool
	number int
}

// add takes what a delta adds to the block.
func (b *answerBlock) add(delta []byte) {
	reasoning := rawjson.Member(delta, "reasoningContent")
	b.text = rawjson.AppendInside(b.text, rawjson.Member(delta, "text"))
	b.input = rawjson.AppendInside(b.input, rawjson.Member(rawjson.Member(delta, "toolUse"), "input"))
	b.thinking = rawjson.AppendInside(b.thinking, rawjson.Member(reasoning, "text"))
	b.signature = rawjson.AppendInside(b.signature, rawjson.Member(reasoning, "signature"))
	b.redacted = rawjson.AppendInside(b.redacted, rawjson.Member(reasoning, "redactedContent"))
}

// part returns what the block says; nil if it is nothing that is understood.
func (b *answerBlock) part() plimsoll.Part {
	said := func(inside []byte) string { return rawjson.Unquoted(rawjson.InQuotes(inside)) }
	switch {
	case b.raw != nil:
		d := newDecoder(b.raw)
		id := layout.NewIdentity()
		part, _ := d.block(id)
		id.Sum()
		return part
	case b.call.Name != "":
		call := b.call
		call.Arguments = cmp.Or(said(b.input), "{}")
		return call
	case len(b.redacted) > 0:
		return plimsoll.Reasoning{Signature: said(b.redacted), Redacted: true}
	case len(b.thinking)+len(b.signature) > 0:
		return plimsoll.Reasoning{Text: said(b.thinking), Signature: said(b.signature)}
	case len(b.text) > 0:
		return plimsoll.Text{Text: said(b.text)}
	}
	return nil
}

// readBlock reads a block of a whole answer.
func readBlock(raw []byte, hidden func(string) bool) *answerBlock {
	b := &answerBlock{raw: raw}
	b.hidden = hidden(rawjson.MemberText(rawjson.Member(raw, "toolUse"), "name"))
	return b
}

// roundOf says what an answer of some blocks was. Nothing is said by a text without words,
// and the API does not take one back.
func roundOf(blocks []*answerBlock) build.Answer {
	var a build.Answer
	var all, open [][]byte
	for _, b := range blocks {
		part := b.part()
		a.Hides = a.Hides || b.hidden
		if part == nil {
			continue
		}
		if !b.hidden {
			a.Shown = append(a.Shown, part)
		}
		raw := b.raw
		if raw == nil {
			raw, _ = renderBlock(part)
		}
		call, isCall := part.(plimsoll.ToolCall)
		if text, ok := part.(plimsoll.Text); raw == nil || ok && strings.TrimSpace(text.Text) == "" {
			continue
		}
		switch {
		case b.hidden && !rawjson.IsObject([]byte(call.Arguments)):
			continue
		case b.hidden:
			a.Calls = append(a.Calls, call)
		case isCall:
			a.Foreign = true
		}
		all = append(all, raw)
		if !b.hidden {
			open = append(open, raw)
		}
	}
	a.Said, a.Open = build.AssistantMessage(all, isReasoning), build.AssistantMessage(open, isReasoning)
	return a
}

func isReasoning(block []byte) bool { return rawjson.Member(block, "reasoningContent") != nil }

// billed returns the usage that a client gets: of the last answer, with the tokens that
// earlier answers put out.
func billed(usage []byte, before int) []byte {
	for _, key := range []string{"outputTokens", "totalTokens"} {
		if rawjson.Member(usage, key) != nil {
			usage = rawjson.AddInt(usage, key, before)
		}
	}
	return usage
}

// endReason returns why a reply ended. A model that called hidden tools alone wanted to
// go on; since it is not asked again, its turn has ended.
func endReason(reason []byte, last build.Answer) []byte {
	if last.Hides && !last.Foreign && rawjson.Unquoted(reason) == "tool_use" {
		return []byte(`"end_turn"`)
	}
	return reason
}

// ReadResponse reads a complete answer, or the error in its place. The body may be used
// for something else afterwards.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	body = bytes.Clone(body)
	var r wire.Response
	var parts []plimsoll.Part
	var message, kind string
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return r, fmt.Errorf("converse response: %w: expected an object", plimsoll.ErrInvalid)
	}
	for key := range s.Members() {
		value := s.Value().Of(body)
		switch string(key) {
		case "output":
			for _, b := range readBlocks(value, func(string) bool { return false }) {
				parts = append(parts, b.part())
			}
		case "stopReason":
			r.Stop = stopReason(rawjson.Unquoted(value))
		case "usage":
			build.Take(&r, "", value, nil)
		case "message", "Message":
			message = rawjson.Unquoted(value)
		case "__type":
			kind = rawjson.Unquoted(value)
		}
	}
	if err := s.End(); err != nil {
		return wire.Response{}, fmt.Errorf("converse response: %w: %w", plimsoll.ErrInvalid, err)
	}
	if message != "" {
		r.Error = &wire.APIError{Type: kind, Message: message}
	}
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, parts...)
	return r, nil
}

// readBlocks returns the blocks of the output of a whole answer that say something.
func readBlocks(output []byte, hidden func(string) bool) []*answerBlock {
	var blocks []*answerBlock
	for _, raw := range rawjson.Items(rawjson.Member(rawjson.Member(output, "message"), "content")) {
		if b := readBlock(raw, hidden); b.part() != nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func stopReason(s string) wire.Stop {
	switch s {
	case "end_turn":
		return wire.StopEnd
	case "tool_use":
		return wire.StopTools
	case "max_tokens":
		return wire.StopLength
	case "model_context_window_exceeded":
		return wire.StopContext
	case "guardrail_intervened", "content_filtered":
		return wire.StopFiltered
	case "stop_sequence":
		return wire.StopSequence
	}
	return wire.StopUnknown
}
