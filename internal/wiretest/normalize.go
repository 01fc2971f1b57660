package wiretest

import "github.com/plimsoll/plimsoll"

// WithoutToolName leaves out the name of the tool that a result comes from, for
// dialects whose results do not repeat it.
func WithoutToolName(p plimsoll.Part) plimsoll.Part {
	if r, ok := p.(plimsoll.ToolResult); ok {
		r.Name = ""
		return r
	}
	return p
}

// JoinResults puts the results of a round into one message of the user, for
// dialects that send them so.
func JoinResults(messages []plimsoll.Message) []plimsoll.Message {
	var all []plimsoll.Message
	results := false
	for _, m := range messages {
		switch {
		case m.Role != plimsoll.ToolRole:
			all = append(all, m)
		case results:
			last := &all[len(all)-1]
			*last = plimsoll.NewMessage(plimsoll.User, append(last.Parts.Slice(), m.Parts.Slice()...)...)
		default:
			all = append(all, plimsoll.NewMessage(plimsoll.User, m.Parts.Slice()...))
		}
		results = m.Role == plimsoll.ToolRole
	}
	return all
}
