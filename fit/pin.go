package fit

import (
	"context"
	"regexp"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// Pin chooses messages that every rung must leave as they are. A message is pinned
// if all conditions that are set hold for it; a pin without conditions pins
// nothing. A pinned call keeps its result, and the other way round, and the message
// that opened its turn stays with it.
type Pin struct {
	// Role of the message.
	Role plimsoll.Role
	// Index of the message; negative ones count from the end. Nil means any.
	Index *int
	// Tool that is called, or whose result this is.
	Tool string
	// Match is found in the message's text or in the text of its tool results.
	Match *regexp.Regexp
}

func (p Pin) empty() bool { return p.Role == "" && p.Index == nil && p.Tool == "" && p.Match == nil }

// pinnedBy returns the messages that a pin chooses. A pattern may take long, so it stops
// when the context ends.
func pinnedBy(ctx context.Context, p Pin, c plimsoll.Conversation, tools [][]string) []int {
	if p.empty() {
		return nil
	}
	var chosen []int
	for i, m := range c.Messages.All() {
		if ctx.Err() != nil {
			return nil
		}
		if p.Role != "" && m.Role != p.Role {
			continue
		}
		if p.Index != nil && *p.Index != i && *p.Index != i-c.Messages.Len() {
			continue
		}
		if p.Tool != "" && !slices.Contains(tools[i], p.Tool) {
			continue
		}
		if p.Match != nil && !matches(p.Match, m) {
			continue
		}
		chosen = append(chosen, i)
	}
	return chosen
}

func matches(re *regexp.Regexp, m plimsoll.Message) bool {
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			if re.MatchString(p.Text) {
				return true
			}
		case plimsoll.ToolResult:
			if re.MatchString(plimsoll.TextOf(p.Content)) {
				return true
			}
		}
	}
	return false
}

// toolNames returns, for each message, the tools that it calls or answers.
func toolNames(c plimsoll.Conversation, o plimsoll.Outline) [][]string {
	names := make([][]string, c.Messages.Len())
	for i, m := range c.Messages.All() {
		for j := range m.Parts.Len() {
			switch p := plimsoll.Peek(m, j).(type) {
			case plimsoll.ToolCall:
				names[i] = append(names[i], p.Name)
			case plimsoll.ToolResult:
				if p.Name != "" {
					names[i] = append(names[i], p.Name)
				}
			}
		}
	}
	for _, pair := range o.Pairs {
		call := plimsoll.Peek(c.Messages.At(pair.Call.Message), pair.Call.Part).(plimsoll.ToolCall)
		names[pair.Result.Message] = append(names[pair.Result.Message], call.Name)
	}
	return names
}
