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

// Check knows what generateContent refuses. The API merges neighbouring contents of one
// role. The first must be the user's, and a function call must be followed at once by as
// many responses; their names are not compared.
func (w *writer) Check(r *wire.Request, v *wire.Violations) {
	messages, o := r.Conversation().Messages, r.Outline()
	w.checkFound(v)
	if messages.Len() == 0 {
		v.Add(wire.RuleEmpty, -1, -1, "contents is empty")
		return
	}
	if messages.At(0).Role == plimsoll.Assistant && !w.cached {
		v.Add(wire.RuleOrder, 0, -1, "the first content must be the user's")
	}
	for i, m := range messages.All() {
		checkContent(i, m, v)
	}
	merged := merge(messages)
	for _, p := range o.Pairs {
		if merged[p.Result.Message] != merged[p.Call.Message]+1 {
			v.Add(wire.RuleOrder, p.Result.Message, p.Result.Part, "function responses must stand right behind their calls")
		}
	}
	if !w.cached {
		build.CheckOrphans(r, v)
	}
	for _, at := range slices.Concat(o.Dead, o.Pending) {
		if !shown(messages, at.Message) {
			v.Add(wire.RuleNoResult, at.Message, at.Part, "a function call must be followed by its response")
		}
	}
	w.checkSignatures(r, merged, v)
}

// merge numbers the contents; neighbours of one role have the same number.
func merge(messages plimsoll.List[plimsoll.Message]) []int {
	merged := make([]int, messages.Len())
	for i := 1; i < len(merged); i++ {
		merged[i] = merged[i-1]
		if messages.At(i).Role != messages.At(i-1).Role {
			merged[i]++
		}
	}
	return merged
}

// shown reports whether the content behind a call consists of pictures and other media,
// which the API accepts instead of responses.
func shown(messages plimsoll.List[plimsoll.Message], call int) bool {
	if call+1 == messages.Len() {
		return false
	}
	m := messages.At(call + 1)
	return m.Role == plimsoll.User && m.Parts.Len() > 0 && plimsoll.CountOf[plimsoll.Media](m) == m.Parts.Len()
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

// checkSignatures asks for a signature beside the calls of each step of the newest turn.
// Only newer models do; which one is asked, the body says only sometimes.
func (w *writer) checkSignatures(r *wire.Request, merged []int, v *wire.Violations) {
	c := r.Conversation()
	if !strings.Contains(c.Model, "gemini-3") {
		return
	}
	signed := map[int]bool{}
	for _, i := range w.found.signed {
		signed[merged[i]] = true
	}
	turn := r.NewestTurn()
	for i := turn.Start; i < turn.End; i++ {
		if !signed[merged[i]] && plimsoll.Has[plimsoll.ToolCall](c.Messages.At(i)) {
			v.Add(RuleUnsigned, i, -1, "function calls of the newest turn must keep their thought signature")
		}
	}
}
