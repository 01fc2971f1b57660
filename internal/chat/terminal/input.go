package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
)

// input is where the person types: several lines, what was typed before, and pastes
// that are too long to be shown.
type input struct {
	area textarea.Model
	// pastes are the folded ones; the text has marks in their places. They are kept,
	// because a line that was sent can be had back.
	pastes []paste
	// before are the lines that were sent, oldest first; at is the one that is shown,
	// len(before) for the draft.
	before []string
	at     int
	draft  string
}

// paste is text that a mark replaces.
type paste struct{ mark, text string }

// mostLines bounds what the text area holds; more than a screen is scrolled.
const mostLines = 10_000

func newInput(t *theme) *input {
	area := textarea.New()
	area.ShowLineNumbers = false
	area.EndOfBufferCharacter = ' '
	area.DynamicHeight = true
	area.MinHeight = 1
	area.MaxContentHeight = mostLines
	area.CharLimit = 0
	area.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("ctrl+j", "alt+enter", "shift+enter"))
	area.KeyMap.PageUp.SetEnabled(false)
	area.KeyMap.PageDown.SetEnabled(false)
	// Pastes come from the terminal; the clipboard of the machine may be another one.
	area.KeyMap.Paste.SetEnabled(false)
	area.SetVirtualCursor(false)
	area.SetPromptFunc(2, func(i textarea.PromptInfo) string {
		if i.LineNumber == 0 {
			return "> "
		}
		return "  "
	})
	area.SetStyles(t.input())
	area.Placeholder = t.lang.Say(placeholder)
	area.Focus()
	return &input{area: area}
}

const placeholder = "Message, @name or @all, /help"

// resize fits the area to the screen: it grows with the text, up to a third.
func (in *input) resize(width, height int) {
	in.area.MaxHeight = max(1, height/3)
	in.area.SetWidth(max(4, width))
	in.area.SetHeight(in.area.Height())
	// The height follows from the text when that is set.
	in.keepCursor(func() { in.area.SetValue(in.area.Value()) })
}

// keepCursor runs what would move the cursor and puts it back.
func (in *input) keepCursor(change func()) {
	row, column := in.area.Line(), in.area.Column()
	change()
	in.area.MoveToBegin()
	for in.area.Line() < row {
		before := in.area.Line()
		in.area.CursorEnd()
		in.area.CursorDown()
		if in.area.Line() == before {
			break
		}
	}
	in.area.SetCursorColumn(column)
	in.show()
}

func (in *input) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	in.area, cmd = in.area.Update(msg)
	return cmd
}

// insert takes a paste. One that is long, or that the area cannot hold as it is,
// becomes a mark.
func (in *input) insert(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	in.area.InsertString(in.fold(text))
	in.show()
}

// fold returns a mark for a text that is long; any other as it is.
func (in *input) fold(text string) string {
	if !isLong(text) {
		return text
	}
	mark := fmt.Sprintf("[pasted %d: %s]", len(in.pastes)+1, size(text))
	in.pastes = append(in.pastes, paste{mark, text})
	return mark
}

// show scrolls the area to the cursor, which the area itself does only when it is
// handed a message.
func (in *input) show() { in.area, _ = in.area.Update(nil) }

func isLong(text string) bool {
	const lines, characters = 10, 2000
	return strings.Count(text, "\n") > lines || utf8.RuneCountInString(text) > characters ||
		strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) })
}

func size(text string) string {
	if n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; n > 1 {
		return grouped(n) + " lines"
	}
	return grouped(utf8.RuneCountInString(text)) + " characters"
}

// text is what is sent: pastes in the places of their marks.
func (in *input) text() string {
	var pairs []string
	for _, p := range in.pastes {
		pairs = append(pairs, p.mark, p.text)
	}
	return strings.NewReplacer(pairs...).Replace(in.area.Value())
}

// isEmpty reports whether there is nothing to send.
func (in *input) isEmpty() bool { return strings.TrimSpace(in.area.Value()) == "" }

// take empties the input and returns what was in it, shown and whole.
func (in *input) take() (shown, whole string) {
	shown, whole = in.area.Value(), in.text()
	in.area.Reset()
	in.at, in.draft = len(in.before), ""
	return shown, whole
}

// giveBack puts what was not taken in front of whatever was typed since.
func (in *input) giveBack(shown string) {
	if now := in.area.Value(); strings.TrimSpace(now) != "" {
		shown += "\n" + now
	}
	in.set(shown)
}

// remember keeps a line that was taken, for the arrow keys.
func (in *input) remember(shown string) {
	shown = strings.TrimSpace(shown)
	atDraft := in.at == len(in.before)
	if shown != "" && (len(in.before) == 0 || in.before[len(in.before)-1] != shown) {
		in.before = append(in.before, shown)
	}
	if atDraft {
		in.at = len(in.before)
	}
}

func (in *input) set(text string) {
	in.area.SetValue(text)
	in.area.MoveToEnd()
	in.show()
}

// older shows the line before, if the cursor is in the first row; else it reports
// that the key is for the area.
func (in *input) older() bool {
	if in.area.Line() > 0 || in.area.LineInfo().RowOffset > 0 || in.at == 0 {
		return false
	}
	if in.at == len(in.before) {
		in.draft = in.area.Value()
	}
	in.at--
	in.set(in.before[in.at])
	return true
}

// newer goes the other way, and ends at the draft.
func (in *input) newer() bool {
	info := in.area.LineInfo()
	if in.area.Line() < in.area.LineCount()-1 || info.RowOffset < info.Height-1 || in.at >= len(in.before) {
		return false
	}
	in.at++
	if in.at == len(in.before) {
		in.set(in.draft)
	} else {
		in.set(in.before[in.at])
	}
	return true
}

// left is the text of the row in front of the cursor.
func (in *input) left() string {
	rows := strings.Split(in.area.Value(), "\n")
	row := []rune(rows[min(in.area.Line(), len(rows)-1)])
	return string(row[:min(in.area.Column(), len(row))])
}

// replaceLeft replaces the last characters before the
// cursor by another text.
func (in *input) replaceLeft(characters int, text string) {
	for range characters {
		in.area, _ = in.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	in.area.InsertString(text)
}
