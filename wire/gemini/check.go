package gemini

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// The rules that only this API has.
const (
	// RuleDuplicate: a call has two responses, as resumed sessions send them.
	RuleDuplicate = "duplicate result"
	// RuleUnsigned: Gemini 3 wants back the signature of each step of the newest
	// turn.
	RuleUnsigned = "missing signature"
	// RuleCached: instructions or tools beside cached content, which has its own.
	RuleCached = "cached content"
)

// found is what the decoder saw that a conversation does not say.
type found struct {
	roles []badRole
	// hollow are parts without data.
	hollow []plimsoll.PartRef
	// signed are the contents with a thought signature, in order.
	signed []int
	// media are the lists of parts inside function responses.
	media map[plimsoll.PartRef]rawjson.Span
}

// badRole is a role that does not exist.
type badRole struct {
	message int
	role    string
}

var _ wire.Continuer = (*writer)(nil)

// Continues reports whether the conversation began in cached content.
func (w *writer) Continues() bool { return w.cached }

// Check knows what generateContent refuses: contents must begin with the user,
// a function call comes right after a user's content and is followed at once by
// as many responses.
func (w *writer) Check(r *wire.Request) []wire.Violation {
	c := r.Conversation()
	all := wire.CheckPending(c, "a function call must be followed by its response")
	all = append(all, w.checkFound()...)
	if c.Messages.Len() == 0 {
		return append(all, wire.Violation{Rule: wire.RuleEmpty, Message: -1, Part: -1, Text: "contents is empty"})
	}
	messages := c.Messages.Slice()
	if messages[0].Role == plimsoll.Assistant && !w.cached {
		all = append(all, at(wire.RuleOrder, 0, "the first content must be the user's"))
	}
	for i, m := range messages {
		all = append(all, checkContent(i, m)...)
		all = append(all, checkCalls(i, messages)...)
	}
	return append(all, w.checkSignatures(c)...)
}

// checkFound reports what was seen while decoding.
func (w *writer) checkFound() []wire.Violation {
	var all []wire.Violation
	for _, b := range w.found.roles {
		all = append(all, at(wire.RuleRole, b.message, "no role is called "+b.role))
	}
	for _, p := range w.found.hollow {
		all = append(all, wire.Violation{Rule: wire.RuleEmpty, Message: p.Message, Part: p.Part, Text: "the part has no data"})
	}
	if w.cached && (!w.instruction.value.IsZero() || !w.tools.IsZero() || w.toolConfig) {
		all = append(all, at(RuleCached, -1, "cached content cannot be used with a system instruction, tools or tool config beside it"))
	}
	return all
}

func checkContent(i int, m plimsoll.Message) []wire.Violation {
	switch {
	case m.Parts.Len() == 0:
		return []wire.Violation{at(wire.RuleEmpty, i, "a content must have parts")}
	case m.Role != plimsoll.Assistant && plimsoll.Has[plimsoll.ToolCall](m):
		return []wire.Violation{at(wire.RuleRole, i, "only the model calls functions")}
	case m.Role == plimsoll.Assistant && plimsoll.Has[plimsoll.ToolResult](m):
		return []wire.Violation{at(wire.RuleRole, i, "function responses are the user's")}
	}
	return nil
}

// checkCalls looks at what stands before and behind the calls of content i.
func checkCalls(i int, messages []plimsoll.Message) []wire.Violation {
	calls := plimsoll.CountOf[plimsoll.ToolCall](messages[i])
	if calls == 0 {
		return nil
	}
	var all []wire.Violation
	if i > 0 && messages[i-1].Role == plimsoll.Assistant {
		all = append(all, at(wire.RuleOrder, i, "a function call must come right after a user's content or a function response"))
	}
	if i+1 == len(messages) {
		return all // reported as pending
	}
	distinct, duplicate := distinctResponses(messages[i+1])
	if duplicate {
		all = append(all, at(RuleDuplicate, i+1, "a function response stands twice"))
	}
	if distinct != calls {
		all = append(all, at(wire.RuleOrder, i+1, "there must be as many function responses as calls, in the next content"))
	}
	return all
}

func distinctResponses(m plimsoll.Message) (n int, duplicate bool) {
	if !plimsoll.Has[plimsoll.ToolResult](m) {
		return 0, false
	}
	seen := map[string]bool{}
	for _, p := range m.Parts.All() {
		r, ok := p.(plimsoll.ToolResult)
		if !ok {
			continue
		}
		if r.CallID != "" && seen[r.CallID] {
			duplicate = true
			continue
		}
		seen[r.CallID] = true
		n++
	}
	return n, duplicate
}

// checkSignatures asks for a signature beside the calls of the newest turn. Only
// newer models do; which one is asked, the body says only sometimes.
func (w *writer) checkSignatures(c plimsoll.Conversation) []wire.Violation {
	if !strings.Contains(c.Model, "gemini-3") {
		return nil
	}
	turns := c.Outline().Turns
	if len(turns) == 0 {
		return nil
	}
	var all []wire.Violation
	turn := turns[len(turns)-1]
	for i := turn.Start; i < turn.End; i++ {
		if _, signed := slices.BinarySearch(w.found.signed, i); !signed && plimsoll.Has[plimsoll.ToolCall](c.Messages.At(i)) {
			all = append(all, at(RuleUnsigned, i, "function calls of the newest turn must keep their thought signature"))
		}
	}
	return all
}

func at(rule string, message int, text string) wire.Violation {
	return wire.Violation{Rule: rule, Message: message, Part: -1, Text: text}
}
