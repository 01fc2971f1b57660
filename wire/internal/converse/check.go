package converse

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// RuleTools: a request with calls or results must declare tools.
const RuleTools = "tools"

// Check knows what Converse refuses whatever the model is, as its documentation and its
// error messages say.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	c := r.Conversation()
	build.CheckPairs(r, found, "a call must have its result in the message behind it")
	if c.Messages.Len() == 0 {
		found.Add(wire.RuleEmpty, -1, -1, "messages is empty")
	}
	uses := false
	for i, m := range c.Messages.All() {
		switch {
		case m.Role != plimsoll.User && m.Role != plimsoll.Assistant:
			found.Add(wire.RuleRole, i, -1, "no role is called ", build.Clip(string(m.Role)))
		case i == 0 && m.Role != plimsoll.User:
			found.Add(wire.RuleOrder, i, -1, "the first message must be the user's")
		case i > 0 && m.Role == c.Messages.At(i-1).Role:
			found.Add(wire.RuleOrder, i, -1, "user and assistant must alternate")
		}
		switch w.flaws[i] {
		case flawEmpty:
			found.Add(wire.RuleEmpty, i, -1, "the message has no content")
		case flawBlank:
			found.Add(wire.RuleEmpty, i, -1, "a text must have more than white space")
		}
		for j := range m.Parts.Len() {
			switch plimsoll.Peek(m, j).(type) {
			case plimsoll.ToolCall, plimsoll.Reasoning:
				uses = uses || plimsoll.Has[plimsoll.ToolCall](m)
				if m.Role != plimsoll.Assistant {
					found.Add(wire.RuleRole, i, j, "only the assistant thinks and calls tools")
				}
			case plimsoll.ToolResult:
				uses = true
				if m.Role != plimsoll.User {
					found.Add(wire.RuleRole, i, j, "results belong into the user's messages")
				}
			}
		}
	}
	for _, p := range r.Outline().Pairs {
		if p.Result.Message != p.Call.Message+1 {
			found.Add(wire.RuleOrder, p.Result.Message, p.Result.Part, "results must be in the message right behind their calls")
		}
	}
	if uses && w.tools.IsZero() {
		found.Add(RuleTools, -1, -1, "toolConfig must declare tools beside calls and results")
	}
}
