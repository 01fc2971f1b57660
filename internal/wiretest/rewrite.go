package wiretest

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Rewrite writes a conversation of any dialect as a request of the codec's, by a
// draft of an empty one.
func Rewrite(codec wire.Codec, c plimsoll.Conversation) ([]byte, error) {
	r, err := codec.Decode(fmt.Appendf(nil, `{%q:[]}`, codec.Traits().Messages))
	if err != nil {
		return nil, err
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	for _, p := range c.System.All() {
		d.AddSystem(p, plimsoll.Why{})
	}
	for _, t := range c.Tools.All() {
		d.AddTool(t, plimsoll.Why{})
	}
	names := callNames(c)
	for _, m := range c.Messages.All() {
		if m.Role == plimsoll.System && !codec.Traits().SystemInMessages {
			d.AddSystem(plimsoll.Text{Text: m.Text()}, plimsoll.Why{})
			continue
		}
		if _, err := d.Insert(0, named(m, names), plimsoll.Why{}); err != nil {
			return nil, err
		}
	}
	return r.Encode(d)
}

func callNames(c plimsoll.Conversation) map[string]string {
	names := map[string]string{}
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok {
				names[call.ID] = call.Name
			}
		}
	}
	return names
}

// named gives results the names of their tools, which Gemini wants, and leaves
// unsigned reasoning out, which no API takes back.
func named(m plimsoll.Message, names map[string]string) plimsoll.Message {
	var parts []plimsoll.Part
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolResult:
			p.Name = names[p.CallID]
			parts = append(parts, p)
		case plimsoll.Reasoning:
		default:
			parts = append(parts, p)
		}
	}
	return plimsoll.NewMessage(m.Role, parts...)
}
