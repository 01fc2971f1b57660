package gemini

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
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
	// roles are the first that do not exist, and hollow the first parts without data.
	roles  []badRole
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

// Continues reports whether the conversation began in cached content.
func (w *writer) Continues() bool { return w.cached }

// Check knows what generateContent refuses: contents must begin with the user,
// a function call comes right after a user's content and is followed at once by
// as many responses.
func (w *writer) Check(r *wire.Request, v *wire.Violations) {
	c := r.Conversation()
	build.CheckPending(r, v, "a function call must be followed by its response")
	w.checkFound(v)
	if c.Messages.Len() == 0 {
		v.Add(wire.RuleEmpty, -1, -1, "contents is empty")
		return
	}
	if c.Messages.At(0).Role == plimsoll.Assistant && !w.cached {
		v.Add(wire.RuleOrder, 0, -1, "the first content must be the user's")
	}
	for i, m := range c.Messages.All() {
		checkContent(i, m, v)
		checkCalls(i, c.Messages, v)
	}
	w.checkSignatures(r, v)
}

// checkFound reports what was seen while decoding.
func (w *writer) checkFound(v *wire.Violations) {
	for _, b := range w.found.roles {
		v.Add(wire.RuleRole, b.message, -1, "no role is called ", build.Clip(b.role))
	}
	for _, p := range w.found.hollow {
		v.Add(wire.RuleEmpty, p.Message, p.Part, "the part has no data")
	}
	if w.cached && (!w.instruction.value.IsZero() || !w.tools.IsZero() || w.toolConfig) {
		v.Add(RuleCached, -1, -1, "cached content cannot be used with a system instruction, tools or tool config beside it")
	}
}

func checkContent(i int, m plimsoll.Message, v *wire.Violations) {
	switch {
	case m.Parts.Len() == 0:
		v.Add(wire.RuleEmpty, i, -1, "a content must have parts")
	case m.Role != plimsoll.Assistant && plimsoll.Has[plimsoll.ToolCall](m):
		v.Add(wire.RuleRole, i, -1, "only the model calls functions")
	case m.Role == plimsoll.Assistant && plimsoll.Has[plimsoll.ToolResult](m):
		v.Add(wire.RuleRole, i, -1, "function responses are the user's")
	}
}

// checkCalls looks at what stands before and behind the calls of content i.
func checkCalls(i int, messages plimsoll.List[plimsoll.Message], v *wire.Violations) {
	calls := plimsoll.CountOf[plimsoll.ToolCall](messages.At(i))
	if calls == 0 {
		return
	}
	if i > 0 && messages.At(i-1).Role == plimsoll.Assistant {
		v.Add(wire.RuleOrder, i, -1, "a function call must come right after a user's content or a function response")
	}
	if i+1 == messages.Len() {
		return // reported as pending
	}
	distinct, duplicate := distinctResponses(messages.At(i + 1))
	if duplicate {
		v.Add(RuleDuplicate, i+1, -1, "a function response stands twice")
	}
	if distinct != calls {
		v.Add(wire.RuleOrder, i+1, -1, "there must be as many function responses as calls, in the next content")
	}
}

func distinctResponses(m plimsoll.Message) (n int, duplicate bool) {
	if n := plimsoll.CountOf[plimsoll.ToolResult](m); n < 2 {
		return n, false
	}
	seen := map[string]bool{}
	for j := range m.Parts.Len() {
		r, ok := plimsoll.Peek(m, j).(plimsoll.ToolResult)
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
func (w *writer) checkSignatures(r *wire.Request, v *wire.Violations) {
	c := r.Conversation()
	if !strings.Contains(c.Model, "gemini-3") {
		return
	}
	turn := r.NewestTurn()
	for i := turn.Start; i < turn.End; i++ {
		if _, signed := slices.BinarySearch(w.found.signed, i); !signed && plimsoll.Has[plimsoll.ToolCall](c.Messages.At(i)) {
			v.Add(RuleUnsigned, i, -1, "function calls of the newest turn must keep their thought signature")
		}
	}
}
