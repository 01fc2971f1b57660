package summary

import (
	"slices"
	"strings"
)

// cutOrder lists the sections in the order in which they are shortened: what can be
// found out again first, what the user wants last.
var cutOrder = []string{filesSection, actionsSection, knowledgeSection, planSection, summaryTag, goalSection, retainSection}

// shorten brings the summary into its budget, with room for what is required: first
// fences go, the oldest first, then lines.
func (m *repairer) shorten() {
	over := m.excess()
	if over <= 0 {
		return
	}
	cut := 0
	for _, name := range cutOrder {
		if s := m.find(name); s != nil {
			for len(s.data) > 0 && over > 0 {
				over -= m.r.tokens(fence(s.data[0].origin, s.data[0].text) + "\n")
				s.data = s.data[1:]
				cut++
			}
		}
	}
	// A half of each section first, so that none goes before the others are short.
	for _, share := range []int{2, 1} {
		for _, name := range cutOrder {
			if s := m.find(name); s != nil && over > 0 {
				n, saved := m.cutLines(s, over, share)
				cut, over = cut+n, over-saved
			}
		}
	}
	// Lines together may have other tokens than each alone.
	for _, name := range cutOrder {
		if s := m.find(name); s != nil && m.excess() > 0 {
			m.cutText(s)
			cut++
		}
	}
	for ; len(m.required) > 0 && m.excess() > 0; cut++ {
		m.required = m.required[:len(m.required)-1]
	}
	m.note("shortened by %d pieces to stay within %d tokens", cut, m.r.Budget)
}

// excess returns by how many tokens the summary is over its budget.
func (m *repairer) excess() int {
	written := &repairer{r: m.r, required: slices.Clone(m.required)}
	for _, s := range m.sections {
		copied := *s
		written.sections = append(written.sections, &copied)
	}
	retain, text := written.write()
	return m.r.size(Summary{Retain: retain, Text: text}) - m.r.Budget
}

// cutLines removes lines of a section until enough tokens are saved, or until one of the
// given shares of its lines is gone. One line stays. It returns how many lines and tokens
// it removed.
func (m *repairer) cutLines(s *section, over, share int) (lines, saved int) {
	all := strings.Split(s.text, "\n")
	begin, end := 0, 0
	most := min(len(all)/share, len(all)-1)
	take := func(i int) {
		saved += m.r.tokens(all[i] + "\n")
		lines++
	}
	switch s.cut {
	case cutFirst:
		for ; end < most && saved < over; end++ {
			take(end)
		}
	case cutMiddle:
		begin = len(all) / 3
		if share == 1 {
			begin = 0
		}
		for end = begin; end-begin < most && saved < over; end++ {
			take(end)
		}
	default:
		end = len(all)
		for begin = end; end-begin < most && saved < over; begin-- {
			take(begin - 1)
		}
	}
	s.text = tidy(strings.Join(slices.Delete(all, begin, end), "\n"))
	return lines, saved
}

// cutText shortens a text that lines could not shorten enough, by what it is over.
func (m *repairer) cutText(s *section) {
	whole := s.text
	low, high := 0, len(whole) // the longest beginning that fits is in between
	for low < high {
		mid := (low + high + 1) / 2
		s.text = strings.ToValidUTF8(whole[:mid], "")
		if m.excess() <= 0 {
			low = mid
		} else {
			high = mid - 1
		}
	}
	s.text = tidy(strings.ToValidUTF8(whole[:low], ""))
}
