package scripted

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Call is a request that the model was asked to answer.
type Call struct {
	// Request that was answered: one that continues an answer of the script is whole here,
	// and one of Gemini's names the model of its path.
	Request *wire.Request
	// Conversation of the request, with the model that the path names where the body
	// names none.
	Conversation plimsoll.Conversation
	// N counts the calls that reached the script, from 0.
	N int
	// Load is what the request weighs.
	Load plimsoll.Load

	results []plimsoll.ToolResult
	text    string
	end     End
}

func newCall(r *wire.Request, model string) *Call {
	c := &Call{Request: r, Conversation: r.Conversation()}
	if c.Conversation.Model == "" {
		c.Conversation.Model = model
	}
	c.readEnd()
	return c
}

// End says what the request ends with.
func (c *Call) End() End { return c.end }

// Text returns what the user said at the end, beside results too; empty if it was
// the assistant who spoke last.
func (c *Call) Text() string { return c.text }

// Results returns the tool results at the end, with the names of their tools.
func (c *Call) Results() []plimsoll.ToolResult { return c.results }

// readEnd reads the messages behind the last one of the assistant's. Instructions
// among them, which some clients repeat there, are passed over.
func (c *Call) readEnd() {
	messages := c.Conversation.Messages
	from := messages.Len()
	for from > 0 && messages.At(from-1).Role != plimsoll.Assistant {
		from--
	}
	names := c.toolNames(from)
	var texts []string
	for i := from; i < messages.Len(); i++ {
		m := messages.At(i)
		if m.Role.Instructs() {
			continue
		}
		for j, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.ToolResult:
				if p.Name == "" {
					p.Name = names[plimsoll.PartRef{Message: i, Part: j}]
				}
				c.results = append(c.results, p)
			case plimsoll.Text:
				texts = append(texts, p.Text)
			}
		}
	}
	c.text = strings.Join(texts, "\n")
	switch {
	case len(texts) > 0 && asksForSummary(texts[len(texts)-1]):
		c.end = EndSummary
	case len(c.results) > 0:
		c.end = EndTool
	default:
		c.end = EndUser
	}
}

// toolNames returns which tools the results from a message on are of.
func (c *Call) toolNames(from int) map[plimsoll.PartRef]string {
	names := map[plimsoll.PartRef]string{}
	for _, pair := range c.Request.Outline().Pairs {
		if pair.Result.Message < from {
			continue
		}
		if call, ok := c.Conversation.Messages.At(pair.Call.Message).Parts.At(pair.Call.Part).(plimsoll.ToolCall); ok {
			names[pair.Result] = call.Name
		}
	}
	return names
}
