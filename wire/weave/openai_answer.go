package weave

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// openaiAnswer is a message of an answer, as far as it has come.
type openaiAnswer struct {
	ours func(string) bool
	// whole says that the message comes in one piece.
	whole bool
	// content is text, still escaped; parts are what stands before it if the content
	// is a list.
	content []byte
	parts   [][]byte
	// prose holds the members that are texts, still escaped, in the order in which they
	// came.
	prose   []openaiMember
	details []openaiDetail
	calls   openaiCalls
	// foreign says that a function was called in the way of old clients.
	foreign bool
}

// add joins what a delta, or the whole message, says. It returns the calls of its
// tool_calls.
func (a *openaiAnswer) add(said []byte) []*openaiCall {
	var calls []*openaiCall
	s := rawjson.NewScanner(said)
	if s.Peek() != '{' {
		return nil
	}
	for key := range s.Members() {
		value := s.Value().Of(said)
		switch string(key) {
		case "content":
			a.say(value)
		case "reasoning_content", "reasoning", "refusal":
			a.remark(string(key), value)
		case "reasoning_details":
			for _, piece := range itemsOf(value) {
				a.detail(piece)
			}
		case "tool_calls":
			for _, raw := range itemsOf(value) {
				calls = append(calls, a.calls.add(readPiece(raw), a.whole, a.ours))
			}
		case "function_call":
			a.foreign = a.foreign || isObject(value)
		}
	}
	return calls
}

// say adds to the content.
func (a *openaiAnswer) say(value []byte) {
	parts := itemsOf(value)
	if len(parts) > 0 {
		a.settle()
	}
	for _, p := range parts {
		a.parts = append(a.parts, bytes.Clone(p))
	}
	a.content = appendInside(a.content, value)
}

// settle makes a part of the text that has come.
func (a *openaiAnswer) settle() {
	if len(a.content) > 0 {
		part := append([]byte(`{"type":"text","text":`), quoted(a.content)...)
		a.parts, a.content = append(a.parts, append(part, '}')), nil
	}
}

// remark adds to a member that is a text.
func (a *openaiAnswer) remark(key string, value []byte) {
	if !isString(value) || len(value) == len(`""`) {
		return
	}
	for i := range a.prose {
		if a.prose[i].key == key {
			a.prose[i].value = appendInside(a.prose[i].value, value)
			return
		}
	}
	a.prose = append(a.prose, openaiMember{key, appendInside(nil, value)})
}

// text returns what was said.
func (a *openaiAnswer) text() string {
	var text strings.Builder
	for _, p := range a.parts {
		if stringOf(p, "type") == "text" {
			text.WriteString(stringOf(p, "text"))
		}
	}
	text.WriteString(unquoted(quoted(a.content)))
	return text.String()
}

// round says what the answer was.
func (a *openaiAnswer) round() answered {
	r := answered{Round: Round{Foreign: a.foreign}}
	var all, open [][]byte
	for _, c := range a.calls.all {
		if c.name == "" && len(c.arguments) == 0 && c.value == nil {
			continue
		}
		all = append(all, c.whole())
		if c.ours {
			r.Calls = append(r.Calls, c.toolCall())
			continue
		}
		r.Foreign = true
		open = append(open, c.whole())
	}
	r.hides = len(r.Calls) > 0
	r.Said, r.open = a.message(all), a.message(open)
	return r
}

// message returns the answer with some of its calls as it would stand in the next
// request; nothing if it says nothing.
func (a *openaiAnswer) message(calls [][]byte) [][]byte {
	out := []byte(`{"role":"assistant","content":`)
	said := len(calls) > 0
	switch {
	case len(a.parts) > 0:
		parts := openaiAnswer{parts: a.parts[:len(a.parts):len(a.parts)], content: a.content}
		parts.settle()
		out, said = append(out, listed(parts.parts)...), true
	case len(a.content) > 0:
		out, said = append(out, quoted(a.content)...), true
	default:
		out = append(out, "null"...)
	}
	for _, m := range a.prose {
		out = append(append(out, `,"`+m.key+`":`...), quoted(m.value)...)
		said = said || m.key == "refusal"
	}
	if len(a.details) > 0 {
		var details [][]byte
		for _, d := range a.details {
			details = append(details, d.whole())
		}
		out = append(append(out, `,"reasoning_details":`...), listed(details)...)
	}
	if len(calls) > 0 {
		out = append(append(out, `,"tool_calls":`...), listed(calls)...)
	}
	if !said {
		return nil
	}
	return [][]byte{append(out, '}')}
}

// see notes what of the answer the client was shown.
func (a *openaiAnswer) see(seen *shown) {
	seen.text(a.text())
	for _, c := range a.calls.all {
		if !c.ours {
			seen.call(c.toolCall())
		}
	}
}

// openaiOutput is what answers put out.
type openaiOutput struct{ tokens, reasoning int }

func (o openaiOutput) plus(usage []byte) openaiOutput {
	return openaiOutput{
		o.tokens + numberOf(usage, "completion_tokens"),
		o.reasoning + numberOf(memberOf(usage, "completion_tokens_details"), "reasoning_tokens"),
	}
}

// openaiUsage returns the usage that a client is told: of the last answer, with what
// was put out before.
func openaiUsage(usage []byte, before openaiOutput) []byte {
	if !isObject(usage) || before == (openaiOutput{}) {
		return usage
	}
	total := before.plus(usage)
	usage = withNumber(usage, "completion_tokens", total.tokens)
	if memberOf(usage, "total_tokens") != nil {
		usage = withNumber(usage, "total_tokens", numberOf(usage, "prompt_tokens")+total.tokens)
	}
	if details := memberOf(usage, "completion_tokens_details"); isObject(details) {
		usage = withMember(usage, "completion_tokens_details", withNumber(details, "reasoning_tokens", total.reasoning))
	}
	return usage
}

// openaiStop returns why a reply ended: the model that called tools of ours alone wanted
// to go on, but nobody asks it to.
func openaiStop(reason []byte, last answered) []byte {
	if last.hides && !last.Foreign && unquoted(reason) == "tool_calls" {
		return []byte(`"stop"`)
	}
	return reason
}
