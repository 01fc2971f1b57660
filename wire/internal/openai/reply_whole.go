package openai

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// ReadRound reads an answer.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	a, message := readMessage(body, hidden)
	if message == nil {
		return build.Answer{}, false
	}
	return a.round(), true
}

// readMessage reads the message of an answer that has one choice.
func readMessage(body []byte, hidden func(string) bool) (a answerMessage, message []byte) {
	a = answerMessage{hidden: hidden, whole: true}
	whole, err := readAnswer(body, "message")
	if err != nil || len(whole.choices) != 1 {
		return a, nil
	}
	a.add(whole.choices[0].said)
	return a, whole.choices[0].said
}

// JoinRounds returns the last answer with the id of the first, the texts and thoughts of all
// and the client's calls.
func (Codec) JoinRounds(bodies [][]byte, rounds []build.Answer, hidden func(string) bool) []byte {
	var before output
	texts := map[string][]byte{}
	var order []string
	last := len(bodies) - 1
	for i, body := range bodies {
		_, message := readMessage(body, hidden)
		for _, key := range []string{"content", "reasoning_content", "reasoning"} {
			value := rawjson.Member(message, key)
			if rawjson.Unquoted(value) == "" {
				continue
			}
			if texts[key] == nil {
				order = append(order, key)
			}
			texts[key] = build.AppendText(texts[key], value)
		}
		if i < last {
			before = before.plus(rawjson.Member(body, "usage"))
		}
	}
	choice := rawjson.Items(rawjson.Member(bodies[last], "choices"))[0]
	message := withoutHidden(rawjson.Member(choice, "message"), hidden)
	for _, key := range order {
		message = rawjson.SetMember(message, key, rawjson.InQuotes(texts[key]))
	}
	choice = rawjson.SetMember(choice, "message", message)
	if reason := rawjson.Member(choice, "finish_reason"); reason != nil {
		choice = rawjson.SetMember(choice, "finish_reason", endReason(reason, rounds[last]))
	}
	out := rawjson.SetMember(bytes.TrimSpace(bodies[last]), "choices", rawjson.Array([][]byte{choice}))
	if id := rawjson.Member(bodies[0], "id"); id != nil {
		out = rawjson.SetMember(out, "id", id)
	}
	if usage := rawjson.Member(out, "usage"); usage != nil {
		out = rawjson.SetMember(out, "usage", billed(usage, before))
	}
	return out
}

// withoutHidden takes hidden calls out of a message.
func withoutHidden(message []byte, hidden func(string) bool) []byte {
	var left [][]byte
	calls := rawjson.Items(rawjson.Member(message, "tool_calls"))
	for _, raw := range calls {
		if p := readPiece(raw); p.custom || !hidden(p.name) {
			left = append(left, raw)
		}
	}
	switch {
	case len(left) == len(calls):
		return message
	case len(left) == 0 && string(rawjson.Member(message, "content")) == "null":
		message = rawjson.SetMember(message, "content", []byte(`""`))
		fallthrough
	case len(left) == 0:
		return rawjson.RemoveMember(message, "tool_calls")
	}
	return rawjson.SetMember(message, "tool_calls", rawjson.Array(left))
}
