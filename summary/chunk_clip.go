package summary

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// clipped returns the conversation with the texts of a span shortened to about room
// tokens, for a round that is larger than a window. Small texts stay whole.
func clipped(c plimsoll.Conversation, span plimsoll.Span, room int) plimsoll.Conversation {
	var sizes []int
	eachText(c, span, func(text string) string {
		sizes = append(sizes, len(text))
		return text
	})
	// Two bytes for a token is on the safe side for all but dense scripts.
	most := allowance(sizes, 2*room)
	messages := c.Messages.Slice()
	copy(messages[span.Start:span.End], eachText(c, span, func(text string) string { return gapped(text, most) }))
	c.Messages = plimsoll.ListOf(messages...)
	return c
}

// eachText calls visit for the texts of a span and returns its messages with the
// results.
func eachText(c plimsoll.Conversation, span plimsoll.Span, visit func(text string) string) []plimsoll.Message {
	var messages []plimsoll.Message
	for i := span.Start; i < span.End; i++ {
		m := c.Messages.At(i)
		parts := m.Parts.Slice()
		for j, p := range parts {
			switch p := p.(type) {
			case plimsoll.Text:
				parts[j] = plimsoll.Text{Text: visit(p.Text)}
			case plimsoll.ToolCall:
				p.Arguments = visit(p.Arguments)
				parts[j] = p
			case plimsoll.ToolResult:
				p.Content = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: visit(plimsoll.TextOf(p.Content))})
				parts[j] = p
			}
		}
		m.Parts, m.Digest = plimsoll.ListOf(parts...), plimsoll.Digest{}
		messages = append(messages, m)
	}
	return messages
}

// allowance returns the most bytes of a text so that all texts together have at most
// total.
func allowance(sizes []int, total int) int {
	low, high := 0, total
	for low < high {
		mid := (low + high + 1) / 2
		sum := 0
		for _, n := range sizes {
			sum += min(n, mid)
		}
		if sum <= total {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// gapped leaves the beginning and the end of a text.
func gapped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	head, tail := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n(%d bytes left out)\n", len(text)-2*half) + strings.ToValidUTF8(tail, "")
}
