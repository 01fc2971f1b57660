package plimsoll

import "slices"

// slot is the state of one original message. There is one for each, so it is small.
type slot struct {
	// message is the original's own until the parts are.
	message *Message
	// index maps the parts that are left to their places in the original; nil
	// means that all are there. loads says what they weigh, once an edit asked.
	index, loads []int
	// owned says that this slot alone has the list of parts, so that it can be edited
	// in place. A message may have thousands of results, and a copy of the list
	// for each edit would take time and memory with their square.
	owned   bool
	edited  bool
	dropped bool
}

// show returns the message for others to keep: from now on the parts are theirs too.
func (s *slot) show() Message {
	s.owned = false
	return *s.message
}

// own makes sure that the parts of a slot can be edited in place. It loads nothing.
func (s *slot) own() {
	if !s.owned {
		m := *s.message
		m.Parts = frozen(slices.Clone(s.parts()))
		s.message, s.owned = &m, true
	}
}

func (s *slot) parts() []Part { return s.message.Parts.items }

// edit prepares for an edit of the parts of a slot, and undo for taking it back. The
// digest goes: it named the old bytes.
func (s *slot) edit() (undo func()) {
	edited, digest := s.edited, s.message.Digest
	s.own()
	s.edited, s.message.Digest = true, Digest{}
	return func() {
		s.own()
		s.edited, s.message.Digest = edited, digest
	}
}

// cut takes the part at place k out of a slot that owns its parts.
func (s *slot) cut(k int) {
	if s.index == nil {
		s.index = make([]int, len(s.parts()))
		for i := range s.index {
			s.index[i] = i
		}
	}
	s.message.Parts = frozen(slices.Delete(s.parts(), k, k+1))
	s.loads = slices.Delete(s.loads, k, k+1)
	s.index = slices.Delete(s.index, k, k+1)
}

// restore takes a cut back.
func (s *slot) restore(k int, part Part, load, original int) {
	s.message.Parts = frozen(slices.Insert(s.parts(), k, part))
	s.loads = slices.Insert(s.loads, k, load)
	s.index = slices.Insert(s.index, k, original)
}

// place returns where original part i stands now, or -1.
func (s *slot) place(i int) int {
	if s.index == nil {
		if i < 0 || i >= s.message.Parts.Len() {
			return -1
		}
		return i
	}
	k, found := slices.BinarySearch(s.index, i)
	if !found {
		return -1
	}
	return k
}
