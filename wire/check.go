package wire

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Violation is something that the real API would refuse with status 400.
type Violation struct {
	// Rule in a word or two: "orphan result".
	Rule string
	// Message and Part say where; -1 where that has no meaning.
	Message, Part int
	// Text explains it.
	Text string
}

// String returns the explanation with its place.
func (v Violation) String() string {
	if v.Message < 0 {
		return fmt.Sprintf("%s: %s", v.Rule, v.Text)
	}
	return fmt.Sprintf("message %d: %s: %s", v.Message, v.Rule, v.Text)
}

// The rules that all dialects share.
const (
	RuleOrphanResult = "orphan result"
	RuleNoResult     = "call without result"
	RuleEmpty        = "empty content"
	RuleRole         = "role"
	RuleOrder        = "order"
	RuleReasoning    = "altered reasoning"
)

// Continuer is a [Writer] of an API that may hold the beginning of a conversation
// itself.
type Continuer interface {
	// Continues reports whether the conversation began before this request, so
	// that a result may answer a call that is not in it.
	Continues() bool
}

func (r *Request) continues() bool {
	c, ok := r.writer.(Continuer)
	return ok && c.Continues()
}

// Check returns everything about the request that its API would refuse, as far
// as a request alone can show it.
func Check(r *Request) []Violation {
	var all []Violation
	o := r.conversation.Outline()
	if !r.continues() {
		for _, at := range o.Orphans {
			all = append(all, Violation{RuleOrphanResult, at.Message, at.Part, "the tool result answers no call before it"})
		}
	}
	for _, at := range o.Dead {
		all = append(all, Violation{RuleNoResult, at.Message, at.Part, "the tool call has no result, and the conversation went on"})
	}
	return append(all, r.writer.Check(r)...)
}

// CheckEdited returns what Check finds in the edited request and, beyond that,
// reasoning that is not byte for byte what it was in the original. Removing
// reasoning whole is allowed.
func CheckEdited(original, edited *Request) []Violation {
	all := Check(edited)
	known := map[plimsoll.Reasoning]bool{}
	for _, m := range original.conversation.Messages.All() {
		for _, p := range m.Parts.All() {
			if t, ok := p.(plimsoll.Reasoning); ok {
				known[t] = true
			}
		}
	}
	for i, m := range edited.conversation.Messages.All() {
		for j, p := range m.Parts.All() {
			if t, ok := p.(plimsoll.Reasoning); ok && !known[t] {
				all = append(all, Violation{RuleReasoning, i, j, "reasoning may be removed whole but never changed"})
			}
		}
	}
	return all
}

// CheckPending reports calls at the end that have no result, for APIs that
// refuse them.
func CheckPending(c plimsoll.Conversation, text string) []Violation {
	var all []Violation
	for _, at := range c.Outline().Pending {
		all = append(all, Violation{RuleNoResult, at.Message, at.Part, text})
	}
	return all
}
