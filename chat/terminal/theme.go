package terminal

import (
	"image/color"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/plimsoll/plimsoll/chat"
	"github.com/plimsoll/plimsoll/chat/terminal/markdown"
)

// theme is how the parts of the screen look on a dark or a light background.
type theme struct {
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

func newTheme(dark bool) *theme {
	pick := lipgloss.LightDark(dark)
	both := func(light, dark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(dark)) }
	plain := lipgloss.NewStyle()
	faint := plain.Foreground(both("#6e7781", "#8b949e"))
	amber, red := both("#9a6700", "#e3b341"), both("#cf222e", "#ff7b72")
	return &theme{
		markdown: markdown.NewTheme(dark),
		plain:    plain,
		faint:    faint,
		you:      plain.Bold(true).Foreground(both("#1a7f37", "#56d364")),
		question: plain.Foreground(both("#24292f", "#e6edf3")),
		notice:   plain.Foreground(both("#0550ae", "#79c0ff")),
		warning:  plain.Foreground(amber),
		failure:  plain.Foreground(red),
		chosen:   plain.Reverse(true),
		rule:     plain.Foreground(both("#d0d7de", "#3d444d")),
		names: []color.Color{
			both("#8250df", "#d2a8ff"), both("#0969da", "#58a6ff"), both("#bc4c00", "#ffa657"), both("#bf3989", "#ff9bce"), both("#1b7c83", "#76e3ea"),
		},
		levels: [3]lipgloss.Style{
			chat.Calm: plain.Foreground(both("#1a7f37", "#3fb950")),
			chat.Soft: plain.Foreground(amber),
			chat.Hard: plain.Foreground(red).Bold(true),
		},
		system: plain.Foreground(both("#0969da", "#58a6ff")),
		tools:  plain.Foreground(both("#8250df", "#d2a8ff")),
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
