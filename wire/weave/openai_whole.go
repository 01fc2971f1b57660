package weave

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// openaiJoiner joins messages by their texts.
type openaiJoiner struct{ ours func(string) bool }

var _ joiner = openaiJoiner{}

func (j openaiJoiner) read(body []byte, seen *shown) (answered, bool) {
	a, message := j.answer(body)
	if message == nil {
		return answered{}, false
	}
	a.see(seen)
	return a.round(), true
}

// answer reads the message of an answer that has one choice.
func (j openaiJoiner) answer(body []byte) (a openaiAnswer, message []byte) {
	a = openaiAnswer{ours: j.ours, whole: true}
	if !json.Valid(body) {
		return a, nil
	}
	choices := itemsOf(memberOf(body, "choices"))
	if len(choices) != 1 {
		return a, nil
	}
	if message = memberOf(choices[0], "message"); isObject(message) {
		a.add(message)
	}
	return a, message
}

// join returns the last answer with the id of the first, the texts and thoughts of all
// and the client's calls.
func (j openaiJoiner) join(bodies [][]byte, rounds []answered) []byte {
	var before openaiOutput
	texts := map[string][]byte{}
	var order []string
	last := len(bodies) - 1
	for i, body := range bodies {
		_, message := j.answer(body)
		for _, key := range []string{"content", "reasoning_content", "reasoning"} {
			value := memberOf(message, key)
			if unquoted(value) == "" {
				continue
			}
			if texts[key] == nil {
				order = append(order, key)
			}
			texts[key] = appendText(texts[key], value)
		}
		if i < last {
			before = before.plus(memberOf(body, "usage"))
		}
	}
	choice := itemsOf(memberOf(bodies[last], "choices"))[0]
	message := j.withoutOurs(memberOf(choice, "message"))
	for _, key := range order {
		message = withMember(message, key, quoted(texts[key]))
	}
	choice = withMember(choice, "message", message)
	if reason := memberOf(choice, "finish_reason"); reason != nil {
		choice = withMember(choice, "finish_reason", openaiStop(reason, rounds[last]))
	}
	out := withMember(bytes.TrimSpace(bodies[last]), "choices", listed([][]byte{choice}))
	if id := memberOf(bodies[0], "id"); id != nil {
		out = withMember(out, "id", id)
	}
	if usage := memberOf(out, "usage"); usage != nil {
		out = withMember(out, "usage", openaiUsage(usage, before))
	}
	return out
}

// appendText adds a text, still escaped, to those before it, with an empty line between
// them.
func appendText(dst, value []byte) []byte {
	before, text := unquoted(quoted(dst)), unquoted(value)
	if endsWord(before) && beginsWord(text) {
		dst = append(dst, `\n\n`...)
	}
	return appendInside(dst, value)
}

func beginsWord(text string) bool {
	return text != "" && strings.TrimLeftFunc(text, unicode.IsSpace) == text
}

func endsWord(text string) bool {
	return text != "" && strings.TrimRightFunc(text, unicode.IsSpace) == text
}

// withoutOurs takes our calls out of a message.
func (j openaiJoiner) withoutOurs(message []byte) []byte {
	var left [][]byte
	calls := itemsOf(memberOf(message, "tool_calls"))
	for _, raw := range calls {
		if p := readPiece(raw); p.custom || !j.ours(p.name) {
			left = append(left, raw)
		}
	}
	switch {
	case len(left) == len(calls):
		return message
	case len(left) == 0 && string(memberOf(message, "content")) == "null":
		message = withMember(message, "content", []byte(`""`))
		fallthrough
	case len(left) == 0:
		return withoutMember(message, "tool_calls")
	}
	return withMember(message, "tool_calls", listed(left))
}
