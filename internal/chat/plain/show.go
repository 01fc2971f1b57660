package plain

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/chat"
)

// voice is one participant's answer. Only the first in the order speaks as it goes; the
// others wait until those before them are through, so that answers do not mix.
type voice struct {
	name    string
	waiting strings.Builder
	begun   bool
	ended   bool
	// after is what is said when the answer is over.
	after func()
}

// tell shows an event.
func (s *session) tell(e chat.Event) {
	switch e := e.(type) {
	case chat.Asked:
		s.voices = nil
		for _, name := range e.To {
			s.voices = append(s.voices, &voice{name: name})
		}
	case chat.Said:
		s.voice(e.Participant).waiting.WriteString(e.Text)
		s.speak()
	case chat.Called:
		s.end(e.Participant, false, func() {
			s.remark(fmt.Sprintf("* %s uses %s %s (%d bytes)\n", bar.Clean(e.Participant), bar.Clean(e.Tool), bar.Clean(e.Arguments), e.Bytes))
		})
	case chat.Answered:
		s.end(e.Participant, true, func() {
			if e.Cut {
				s.remark(fmt.Sprintf("* %s had no room left for more\n", bar.Clean(e.Participant)))
			}
		})
	case chat.Failed:
		s.end(e.Participant, true, func() { s.report(e.Err) })
	case chat.Notice:
		s.notice(e)
	case chat.Ended:
		s.ended()
	}
}

func (s *session) voice(name string) *voice {
	for _, v := range s.voices {
		if v.name == name {
			return v
		}
	}
	v := &voice{name: name}
	s.voices = append(s.voices, v)
	return v
}

// speak shows what may be shown.
func (s *session) speak() {
	for _, v := range s.voices {
		if text := v.waiting.String(); text != "" {
			if !v.begun && len(s.engine.Participants()) > 1 {
				fmt.Fprintf(s.out, "[%s] ", bar.Clean(v.name))
			}
			v.begun = true
			fmt.Fprint(s.out, clean(text))
			v.waiting.Reset()
		}
		if !v.ended {
			return
		}
		if v.begun {
			fmt.Fprintln(s.out)
			v.begun = false
		}
		if v.after != nil {
			v.after()
			v.after = nil
		}
	}
}

// end notes that a participant is through, or will go on after a remark.
func (s *session) end(name string, last bool, after func()) {
	v := s.voice(name)
	if before := v.after; before != nil {
		v.after = func() { before(); after() }
	} else {
		v.after = after
	}
	v.ended = last
	s.speak()
}

// clean keeps line breaks and tabs; all else that could move the cursor is made
// visible.
func clean(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "\n\t")
		if end < 0 {
			b.WriteString(bar.Clean(text))
			break
		}
		b.WriteString(bar.Clean(text[:end]))
		b.WriteByte(text[end])
		text = text[end+1:]
	}
	return b.String()
}

// notice shows what a command was asked for on the output, and everything else beside
// it.
func (s *session) notice(n chat.Notice) {
	switch n.Kind {
	case chat.NoticeText:
		fmt.Fprintln(s.out, clean(s.options.Lang.Lines(n.Text)))
	case chat.NoticeData:
		fmt.Fprintln(s.out, clean(n.Text))
	case chat.NoticeWarning:
		fmt.Fprintf(s.remarks, "! %s\n", s.about(n))
	default:
		fmt.Fprintf(s.remarks, "* %s\n", s.about(n))
	}
}

// about names whom a notice is about, where several take part.
func (s *session) about(n chat.Notice) string {
	text := bar.Clean(s.options.Lang.Error(n.Text))
	if n.Participant != "" && len(s.engine.Participants()) > 1 && !strings.Contains(text, n.Participant) {
		text = bar.Clean(n.Participant) + ": " + text
	}
	return text
}

// ended shows the load line of those who were asked.
func (s *session) ended() {
	for _, v := range s.voices {
		for _, g := range s.engine.Gauges() {
			if g.Participant == v.name {
				fmt.Fprintf(s.remarks, "= %s: %s\n", bar.Clean(g.Participant), s.options.Lang.Say(g.String()))
			}
		}
	}
	s.voices = nil
}
