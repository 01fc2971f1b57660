// Package testkit has the test doubles that several packages share.
package testkit

import "github.com/plimsoll/plimsoll"

// ByteMeter weighs a byte as a token and frames each message with 3 and its
// siblings, the system instructions with 7 and the tools with 11.
type ByteMeter struct{}

// Weigh returns the load of the conversation.
func (ByteMeter) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := plimsoll.Load{Exact: true}
	for _, p := range c.System.All() {
		load.System += partBytes(p)
	}
	for _, tool := range c.Tools.All() {
		load.Tools += len(tool.Name) + len(tool.Schema)
	}
	if c.System.Len() > 0 {
		load.System += 7
	}
	if c.Tools.Len() > 0 {
		load.Tools += 11
	}
	load.Total = load.System + load.Tools
	siblings := c.Outline().Siblings
	for i, m := range c.Messages.All() {
		ml := ByteMeter{}.WeighMessage(c, m, siblings[i])
		load.Messages = append(load.Messages, ml)
		load.Total += ml.Tokens
	}
	return load
}

// WeighMessage returns the load of a message.
func (ByteMeter) WeighMessage(_ plimsoll.Conversation, m plimsoll.Message, siblings int) plimsoll.MessageLoad {
	load := plimsoll.MessageLoad{Framing: 3 + siblings, Tokens: 3 + siblings}
	for _, p := range m.Parts.All() {
		n := partBytes(p)
		load.Parts = append(load.Parts, n)
		load.Tokens += n
	}
	return load
}

// WeighSystem returns what one more part adds to the instructions.
func (ByteMeter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	if c.System.Len() == 0 {
		return 7 + partBytes(p)
	}
	return partBytes(p)
}

// WeighTool returns what one more tool adds.
func (ByteMeter) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	if c.Tools.Len() == 0 {
		return 11 + len(t.Name) + len(t.Schema)
	}
	return len(t.Name) + len(t.Schema)
}

func partBytes(p plimsoll.Part) int {
	switch p := p.(type) {
	case plimsoll.Text:
		return len(p.Text)
	case plimsoll.ToolCall:
		return len(p.Name) + len(p.Arguments)
	case plimsoll.ToolResult:
		n := 1
		for _, c := range p.Content.All() {
			n += partBytes(c)
		}
		return n
	case plimsoll.Reasoning:
		return len(p.Text)
	case plimsoll.Opaque:
		return len(p.Raw)
	}
	return 10
}

// Because is a reason for edits.
var Because = plimsoll.Why{Rung: "test", Reason: "to see"}
