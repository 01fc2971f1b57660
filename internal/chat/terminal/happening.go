package terminal

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// event shows what the engine told, pieces of answers apart.
func (s *screen) event(e chat.Event) {
	switch e := e.(type) {
	case chat.Asked:
		s.asked(e)
	case chat.Answered:
		s.answered(e)
	case chat.Failed:
		s.failed(e)
	case chat.Called:
		s.called(e)
	case chat.Notice:
		s.notice(e)
	case chat.Ended:
		s.refresh()
	}
}

func (s *screen) asked(e chat.Asked) {
	s.input.remember(s.sent.shown)
	s.sent.taken = true
	s.back.add(s.question(e.Text, e.To, s.sent.attached))
	s.back.bottom()
	for _, name := range e.To {
		s.answer(name)
	}
}

// question is what the person said, to whom if there are several, and with what.
func (s *screen) question(text string, to, attached []string) *scrollEntry {
	q := newEntry(question, s.say("you"), text)
	if len(s.names) > 1 {
		q.to = strings.Join(to, ", ")
	}
	if len(attached) > 0 {
		q.note = s.say("with " + strings.Join(attached, ", "))
	}
	return q
}

func (s *screen) answered(e chat.Answered) {
	a := s.answer(e.Participant)
	if a.text.String() != e.Text {
		a.text.Reset()
		a.text.WriteString(e.Text)
	}
	a.end(s.answeredNote(e))
	delete(s.answers, e.Participant)
	s.gauges = s.engine.Gauges()
}

func (s *screen) failed(e chat.Failed) {
	a := s.answer(e.Participant)
	a.end(s.say("not whole"))
	if a.text.Len() == 0 {
		a.end(s.say("no answer"))
	}
	delete(s.answers, e.Participant)
	s.announce(newEntry(failure, "", by(e.Participant, s.failureText(e.Err))))
}

func (s *screen) called(e chat.Called) {
	text := fmt.Sprintf("%s: %s %s → %s bytes", e.Participant, e.Tool, e.Arguments, grouped(e.Bytes))
	if e.IsError {
		text += ", a failure"
	}
	s.announce(newEntry(call, "", s.say(text)))
}

// announce adds an entry in front of the answers at the end that have no text yet: a
// name is followed by what its bearer says, not by something else.
func (s *screen) announce(e *scrollEntry) {
	at := len(s.back.entries)
	for at > 0 && s.back.entries[at-1].open && s.back.entries[at-1].text.Len() == 0 {
		at--
	}
	s.back.entries = slices.Insert(s.back.entries, at, e)
}

func (s *screen) notice(e chat.Notice) {
	kind := notice
	switch e.Kind {
	case chat.NoticeText, chat.NoticeData:
		kind = listing
	case chat.NoticeWarning, chat.NoticeGoing:
		kind = warning
	}
	text := e.Text
	switch {
	case e.Kind == chat.NoticeText:
		text = s.options.Lang.Lines(text)
	case kind != listing:
		text = by(e.Participant, s.options.Lang.Error(text))
	}
	s.announce(newEntry(kind, "", text))
}

// by puts a name in front of a text that does not name it, if there is one.
func by(name, text string) string {
	if name == "" || strings.Contains(text, name) {
		return text
	}
	return name + ": " + text
}

// done ends the work on a line. One that was not taken goes back into the input.
func (s *screen) done(m doneMsg) tea.Cmd {
	s.job = nil
	for name, a := range s.answers {
		a.end(s.say("stopped"))
		delete(s.answers, name)
	}
	s.refresh()
	name, rest, isCommand := chat.CutCommand(m.line)
	switch {
	case errors.Is(m.err, chat.ErrQuit):
		return tea.Quit
	case m.err != nil && !s.sent.taken:
		s.back.add(newEntry(failure, "", s.failureText(m.err)))
		s.back.bottom()
		if isCommand && rest == "" {
			s.input.remember(s.sent.shown) // nothing in it is worth keeping
		} else {
			s.input.giveBack(s.sent.shown)
		}
	case m.err != nil:
		s.back.add(newEntry(failure, "", s.failureText(m.err)))
	case isCommand:
		s.input.remember(s.sent.shown)
		s.followed(name)
	}
	return nil
}

// followed shows another conversation after commands that change to one. What the
// command had to say stays.
func (s *screen) followed(name string) {
	if name != "load" && name != "clear" {
		return
	}
	said := s.back.entries
	for i := len(said) - 1; i >= 0; i-- {
		if said[i].kind == command {
			said = said[i+1:]
			break
		}
	}
	s.back = scrollback{draw: s.drawEntry}
	s.recall()
	s.back.entries = append(s.back.entries, said...)
}

// recall shows the turns that there are already.
func (s *screen) recall() {
	for _, t := range s.engine.Turns() {
		if t.Checkpoint != nil {
			s.back.add(newEntry(notice, "", s.say(fmt.Sprintf("%d older turns are summarised here%s", t.Checkpoint.Turns, readable(t.Checkpoint.Ref)))))
			continue
		}
		var attached []string
		for _, a := range t.Attached {
			attached = append(attached, a.Name)
		}
		s.back.add(s.question(t.Question, t.To, attached))
		s.input.remember(s.input.fold(t.Question))
		for _, r := range t.Replies {
			s.back.add(newEntry(answer, r.Participant, r.Text))
			if r.Failure != "" {
				s.back.add(newEntry(failure, "", by(r.Participant, r.Failure)))
			}
		}
	}
}

func readable(ref string) string {
	if ref == "" {
		return ""
	}
	return "; /expand " + ref + " shows them"
}

var refs = regexp.MustCompile(`\b[a-z2-7]{26}\b`)

// refs are the names of stored content that stand on the screen or in checkpoints.
func (s *screen) refs() []string {
	var all []string
	for _, t := range s.engine.Turns() {
		if t.Checkpoint != nil && t.Checkpoint.Ref != "" {
			all = append(all, t.Checkpoint.Ref)
		}
	}
	for _, e := range s.back.entries {
		all = append(all, refs.FindAllString(e.text.String(), -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
