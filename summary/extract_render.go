package summary

import (
	"cmp"
	"slices"
	"strings"
)

// headings of the sections where the format has no tags for them.
var headings = map[string]string{
	goalSection:      "Goal:",
	knowledgeSection: "Known:",
	filesSection:     "Files:",
	actionsSection:   "Recent actions:",
	planSection:      "Plan:",
}

// rendered is a summary as text.
type rendered struct{ retain, text string }

// whole is the text whose tokens are counted.
func (r rendered) whole() string {
	if r.retain == "" {
		return r.text
	}
	return r.retain + "\n" + r.text
}

func render(f Format, lines []line) rendered {
	bodies := map[string]body{}
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.place, b.place) })
	for _, l := range lines {
		section, mark := l.section, "- "
		if section == rulesSection && f == Snapshot {
			section, mark = knowledgeSection, "- "+userSaid
		}
		b := bodies[section]
		if l.fence.text != "" {
			b.data = append(b.data, l.fence)
		} else {
			b.text = strings.TrimPrefix(b.text+"\n"+mark+l.text, "\n")
		}
		bodies[section] = b
	}
	if f == Snapshot {
		return rendered{text: snapshot(bodies).String()}
	}
	var parts []string
	for _, section := range sections() {
		if text := bodies[section].String(); text != "" {
			parts = append(parts, headings[section]+"\n"+text)
		}
	}
	return rendered{bodies[rulesSection].text, strings.Join(parts, "\n")}
}
