package openai

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// answerMessage is a message of an answer, as far as it has come.
type answerMessage struct {
	// hidden says which tools are hidden; nil hides none.
	hidden func(string) bool
	// whole says that the message comes in one piece.
	whole bool
	// content is text, still escaped; parts are what stands before it if the content
	// is a list.
	content []byte
	parts   [][]byte
	// prose holds the members that are texts, still escaped, in the order in which they
	// came.
	prose []rawMember
	// thought is the reasoning, still escaped, under whichever name it came.
	thought []byte
	details []reasoningDetail
	calls   answerCalls
	// functions are calls in the way of old clients.
	functions answerCalls
}

// add joins what a delta, or the whole message, says. It returns the calls of its
// tool_calls.
func (a *answerMessage) add(said []byte) []*answerCall {
	var calls []*answerCall
	before, reasoning := len(a.thought), []byte(nil)
	s := rawjson.NewScanner(said)
	if s.Peek() != '{' {
		return nil
	}
	for key := range s.Members() {
		value := s.Value().Of(said)
		switch string(key) {
		case "content":
			a.say(value)
		case "reasoning_content":
			a.remark(string(key), value)
			a.thought = rawjson.AppendInside(a.thought, value)
		case "reasoning":
			a.remark(string(key), value)
			reasoning = value
		case "refusal":
			a.remark(string(key), value)
		case "reasoning_details":
			for _, piece := range rawjson.Items(value) {
				a.detail(piece)
			}
		case "tool_calls":
			for _, raw := range rawjson.Items(value) {
				calls = append(calls, a.calls.add(readPiece(raw), a.whole, a.hidden))
			}
		case "function_call":
			if opensObject(value) {
				a.functions.add(readFunction(value, false), a.whole, nil)
			}
		}
	}
	if len(a.thought) == before { // servers that are changing the name send it under both
		a.thought = rawjson.AppendInside(a.thought, reasoning)
	}
	return calls
}

// say adds to the content.
func (a *answerMessage) say(value []byte) {
	parts := rawjson.Items(value)
	if len(parts) > 0 {
		a.settle()
	}
	for _, p := range parts {
		a.parts = append(a.parts, bytes.Clone(p))
	}
	a.content = rawjson.AppendInside(a.content, value)
}

// settle makes a part of the text that has come.
func (a *answerMessage) settle() {
	if len(a.content) > 0 {
		part := append([]byte(`{"type":"text","text":`), rawjson.InQuotes(a.content)...)
		a.parts, a.content = append(a.parts, append(part, '}')), nil
	}
}

// remark adds to a member that is a text.
func (a *answerMessage) remark(key string, value []byte) {
	if !rawjson.IsString(value) || len(value) == len(`""`) {
		return
	}
	for i := range a.prose {
		if a.prose[i].key == key {
			a.prose[i].value = rawjson.AppendInside(a.prose[i].value, value)
			return
		}
	}
	a.prose = append(a.prose, rawMember{key, rawjson.AppendInside(nil, value)})
}

// text returns what was said.
func (a *answerMessage) text() string {
	var text strings.Builder
	for _, p := range a.parts {
		if rawjson.MemberText(p, "type") == "text" {
			text.WriteString(rawjson.MemberText(p, "text"))
		}
	}
	text.WriteString(rawjson.Unquoted(rawjson.InQuotes(a.content)))
	return text.String()
}

// round says what the answer was.
func (a *answerMessage) round() build.Answer {
	r := build.Answer{Round: wire.Round{Foreign: len(a.functions.all) > 0}, Shown: a.shown()}
	var all, open [][]byte
	for _, c := range a.calls.all {
		if c.isEmpty() {
			continue
		}
		all = append(all, c.whole())
		if c.hidden {
			r.Calls = append(r.Calls, c.toolCall())
			continue
		}
		r.Foreign = true
		open = append(open, c.whole())
	}
	r.Hides = len(r.Calls) > 0
	r.Said, r.Open = a.message(all), a.message(open)
	return r
}

// message returns the answer with some of its calls as it would stand in the next
// request; nothing if it says nothing.
func (a *answerMessage) message(calls [][]byte) [][]byte {
	out := []byte(`{"role":"assistant","content":`)
	said := len(calls) > 0
	switch {
	case len(a.parts) > 0:
		parts := answerMessage{parts: a.parts[:len(a.parts):len(a.parts)], content: a.content}
		parts.settle()
		out, said = append(out, rawjson.Array(parts.parts)...), true
	case len(a.content) > 0:
		out, said = append(out, rawjson.InQuotes(a.content)...), true
	default:
		out = append(out, "null"...)
	}
	for _, m := range a.prose {
		out = append(append(out, `,"`+m.key+`":`...), rawjson.InQuotes(m.value)...)
		said = said || m.key == "refusal"
	}
	if len(a.details) > 0 {
		var details [][]byte
		for _, d := range a.details {
			details = append(details, d.whole())
		}
		out = append(append(out, `,"reasoning_details":`...), rawjson.Array(details)...)
	}
	if len(calls) > 0 {
		out = append(append(out, `,"tool_calls":`...), rawjson.Array(calls)...)
	}
	if !said {
		return nil
	}
	return [][]byte{append(out, '}')}
}

// shown returns what of the answer the client is shown.
func (a *answerMessage) shown() []plimsoll.Part {
	parts := []plimsoll.Part{plimsoll.Text{Text: a.text()}}
	for _, c := range a.calls.all {
		if !c.hidden {
			parts = append(parts, c.toolCall())
		}
	}
	return parts
}

// output is what answers put out.
type output struct{ tokens, reasoning int }

func (o output) plus(usage []byte) output {
	return output{
		o.tokens + rawjson.MemberInt(usage, "completion_tokens"),
		o.reasoning + rawjson.MemberInt(rawjson.Member(usage, "completion_tokens_details"), "reasoning_tokens"),
	}
}

// isZero reports whether a usage counts nothing, as the last one of some streams.
func isZero(usage []byte) bool {
	return rawjson.MemberInt(usage, "prompt_tokens") == 0 && rawjson.MemberInt(usage, "completion_tokens") == 0
}

// billed returns the usage that a client gets: of the last answer, with what
// was put out before.
func billed(usage []byte, before output) []byte {
	if !rawjson.IsObject(usage) || before == (output{}) {
		return usage
	}
	total := before.plus(usage)
	usage = rawjson.SetInt(usage, "completion_tokens", total.tokens)
	if rawjson.Member(usage, "total_tokens") != nil {
		usage = rawjson.SetInt(usage, "total_tokens", rawjson.MemberInt(usage, "prompt_tokens")+total.tokens)
	}
	if details := rawjson.Member(usage, "completion_tokens_details"); rawjson.IsObject(details) {
		usage = rawjson.SetMember(usage, "completion_tokens_details", rawjson.SetInt(details, "reasoning_tokens", total.reasoning))
	}
	return usage
}

// endReason returns why a reply ended. A model that called hidden tools alone wanted to
// go on; since it is not asked again, it has stopped.
func endReason(reason []byte, last build.Answer) []byte {
	if last.Hides && !last.Foreign && rawjson.Unquoted(reason) == "tool_calls" {
		return []byte(`"stop"`)
	}
	return reason
}
