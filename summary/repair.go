package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// repair makes a summary fit for a conversation. It is well formed, has the retained and
// the required texts, and is within the budget if possible. Sentences that only tools
// said are inside a fence. repair notes what it changed, and fails only if it cannot
// parse the summary.
func repair(r *Request, s Summary) (Summary, error) {
	m, err := newRepairer(r, s)
	if err != nil {
		return Summary{}, err
	}
	m.guard()
	m.carryOn()
	m.require()
	m.shorten()
	s.Retain, s.Text = m.write()
	s.Notes = append(s.Notes[:len(s.Notes):len(s.Notes)], m.notes...)
	return s, nil
}

// repairer repairs one summary.
type repairer struct {
	r        *Request
	sections []*section
	// required are lines that are added to the section that takes them.
	required []string
	notes    []string
}

// section is a part of a summary, and what holds for it.
type section struct {
	name string
	body
	trust trust
	// cut says which of its lines go first when the summary is too large.
	cut cutting
}

type cutting int

const (
	cutLast cutting = iota
	cutFirst
	cutMiddle
)

// retainSection is the name of what is retained, beside those of a snapshot.
const retainSection = "retain"

func newRepairer(r *Request, s Summary) (*repairer, error) {
	m := &repairer{r: r}
	if r.Format == Retained {
		read, err := parseRetained(reply(s, Retained))
		m.sections = []*section{
			{name: retainSection, body: body{text: read.Retain}, trust: trustUser},
			{name: summaryTag, body: body{text: read.Text}.split(), trust: trustData, cut: cutMiddle},
		}
		return m, err
	}
	read, err := findSnapshot(s.Text)
	for _, name := range sections() {
		m.sections = append(m.sections, &section{name: name, body: read[name], trust: trustOf[name], cut: cutOf[name]})
	}
	return m, err
}

var trustOf = map[string]trust{
	goalSection:      trustUser,
	knowledgeSection: trustAgent,
	filesSection:     trustData,
	actionsSection:   trustData,
	planSection:      trustAgent,
}

var cutOf = map[string]cutting{actionsSection: cutFirst, planSection: cutFirst}

// find returns a section by name.
func (m *repairer) find(name string) *section {
	for _, s := range m.sections {
		if s.name == name {
			return s
		}
	}
	return nil
}

// place returns the section that takes what is known, or data.
func (m *repairer) place(snapshotName string) *section {
	if m.r.Format == Retained {
		return m.find(summaryTag)
	}
	return m.find(snapshotName)
}

func (m *repairer) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// carryOn keeps what was retained before, in front of what is retained now, where it
// is not there already. The newest of it has at most half of the budget.
func (m *repairer) carryOn() {
	now := m.find(retainSection)
	if now == nil || m.r.Previous.Retain == "" {
		return
	}
	var kept []string
	room := m.r.Budget/2 - m.r.tokens(now.text)
	for _, line := range slices.Backward(strings.Split(tidy(escape(m.r.Previous.Retain)), "\n")) {
		if text := strings.TrimSpace(line); text == "" || strings.Contains(now.text, text) || slices.Contains(kept, line) {
			continue
		}
		if room -= m.r.tokens(line + "\n"); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	slices.Reverse(kept)
	now.text = tidy(strings.Join(append(kept, now.text), "\n"))
}

// guard moves sentences that only tools said into a fence among the data.
func (m *repairer) guard() {
	var all []string
	for _, s := range m.sections {
		for line := range strings.Lines(s.text) {
			all = append(all, pieces(line)...)
		}
	}
	all = append(all, m.r.Required...)
	g := newGuard(m.r, all)
	for _, s := range m.sections {
		kept, moved := g.sift(s.text, s.trust)
		if len(moved) == 0 {
			continue
		}
		s.text = kept
		data := m.place(actionsSection)
		for _, f := range moved {
			data.data = withFence(data.data, f)
		}
		m.note("moved %d texts that only tools said out of %s", len(moved), s.name)
	}
	for _, text := range m.r.Required {
		if tool, only := g.toolOf(text, trustAgent); only && !m.names(text) {
			data := m.place(actionsSection)
			data.data = withFence(data.data, fenced{tool, tidy(escape(text))})
		}
	}
}

// bullet is what makes a line one of a list.
var bullet = regexp.MustCompile(`^\s*(?:[-*•]\s+)?`)

// sift takes the sentences out of a text that only tools said.
func (g *guard) sift(text string, t trust) (kept string, moved []fenced) {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		var b strings.Builder
		found := false
		for _, piece := range pieces(line) {
			tool, only := g.toolOf(piece, t)
			if !only {
				b.WriteString(piece)
				continue
			}
			found = true
			moved = append(moved, fenced{tool, tidy(bullet.ReplaceAllString(piece, ""))})
		}
		if found && lettersOf(b.String()) == "" {
			continue // a bullet or a number without its text
		}
		lines = append(lines, b.String())
	}
	return tidy(strings.Join(lines, "\n")), moved
}

// names reports whether the summary has a text, white space aside.
func (m *repairer) names(text string) bool {
	text = plainSpace(escape(text))
	for _, s := range m.sections {
		if strings.Contains(plainSpace(s.String()), text) {
			return true
		}
	}
	return false
}

func plainSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// require gathers what is missing. It takes at most half of the budget.
func (m *repairer) require() {
	room, left := m.r.Budget/2, 0
	for _, text := range m.r.Required {
		line := "- " + plainSpace(escape(text))
		if line == "- " || slices.Contains(m.required, line) || m.names(text) {
			continue
		}
		if cost := m.r.tokens(line + "\n"); cost <= room {
			room -= cost
			m.required = append(m.required, line)
		} else {
			left++
		}
	}
	if len(m.required) > 0 {
		m.note("added %d texts that the summary did not name", len(m.required))
	}
	if left > 0 {
		m.note("left out %d required texts for want of room", left)
	}
}

// write returns the summary with what was required behind what is known.
func (m *repairer) write() (retain, text string) {
	known := m.place(knowledgeSection)
	known.text = tidy(strings.Join(append([]string{known.text}, m.required...), "\n"))
	m.required = nil
	if m.r.Format == Retained {
		return m.find(retainSection).text, known.String()
	}
	s := snapshot{}
	for _, section := range m.sections {
		s[section.name] = section.body
	}
	return "", s.String()
}
