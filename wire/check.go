package wire

import (
	"fmt"
	"iter"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
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

// Continues reports whether the request goes on from messages that the provider has, so
// that a result in it may answer a call that is not.
func (r *Request) Continues() bool { return r.writer.Continues() }

// MaxViolations is how many are listed. A body could be made to have millions.
const MaxViolations = 256

// Violations gathers what an API would refuse, up to a number that people can read.
type Violations struct{ all []Violation }

// Add adds a violation. Message and part are -1 where they have no meaning. The
// text comes in pieces, which are put together only if there is room.
func (v *Violations) Add(rule string, message, part int, text ...string) {
	if len(v.all) < MaxViolations {
		v.all = append(v.all, Violation{rule, message, part, strings.Join(text, "")})
	}
}

// Check returns everything about the request that its API would refuse, as far
// as a request alone can show it, or the first 256 things.
func Check(r *Request) []Violation {
	var found Violations
	r.writer.Check(r, &found)
	return found.all
}

// CheckEdited returns what Check finds in the edited request and, beyond that,
// reasoning that is not byte for byte what it was in the original. Removing
// reasoning whole is allowed. Anthropic's own server accepts an assistant that comes
// first, but its documentation does not, so no edit may lead to one.
func CheckEdited(original, edited *Request) []Violation {
	var found Violations
	edited.writer.Check(edited, &found)
	if edited.dialect == plimsoll.Anthropic && edited.opening() == plimsoll.Assistant && original.opening() == plimsoll.User {
		found.Add(RuleOrder, 0, -1, "the first message must be the user's")
	}
	same := original.thinkingMessages()
	var known map[plimsoll.Digest]bool
	for i, m := range edited.conversation.Messages.All() {
		if !plimsoll.Has[plimsoll.Reasoning](m) || same[m.Digest] {
			continue
		}
		if known == nil {
			known = original.reasoning()
		}
		for j, r := range reasoning(m) {
			if !known[r] {
				found.Add(RuleReasoning, i, j, "reasoning may be removed whole but never changed")
			}
		}
	}
	return found.all
}

// opening returns the role of the first message, or none.
func (r *Request) opening() plimsoll.Role {
	if r.layout.Len() == 0 {
		return ""
	}
	return r.layout.Parsed[0].Role
}

// thinkingMessages returns the digests of the messages with reasoning.
func (r *Request) thinkingMessages() map[plimsoll.Digest]bool {
	digests := map[plimsoll.Digest]bool{}
	for _, m := range r.conversation.Messages.All() {
		if plimsoll.Has[plimsoll.Reasoning](m) {
			digests[m.Digest] = true
		}
	}
	return digests
}

// reasoning returns the fingerprints of all reasoning in the request.
func (r *Request) reasoning() map[plimsoll.Digest]bool {
	all := map[plimsoll.Digest]bool{}
	for _, m := range r.conversation.Messages.All() {
		for _, digest := range reasoning(m) {
			all[digest] = true
		}
	}
	return all
}

// reasoning fingerprints the reasoning of a message. It loads nothing else.
func reasoning(m plimsoll.Message) iter.Seq2[int, plimsoll.Digest] {
	return func(yield func(int, plimsoll.Digest) bool) {
		for j := range m.Parts.Len() {
			if _, ok := plimsoll.Peek(m, j).(plimsoll.Reasoning); !ok {
				continue
			}
			r := m.Parts.At(j).(plimsoll.Reasoning)
			id := layout.NewIdentity()
			id.Field("text", []byte(r.Text))
			id.Field("signature", []byte(r.Signature))
			if r.Redacted {
				id.Field("redacted", nil)
			}
			if !yield(j, id.Sum()) {
				return
			}
		}
	}
}
