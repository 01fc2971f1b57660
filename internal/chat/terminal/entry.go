package terminal

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/terminal/markdown"
)

// entryKind says how an entry is drawn.
type entryKind int

const (
	// question is what the person said, answer what a model did.
	question entryKind = iota
	answer
	// command is a line that was typed and is no message.
	command
	// call is the use of a tool; notice, warning and failure come from the engine.
	call
	notice
	listing
	warning
	failure
)

// scrollEntry is one thing in the scroll-back, with the lines that it was drawn in.
type scrollEntry struct {
	kind entryKind
	// who said it, and to whom.
	who, to string
	text    strings.Builder
	// note follows the name.
	note string
	// open says that more is to come.
	open   bool
	stream *markdown.Stream

	lines []string
	width int
	theme *theme
}

func newEntry(kind entryKind, who, text string) *scrollEntry {
	e := &scrollEntry{kind: kind, who: who}
	e.text.WriteString(text)
	return e
}

// add appends to the text. It is not seen before the entry is renewed.
func (e *scrollEntry) add(text string) { e.text.WriteString(text) }

// renew has the entry drawn again when it is next looked at.
func (e *scrollEntry) renew() { e.lines = nil }

// end says that nothing is to come, and what to note about the whole.
func (e *scrollEntry) end(note string) {
	e.open, e.stream, e.note, e.lines = false, nil, note, nil
}

// draw returns the lines for a width; index is the place of who among the
// participants.
func (e *scrollEntry) draw(width int, t *theme, index int) []string {
	if e.lines != nil && e.width == width && e.theme == t {
		return e.lines
	}
	if e.width != width || e.theme != t {
		e.stream = nil
	}
	e.width, e.theme = width, t
	e.lines = append(e.body(width, t, index), "")
	return e.lines
}

func (e *scrollEntry) body(width int, t *theme, index int) []string {
	text := e.text.String()
	switch e.kind {
	case question:
		return e.headed(width, t.you, t, indent(shortened(markdown.Plain(text, width-2, t.question), t)))
	case answer:
		return e.headed(width, t.name(index), t, indent(e.answer(width-2, t)))
	case command:
		return prefixed("> ", markdown.Plain(text, width-2, t.faint), t.faint)
	case call:
		return prefixed("⚙ ", markdown.Plain(text, width-2, t.faint), t.faint)
	case listing:
		return columns(text, width, t.plain)
	case warning:
		return prefixed("! ", markdown.Plain(text, width-2, t.warning), t.warning)
	case failure:
		return prefixed("✗ ", markdown.Plain(text, width-2, t.failure), t.failure)
	}
	return prefixed("· ", markdown.Plain(text, width-2, t.notice), t.notice)
}

func (e *scrollEntry) answer(width int, t *theme) []string {
	if !e.open {
		return markdown.Render(e.text.String(), width, t.markdown)
	}
	if e.stream == nil {
		e.stream = markdown.NewStream(width, t.markdown)
	}
	return e.stream.Lines(e.text.String())
}

// headed puts a line with the name in front.
func (e *scrollEntry) headed(width int, name lipgloss.Style, t *theme, body []string) []string {
	head := name.Render(line(e.who))
	if e.to != "" {
		head += t.faint.Render(" → " + line(e.to))
	}
	if e.note != "" {
		head += t.faint.Render("  " + line(e.note))
	}
	return append([]string{ansi.Truncate(head, width, "…")}, body...)
}

// shortened leaves out the middle of what would fill screens: its author knows it.
func shortened(lines []string, t *theme) []string {
	const most, head, tail = 40, 12, 6
	if len(lines) <= most {
		return lines
	}
	out := append(slices.Clone(lines[:head]), t.faint.Render(t.lang.Say("… "+grouped(len(lines)-head-tail)+" more lines …")))
	return append(out, lines[len(lines)-tail:]...)
}

func indent(lines []string) []string {
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return lines
}

func prefixed(mark string, lines []string, style lipgloss.Style) []string {
	for i, l := range lines {
		if i == 0 {
			lines[i] = style.Render(mark) + l
		} else {
			lines[i] = "  " + l
		}
	}
	return lines
}

// columns draws tables. What does not fit goes on below the last column, or in lines of
// its own where that leaves no room.
func columns(text string, width int, style lipgloss.Style) []string {
	var lines []string
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		l = strings.TrimRight(markdown.Line(l), " ")
		gap := 0
		if at := strings.LastIndex(l, "  "); at >= 0 {
			gap = at + 2
		}
		before := ansi.StringWidth(l[:gap])
		if before > width*2/3 {
			aside := strings.Repeat(" ", min(4, width/4))
			lines = append(lines, markdown.Plain(strings.TrimRight(l[:gap], " "), width, style)...)
			for _, rest := range markdown.Plain(l[gap:], width-len(aside), style) {
				lines = append(lines, aside+rest)
			}
			continue
		}
		for i, rest := range markdown.Plain(l[gap:], width-before, style) {
			head := style.Render(l[:gap])
			if i > 0 {
				head = strings.Repeat(" ", before)
			}
			lines = append(lines, head+rest)
		}
	}
	return lines
}

// line makes foreign text fit for one line.
func line(s string) string {
	return markdown.Line(strings.ReplaceAll(s, "\n", " "))
}

// answeredNote says what an answer weighed.
func (s *screen) answeredNote(a chat.Answered) string {
	var notes []string
	if a.Billed {
		notes = append(notes, s.say(fmt.Sprintf("%s in, %s out", grouped(a.Usage.Prompt()), grouped(a.Usage.Output))))
	}
	if a.Cut {
		notes = append(notes, s.say("cut off: its room is used up"))
	}
	return strings.Join(notes, " · ")
}

// failureText says what went wrong and what to do.
func (s *screen) failureText(err error) string {
	text := s.options.Lang.Error(err.Error())
	if hint := plimsoll.HintOf(err); hint != "" {
		text += "\n" + s.options.Lang.List(hint)
	}
	return text
}
