package plimsoll

import (
	"cmp"
	"iter"
	"slices"
)

// Placed is a message of a draft's result and where it came from.
type Placed struct {
	Message Message
	// Original is the index in the original conversation, or -1 if inserted.
	Original int
	// Edited says that the content differs from the original's.
	Edited bool
}

// beside returns the original with the instructions and tools as they are now.
func (d *Draft) beside() Conversation {
	c := d.base
	if len(d.system) > 0 {
		c.System = frozen(append(c.System.Slice(), d.system...))
	}
	if len(d.tools) > 0 {
		c.Tools = frozen(append(c.Tools.Slice(), d.tools...))
	}
	return c
}

// Result returns the conversation as the edits leave it. As long as edits only replace
// the content of results, it shares the outline of the original.
func (d *Draft) Result() Conversation {
	c := d.beside()
	if len(d.log) > 0 {
		messages := make([]Message, 0, len(d.base.Messages.items)-d.dropped+len(d.inserts))
		for p := range d.Placed() {
			messages = append(messages, p.Message)
		}
		c.Messages = frozen(messages)
		if !slices.ContainsFunc(d.log, loggedEdit.restructures) {
			c.Messages.drawn = d.base.Messages.drawn
		}
	}
	return c
}

// restructures reports whether messages or parts came or went.
func (e loggedEdit) restructures() bool {
	return e.Kind == EditDrop || e.Kind == EditInsert || e.Kind == EditWithdraw || e.Kind == EditRemove
}

// Placed iterates over the messages of the result with their origins, so that
// an encoder can copy what was not edited.
func (d *Draft) Placed() iter.Seq[Placed] {
	inserted, slots := d.Inserted(), d.slots()
	slices.SortStableFunc(inserted, func(a, b Inserted) int { return cmp.Compare(a.Before, b.Before) })
	return func(yield func(Placed) bool) {
		inserted := inserted
		for i := 0; i <= len(slots); i++ {
			for ; len(inserted) > 0 && inserted[0].Before == i; inserted = inserted[1:] {
				if !yield(Placed{Message: inserted[0].Message, Original: -1, Edited: true}) {
					return
				}
			}
			if i == len(slots) || slots[i].dropped {
				continue
			}
			s := &slots[i]
			if !yield(Placed{Message: s.show(), Original: i, Edited: s.edited}) {
				return
			}
		}
	}
}

// AddedSystem returns the parts that edits added to the system instructions.
func (d *Draft) AddedSystem() List[Part] { return ListOf(d.system...) }

// AddedTools returns the tools that edits added.
func (d *Draft) AddedTools() List[Tool] { return ListOf(d.tools...) }
