package summary

import (
	"errors"
	"fmt"
	"strings"
)

// errMalformed says that a reply cannot be read: a tag is not closed, or the requested
// tags are missing.
var errMalformed = errors.New("the summary is malformed")

// The tags of both formats. Models write them in any case and with attributes.
const (
	snapshotTag = "state_snapshot"
	retainTag   = "retain"
	summaryTag  = "summary"
)

// The sections of a snapshot; see sections.
const (
	goalSection      = "overall_goal"
	knowledgeSection = "key_knowledge"
	filesSection     = "file_system_state"
	actionsSection   = "recent_actions"
	planSection      = "current_plan"
)

// maxFences is how many fences a section keeps.
const maxFences = 64

// thoughtTags hold the model's thoughts, which are never part of a summary.
var thoughtTags = []string{"scratchpad", "think", "thinking", "analysis"}

// Parse reads what a model replied to a request. It retains nothing that was not asked
// for. A reply that retains something and has no summary is as useless as an empty one.
func Parse(r *Request, reply string) (Summary, error) {
	s, err := parse(reply, r.Format)
	if err == nil && s.Text == "" {
		return Summary{}, errEmpty
	}
	if !r.asksRetain() {
		s.Retain = ""
	}
	return s, err
}

// parse reads a reply of a model. In the format [Snapshot] it takes the <state_snapshot>
// only, with all five sections in order. In the format [Retained] it takes <retain> and
// <summary>. Without a <summary>, everything that is not retained is the summary. It
// drops the model's thoughts. Other tags become text, except fences. Parsing the result
// again gives the same result.
func parse(reply string, f Format) (Summary, error) {
	reply = withoutThoughts(reply, f)
	if f == Retained {
		return parseRetained(reply)
	}
	return parseSnapshot(reply)
}

func parseRetained(reply string) (Summary, error) {
	retain, rest, err := takeTag(reply, retainTag)
	if err != nil {
		return Summary{}, err
	}
	text, _, err := takeTag(rest, summaryTag)
	if err != nil {
		return Summary{}, err
	}
	if _, ok := findTag(rest, summaryTag, 0); !ok {
		text = rest
	}
	s := Summary{Retain: tidy(escape(retain)), Text: body{text: text}.split().String()}
	if s.Retain == "" && s.Text == "" {
		return Summary{}, errEmpty
	}
	return s, nil
}

func parseSnapshot(reply string) (Summary, error) {
	s, err := findSnapshot(reply)
	if err != nil {
		return Summary{}, err
	}
	return Summary{Text: s.String()}, nil
}

// findSnapshot finds and reads the snapshot in a reply.
func findSnapshot(reply string) (snapshot, error) {
	if strings.TrimSpace(reply) == "" {
		return nil, errEmpty
	}
	inside := reply
	if open, ok := findTag(reply, snapshotTag, 0); ok {
		end := lastClosing(reply, snapshotTag)
		if end < open.end {
			return nil, notClosed(snapshotTag)
		}
		inside = reply[open.end:end]
	}
	s, err := readSnapshot(inside)
	if err == nil && s.empty() {
		err = errEmpty
	}
	return s, err
}

// snapshot is what the sections of a snapshot say, by name.
type snapshot map[string]body

// readSnapshot reads the sections. Text outside of them counts as knowledge.
func readSnapshot(inside string) (snapshot, error) {
	texts := map[string][]string{}
	var beside strings.Builder
	rest := inside
	for {
		open, ok := firstOf(rest, sections(), 0)
		if !ok {
			break
		}
		beside.WriteString(rest[:open.start] + "\n")
		section, left, err := takeTag(rest[open.start:], open.name)
		if err != nil {
			return nil, err
		}
		texts[open.name] = append(texts[open.name], section)
		rest = left
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%w: it has none of the sections of <%s>", errMalformed, snapshotTag)
	}
	beside.WriteString(rest)
	s := snapshot{}
	for _, name := range sections() {
		s[name] = body{text: strings.Join(texts[name], "\n")}.split()
	}
	s[knowledgeSection] = s[knowledgeSection].add(body{text: beside.String()}.split())
	return s, nil
}

func (s snapshot) empty() bool {
	for _, b := range s {
		if b.String() != "" {
			return false
		}
	}
	return true
}

// String writes all five sections with their tags.
func (s snapshot) String() string {
	var b strings.Builder
	b.WriteString("<" + snapshotTag + ">\n")
	for _, name := range sections() {
		b.WriteString("<" + name + ">\n")
		if text := s[name].String(); text != "" {
			b.WriteString(text + "\n")
		}
		b.WriteString("</" + name + ">\n")
	}
	b.WriteString("</" + snapshotTag + ">")
	return b.String()
}

// body is the inside of a section: text without tags, and fenced data.
type body struct {
	text string
	data []fenced
}

type fenced struct{ origin, text string }

// split separates the fences from a text and escapes the rest. A fence without an end
// reaches to the end of the text.
func (b body) split() body {
	split := body{data: b.data}
	rest := b.text
	var plain strings.Builder
	for {
		open, ok := findTag(rest, fenceTag, 0)
		if !ok {
			break
		}
		plain.WriteString(rest[:open.start] + "\n")
		inside, left := rest[open.end:], ""
		if end, ok := findTag(rest, "/"+fenceTag, open.end); ok {
			inside, left = rest[open.end:end.start], rest[end.end:]
		}
		split.data = withFence(split.data, fenced{originOf(rest[open.start:open.end]), tidy(escape(inside))})
		rest = left
	}
	plain.WriteString(rest)
	split.text = tidy(escape(plain.String()))
	return split
}

// withFence adds a fence, unless it is empty or there already, or there are enough.
func withFence(data []fenced, f fenced) []fenced {
	if f.text == "" || len(data) == maxFences {
		return data
	}
	for _, known := range data {
		if known == f {
			return data
		}
	}
	return append(data[:len(data):len(data)], f)
}

// originOf reads the origin that a fence names.
func originOf(tag string) string {
	_, after, ok := strings.Cut(tag, `origin="`)
	origin, _, closed := strings.Cut(after, `"`)
	if !ok || !closed {
		return "unknown"
	}
	return origin
}

// add appends another body.
func (b body) add(other body) body {
	b.text = tidy(b.text + "\n" + other.text)
	for _, f := range other.data {
		b.data = withFence(b.data, f)
	}
	return b
}

// String writes the text and then the fences.
func (b body) String() string {
	parts := make([]string, 0, 1+len(b.data))
	if b.text != "" {
		parts = append(parts, b.text)
	}
	for _, f := range b.data {
		parts = append(parts, fence(f.origin, f.text))
	}
	return strings.Join(parts, "\n")
}

// tidy cuts blank lines at both ends and white space at the ends of lines.
func tidy(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimRight(strings.TrimLeft(strings.Join(lines, "\n"), "\n"), "\n")
}
