package terminal

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// key handles a key: a dialog has the first word, then the screen, then the input.
func (s *screen) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "ctrl+c" {
		return s.interrupt()
	}
	s.status = ""
	if len(s.dialogs) > 0 {
		if d := s.dialogs[0]; d.key(msg) {
			d.reply <- d.yes
			s.dialogs = s.dialogs[1:]
		}
		return nil
	}
	if s.menuKey(name) || s.scrollKey(name) {
		return nil
	}
	switch name {
	case "enter":
		return s.enter()
	case "esc":
		s.escape()
		return nil
	case "ctrl+d":
		if s.input.isEmpty() && s.job == nil && s.reading == nil {
			return tea.Quit
		}
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "up":
		if s.input.older() {
			return nil
		}
	case "down":
		if s.input.newer() {
			return nil
		}
	}
	if s.menu.isOpen() && s.menu.endsWord() && msg.Text != "" && msg.Text != " " {
		s.input.area.InsertString(" ")
	}
	cmd := s.input.update(msg)
	s.typed()
	return cmd
}

// menuKey handles the keys of completion.
func (s *screen) menuKey(name string) bool {
	switch {
	case name == "tab" || name == "shift+tab":
		by := 1
		if name == "shift+tab" {
			by = -1
		}
		if !s.menu.isOpen() {
			s.menu = s.words.complete(s.input.left(), s.input.area.Line() == 0)
		}
		s.menu.step(s.input, by)
		return true
	case s.menu.isOpen() && (name == "enter" || name == "esc"):
		s.menu = menu{chosen: nothingChosen}
		return true
	}
	return false
}

// typed offers commands while one is being typed, and closes the menu otherwise.
func (s *screen) typed() {
	s.menu = menu{chosen: nothingChosen}
	left := s.input.left()
	if s.reading == nil && s.input.area.LineCount() == 1 && strings.HasPrefix(left, "/") && !strings.Contains(left, " ") {
		s.menu = s.words.complete(left, true)
	}
}

func (s *screen) scrollKey(name string) bool {
	page := max(1, s.height/2)
	switch name {
	case "pgup":
		s.back.scroll(page)
	case "pgdown":
		s.back.scroll(-page)
	case "ctrl+home":
		s.back.top()
	case "ctrl+end":
		s.back.bottom()
	default:
		return false
	}
	return true
}

// escape leaves what is least: a question for text, the look back, the menu.
func (s *screen) escape() {
	switch {
	case s.reading != nil:
		s.reading <- reading{err: errNothingGiven}
		s.reading = nil
	case s.back.isBack():
		s.back.bottom()
	default:
		s.menu = menu{chosen: nothingChosen}
	}
}

// enter sends what was typed, or says why it cannot be sent now and leaves it.
func (s *screen) enter() tea.Cmd {
	switch {
	case s.reading != nil:
		_, whole := s.input.take()
		s.reading <- reading{text: whole}
		s.reading = nil
		return nil
	case s.input.isEmpty():
		return nil
	case s.job != nil:
		s.status = "An answer is under way; Ctrl+C stops it"
		return nil
	}
	shown, whole := s.input.take()
	s.menu = menu{chosen: nothingChosen}
	s.sent = sentLine{shown: shown, attached: s.engine.Attached()}
	if _, _, isCommand := chat.CutCommand(strings.TrimSpace(whole)); isCommand {
		s.back.add(newEntry(command, "", shown))
	}
	s.back.bottom()
	return s.start(strings.TrimSpace(whole))
}

// interrupt stops what is under way; a second time it quits.
func (s *screen) interrupt() tea.Cmd {
	if s.armed != 0 {
		return tea.Quit
	}
	s.presses++
	s.armed = s.presses
	s.status = "Ctrl+C once more quits"
	if s.job != nil && !s.job.cancelled {
		s.job.cancel()
		s.job.cancelled = true
		s.status = "Stopping; Ctrl+C once more quits"
	}
	for _, d := range s.dialogs {
		d.reply <- false
	}
	s.dialogs = nil
	const patience = 2 * time.Second
	return s.after(patience, disarmMsg{s.armed})
}
