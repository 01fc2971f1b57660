package plimsoll

// SiblingsFrom returns what [Outline] says of Siblings for the messages from
// index from on. Where results follow their calls, as they do in legal histories,
// it looks back no further than to those calls; it falls back on the outline
// where that would take long.
func (c Conversation) SiblingsFrom(from int) []int {
	messages := c.Messages.items
	siblings := make([]int, len(messages)-from)
	steps := lookBack * (len(siblings) + 1)
	for i := from; i < len(messages); i++ {
		for j, p := range messages[i].Parts.items {
			result, ok := outlined(p).(ToolResult)
			if !ok {
				continue
			}
			at, found := nearestCall(messages, PartRef{i, j}, result.CallID, &steps)
			if !found {
				return c.Outline().Siblings[from:]
			}
			siblings[i-from] = max(siblings[i-from], CountOf[ToolCall](messages[at]))
		}
	}
	return siblings
}

// lookBack is how many parts SiblingsFrom may look at for each message.
const lookBack = 32

// nearestCall finds the message that made the call of an id, looking back from a
// result. It gives up where the answer needs the whole history: without an id, or
// if a result stands in between that has that id or none. Every part that it
// looks at is a step, and it gives up without steps.
func nearestCall(messages []Message, result PartRef, id string, steps *int) (message int, found bool) {
	if id == "" {
		return 0, false
	}
	for i := result.Message; i >= 0; i-- {
		parts := messages[i].Parts.items
		if i == result.Message {
			parts = parts[:result.Part]
		}
		calls := 0
		*steps -= len(parts) + 1
		if *steps < 0 {
			return 0, false
		}
		for _, p := range parts {
			switch p := outlined(p).(type) {
			case ToolCall:
				if p.ID == id {
					calls++
				}
			case ToolResult:
				if p.CallID == id || p.CallID == "" {
					return 0, false
				}
			}
		}
		if calls > 0 {
			return i, true
		}
	}
	return 0, false
}
