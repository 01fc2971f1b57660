package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// recorded reports whether content is what was recorded, byte for byte: the output of a
// tool, one of the proxy's own included, or messages.
func (p *play) recorded(content string) bool {
	if p.answers[content] {
		return true
	}
	for _, text := range p.session.results {
		if content == text {
			return true
		}
	}
	var elements []json.RawMessage
	if !strings.HasPrefix(content, "[") || json.Unmarshal([]byte(content), &elements) != nil {
		return false
	}
	sent := 0
	for _, e := range elements {
		if p.history.sent[string(e)] {
			sent++
		} else if !p.hidden(e) {
			return false
		}
	}
	return sent > 0
}

// hidden reports whether an element is of a round that the client was not shown, or of
// the answer behind it: it says what was recorded, and has calls of the proxy's tools
// or answers to them beside that.
func (p *play) hidden(element json.RawMessage) bool {
	codec := dialects.Codec(p.dialect.name)
	request, err := codec.Decode(fmt.Appendf(nil, `{%q:[%s]}`, codec.Traits().Messages, element))
	if err != nil {
		return false
	}
	for _, m := range request.Conversation().Messages.All() {
		for _, part := range m.Parts.All() {
			if !p.said(part) {
				return false
			}
		}
	}
	return true
}

// said reports whether a part is text.
func (p *play) said(part plimsoll.Part) bool {
	switch part := part.(type) {
	case plimsoll.Text:
		return p.session.said[part.Text]
	case plimsoll.ToolCall:
		was, ours := p.session.calls[part.ID]
		return part.Name == readTool || part.Name == searchTool || ours && was.Name == part.Name && sameJSON(was.Arguments, part.Arguments)
	case plimsoll.ToolResult:
		text := plimsoll.TextOf(part.Content)
		return p.answers[text] || text == p.session.results[part.CallID]
	}
	return false
}
