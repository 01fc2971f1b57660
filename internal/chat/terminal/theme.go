package terminal

import (
	"image/color"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/terminal/markdown"
	"github.com/plimsoll/plimsoll/internal/lang"
)

// theme is how the parts of the screen look on a dark or a light background.
type theme struct {
	// lang is the language of labels.
	lang     lang.Printer
	markdown *markdown.Theme
	plain    lipgloss.Style
	faint    lipgloss.Style
	you      lipgloss.Style
	question lipgloss.Style
	notice   lipgloss.Style
	warning  lipgloss.Style
	failure  lipgloss.Style
	chosen   lipgloss.Style
	rule     lipgloss.Style
	// names are the colours of participants, in order.
	names []color.Color
	// levels are the colours of history in gauges, by [chat.Level].
	levels              [3]lipgloss.Style
	system, tools, free lipgloss.Style
}

// newTheme picks among the 256 colours that terminals have without telling, so that it
// looks alike where there are more.
func newTheme(dark bool) *theme {
	pick := lipgloss.LightDark(dark)
	both := func(light, dark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(dark)) }
	plain := lipgloss.NewStyle()
	faint := plain.Foreground(both("#6c6c6c", "#8a8a8a"))
	amber, red := both("#875f00", "#d7af5f"), both("#d70000", "#ff8787")
	return &theme{
		markdown: markdown.NewTheme(dark),
		plain:    plain,
		faint:    faint,
		you:      plain.Bold(true).Foreground(both("#008700", "#5fd75f")),
		question: plain.Foreground(both("#1c1c1c", "#eeeeee")),
		notice:   plain.Foreground(both("#005faf", "#5fafff")),
		warning:  plain.Foreground(amber),
		failure:  plain.Foreground(red),
		chosen:   plain.Reverse(true),
		rule:     plain.Foreground(both("#d0d0d0", "#444444")),
		names: []color.Color{
			both("#875fd7", "#d7afff"), both("#005faf", "#5fafff"), both("#af5f00", "#ffaf5f"), both("#af005f", "#ff87d7"), both("#008787", "#5fd7d7"),
		},
		levels: [3]lipgloss.Style{
			chat.Calm: plain.Foreground(both("#008700", "#5fd75f")),
			chat.Soft: plain.Foreground(amber),
			chat.Hard: plain.Foreground(red).Bold(true),
		},
		system: plain.Foreground(both("#005faf", "#5fafff")),
		tools:  plain.Foreground(both("#875fd7", "#d7afff")),
		free:   faint,
	}
}

// name is the style of a participant's name; who is not known any more is faint.
func (t *theme) name(index int) lipgloss.Style {
	if index < 0 {
		return t.faint.Bold(true)
	}
	return t.plain.Bold(true).Foreground(t.names[index%len(t.names)])
}

// input is the style of the text area.
func (t *theme) input() textarea.Styles {
	state := textarea.StyleState{
		Base: t.plain, Text: t.plain, CursorLine: t.plain, EndOfBuffer: t.plain, Placeholder: t.faint, Prompt: t.you,
		LineNumber: t.faint, CursorLineNumber: t.faint, Selection: t.chosen,
	}
	return textarea.Styles{
		Focused: state, Blurred: state,
		Cursor: textarea.CursorStyle{Shape: tea.CursorBlock, Blink: true},
	}
}
