package testkit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

// History reads a compact notation, one word a message: "s" system, "d"
// developer, "u" user, "a" assistant, "t" tool, followed by parts: "c1" a call
// with id 1, "r1" its result, "think" reasoning, "cX!"/"rX!" a call or result
// without an id, of tool X. A message without parts has one text.
func History(t testing.TB, notation string) []plimsoll.Message {
	t.Helper()
	roles := map[string]plimsoll.Role{
		"s": plimsoll.System, "d": plimsoll.Developer, "u": plimsoll.User,
		"a": plimsoll.Assistant, "t": plimsoll.ToolRole,
	}
	var messages []plimsoll.Message
	for word := range strings.FieldsSeq(notation) {
		fields := strings.Split(word, ":")
		role, ok := roles[fields[0]]
		if !ok {
			t.Fatalf("unknown role in %q", word)
		}
		parts := []plimsoll.Part{plimsoll.Text{Text: word}}
		if len(fields) > 1 {
			parts = partsOf(strings.Split(fields[1], ","))
		}
		messages = append(messages, plimsoll.NewMessage(role, parts...))
	}
	return messages
}

func partsOf(words []string) []plimsoll.Part {
	var parts []plimsoll.Part
	for _, w := range words {
		name, idless := strings.CutSuffix(w[1:], "!")
		id := name
		if idless {
			id = ""
		}
		switch {
		case w == "think":
			parts = append(parts, plimsoll.Reasoning{Text: "hm"})
		case w[0] == 'c':
			parts = append(parts, plimsoll.ToolCall{ID: id, Name: name})
		case w[0] == 'r':
			parts = append(parts, plimsoll.ToolResult{CallID: id, Name: name})
		default:
			parts = append(parts, plimsoll.Text{Text: w})
		}
	}
	return parts
}

func Conversation(messages []plimsoll.Message) plimsoll.Conversation {
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// AnyHistory draws lists that are mostly illegal.
func AnyHistory() *rapid.Generator[[]plimsoll.Message] {
	id := rapid.SampledFrom([]string{"", "1", "2", "3"})
	name := rapid.SampledFrom([]string{"read", "grep"})
	part := rapid.Custom(func(t *rapid.T) plimsoll.Part {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return plimsoll.ToolCall{ID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Arguments: "{}"}
		case 1:
			text := plimsoll.Part(plimsoll.Text{Text: rapid.StringN(0, 20, 80).Draw(t, "output")})
			return plimsoll.ToolResult{CallID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Content: plimsoll.ListOf(text)}
		case 2:
			return plimsoll.Reasoning{Text: "hm", Signature: "sig"}
		case 3:
			return plimsoll.Media{Kind: plimsoll.Image, Width: 10, Height: 10}
		case 4:
			return plimsoll.Opaque{Kind: "new", Raw: `{"a":1}`}
		}
		return plimsoll.Text{Text: rapid.StringN(0, 20, 80).Draw(t, "text")}
	})
	role := rapid.SampledFrom([]plimsoll.Role{
		plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole, "narrator",
	})
	message := rapid.Custom(func(t *rapid.T) plimsoll.Message {
		return plimsoll.NewMessage(role.Draw(t, "role"), rapid.SliceOfN(part, 0, 3).Draw(t, "parts")...)
	})
	return rapid.SliceOfN(message, 0, 14)
}

// LegalHistory draws what well-behaved agents send.
func LegalHistory() *rapid.Generator[[]plimsoll.Message] {
	return rapid.Custom(func(t *rapid.T) []plimsoll.Message {
		messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "be brief")}
		for turn := range rapid.IntRange(1, 4).Draw(t, "turns") {
			messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprintf("question %d", turn)))
			for range rapid.IntRange(0, 3).Draw(t, "rounds") {
				messages = appendRound(t, messages)
			}
			messages = append(messages, plimsoll.Say(plimsoll.Assistant, "answer"))
		}
		return messages
	})
}

func appendRound(t *rapid.T, messages []plimsoll.Message) []plimsoll.Message {
	var calls, results []plimsoll.Part
	for range rapid.IntRange(1, 3).Draw(t, "calls") {
		id := fmt.Sprintf("call_%d_%d", len(messages), len(calls))
		calls = append(calls, plimsoll.ToolCall{ID: id, Name: "read", Arguments: `{"path":"a.go"}`})
		text := plimsoll.Part(plimsoll.Text{Text: rapid.StringN(1, 60, 200).Draw(t, "output")})
		results = append(results, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf(text)})
	}
	if rapid.Bool().Draw(t, "thinks") {
		calls = append([]plimsoll.Part{plimsoll.Reasoning{Text: "hm", Signature: "sig"}}, calls...)
	}
	messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, calls...))
	results = rapid.Permutation(results).Draw(t, "order")
	if rapid.Bool().Draw(t, "together") {
		return append(messages, plimsoll.NewMessage(plimsoll.User, results...))
	}
	for _, r := range results {
		messages = append(messages, plimsoll.NewMessage(plimsoll.ToolRole, r))
	}
	return messages
}

func Text(s string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: s})
}

func CheckOrderKept(t *rapid.T, d *plimsoll.Draft) {
	last := -1
	for p := range d.Placed() {
		if p.Original < 0 {
			continue
		}
		if p.Original <= last {
			t.Fatalf("message %d stands after %d", p.Original, last)
		}
		last = p.Original
		if original := d.Original().Messages.At(p.Original); !p.Edited && !reflect.DeepEqual(p.Message, original) {
			t.Fatalf("message %d differs but is not marked as edited", p.Original)
		}
	}
}

func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
