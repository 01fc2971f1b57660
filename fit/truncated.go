package fit

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

const (
	// leastShare is the share of its weight that a text is billed for at least: some
	// vocabularies need fewer tokens for a language than ours.
	leastShare = 0.55
	// billSlack is how far two bills of the same messages may be apart.
	billSlack = 16
)

// truncated returns the least that a server bills for the prompt of a plan if it counts all
// of it; 0 if the bill is no less. Then the server has dropped a part, as Ollama does, or
// left out what it had cached, as Ollama did. There are two signs: the texts weigh far
// more, or a shorter request, with which this one begins, was billed nearly as much.
func (k *Keeper) truncated(t *Task, p *plimsoll.Plan, billed int) int {
	sent := p.Conversation()
	all, thinks := textWeight(sent.Messages, p.After, 0)
	if least := int(leastShare * float64(all)); billed < least {
		return least
	}
	last, known := k.lastCall(t)
	if !known || last.anchor == nil || thinks || last.messages >= sent.Messages.Len() {
		return 0
	}
	grown, _ := textWeight(sent.Messages, p.After, last.messages)
	least := last.anchor.Billed + int(leastShare*float64(grown)) - billSlack
	if billed >= least {
		return 0
	}
	if links := k.books.sentChain(t.whateverLimit(), p.Draft); links[last.messages] != last.sent {
		return 0 // it was cut in between
	}
	return least
}

// textWeight returns the weight of the texts and results in messages from one on, and whether
// there is thinking among them. Templates drop that, and calls and declarations, too.
func textWeight(messages plimsoll.List[plimsoll.Message], load plimsoll.Load, from int) (weight int, thinks bool) {
	for i, m := range messages.All() {
		for j, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Reasoning:
				thinks = true
			case plimsoll.Text:
				if strings.Contains(p.Text, "</think>") {
					thinks = true
				} else if i >= from {
					weight += load.Messages[i].Parts[j]
				}
			case plimsoll.ToolResult:
				if i >= from {
					weight += load.Messages[i].Parts[j]
				}
			}
		}
	}
	return weight, thinks
}
