package terminal

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// screen is everything that is shown. Bubble Tea calls it from one goroutine; what the
// engine calls goes through send.
type screen struct {
	ctx     context.Context
	engine  Engine
	options *Options
	// send hands a message to the screen from any goroutine.
	send func(tea.Msg)
	// after sends a message in a while.
	after func(time.Duration, tea.Msg) tea.Cmd
	// lines counts the lines that are being worked on.
	lines sync.WaitGroup

	width, height int
	theme         *theme
	back          scrollback
	input         *input
	menu          menu
	gauges        []chat.Gauge
	names         []string
	words         words
	// status is said beside the input until the next key.
	status string

	job *job
	// answers are those that are coming in, by participant.
	answers map[string]*scrollEntry
	sent    sentLine
	dialogs []*dialog
	// reading, if not nil, gets the next line instead of the engine.
	reading chan<- reading
	// armed counts the first Ctrl+C; the second quits while it is the same one.
	armed, presses int

	// ticking says that a frame is on its way, frame is what was drawn last.
	ticking bool
	stale   bool
	frame   tea.View
	// cost is about how long it takes to draw a frame.
	cost time.Duration
}

// sentLine is what was sent last, as it was shown, until it is known to be taken.
type sentLine struct {
	shown    string
	attached []string
	taken    bool
}

func newScreen(ctx context.Context, engine Engine, o *Options) *screen {
	s := &screen{
		ctx: ctx, engine: engine, options: o, theme: newTheme(true), answers: map[string]*scrollEntry{},
		width: o.Width, height: o.Height, stale: true, menu: menu{chosen: nothingChosen},
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	s.theme.lang = o.Lang
	s.words = words{participants: engine.Participants, sessions: o.Sessions, refs: s.refs, dir: o.Dir}
	s.back.draw = s.drawEntry
	s.input = newInput(s.theme)
	s.refresh()
	s.recall()
	return s
}

// Init asks the terminal for its background and says what is to be said at the start.
func (s *screen) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, func() tea.Msg {
		s.engine.Greet(s.tell)
		return nil
	})
}

// Update takes a message.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if e, ok := msg.(eventMsg); ok {
		if said, ok := e.event.(chat.Said); ok {
			return s, s.said(said)
		}
	}
	s.stale = true
	return s, s.take(msg)
}

func (s *screen) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		s.input.resize(s.width, s.height)
	case tea.BackgroundColorMsg:
		s.theme = newTheme(msg.IsDark())
		s.theme.lang = s.options.Lang
		s.input.area.SetStyles(s.theme.input())
	case tea.KeyPressMsg:
		return s.key(msg)
	case tea.PasteMsg:
		if len(s.dialogs) == 0 {
			s.input.insert(msg.Content)
			s.typed()
		}
	case tea.MouseWheelMsg:
		s.wheel(tea.Mouse(msg))
	case eventMsg:
		s.event(msg.event)
	case doneMsg:
		return s.done(msg)
	case frameMsg:
		s.ticking = false
		for _, a := range s.answers {
			a.renew()
		}
	case disarmMsg:
		if s.armed == msg.since {
			s.armed, s.status = 0, ""
		}
	case confirmMsg:
		if msg.ctx.Err() == nil {
			s.dialogs = append(s.dialogs, &dialog{ask: msg.ask, reply: msg.reply})
		}
	case withdrawMsg:
		s.dialogs = slices.DeleteFunc(s.dialogs, func(d *dialog) bool { return d.reply == msg.reply })
	case editMsg:
		return runEditor(msg)
	case readMsg:
		s.reading = msg.reply
	default:
		return s.input.update(msg)
	}
	return nil
}

func (s *screen) wheel(m tea.Mouse) {
	const lines = 3
	switch m.Button {
	case tea.MouseWheelUp:
		s.back.scroll(lines)
	case tea.MouseWheelDown:
		s.back.scroll(-lines)
	}
}

// said appends to an answer. It is drawn at most once in a while, however many pieces
// come.
func (s *screen) said(e chat.Said) tea.Cmd {
	s.answer(e.Participant).add(e.Text)
	if s.ticking {
		return nil
	}
	s.ticking = true
	// Text that takes long to draw is drawn less often, so that keys are answered.
	const frame, share = 40 * time.Millisecond, 4
	return s.after(max(frame, share*s.cost), frameMsg{})
}

// answer returns the entry of an answer that is coming in.
func (s *screen) answer(who string) *scrollEntry {
	e := s.answers[who]
	if e == nil {
		e = newEntry(answer, who, "")
		e.open, e.note = true, "…"
		s.answers[who] = e
		s.back.add(e)
	}
	return e
}

// View draws the screen, if anything has changed.
func (s *screen) View() tea.View {
	if s.stale {
		began := time.Now()
		s.frame, s.stale = s.draw(), false
		s.cost = max(time.Since(began), s.cost/2)
	}
	return s.frame
}

func (s *screen) draw() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "plimsoll chat"
	if s.width < 1 || s.height < 1 {
		return v
	}
	gauges := drawGauges(s.gauges, s.width, max(1, s.height/4), s.theme)
	area := strings.Split(s.input.area.View(), "\n")
	rule := s.theme.rule.Render(strings.Repeat("─", s.width))
	fixed := len(gauges) + len(area) + 2
	above := s.aboveInput(max(0, s.height-fixed-2))
	room := max(0, s.height-fixed-len(above))
	lines := s.back.visible(room)
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines, above...)
	lines = append(lines, rule)
	if c := s.input.area.Cursor(); c != nil && len(s.dialogs) == 0 {
		c.Y += len(lines)
		v.Cursor = c
	}
	lines = append(append(append(lines, area...), s.statusLine()), gauges...)
	lines = lines[:min(len(lines), s.height)]
	for i, l := range lines {
		lines[i] = fit(l, s.width)
	}
	v.Content = strings.Join(lines, "\n")
	return v
}

// aboveInput is the dialog or the menu.
func (s *screen) aboveInput(height int) []string {
	const mostCandidates = 8
	if len(s.dialogs) > 0 {
		return s.dialogs[0].draw(s.width, height, s.theme)
	}
	return s.menu.draw(s.width, min(height, mostCandidates), s.theme)
}

// statusLine is the rule below the input, with what there is to say in it.
func (s *screen) statusLine() string {
	text := s.say(s.status)
	style := s.theme.warning
	if text == "" {
		text, style = s.say(s.state()), s.theme.faint
	}
	if text == "" {
		return s.theme.rule.Render(strings.Repeat("─", s.width))
	}
	text = ansi.Truncate("─ "+line(text)+" ", s.width, "…")
	return style.Render(text) + s.theme.rule.Render(strings.Repeat("─", max(0, s.width-ansi.StringWidth(text))))
}

// state says what is going on.
func (s *screen) state() string {
	switch {
	case s.reading != nil:
		return "Paste or type the text to attach; Enter attaches it, Esc does not"
	case s.back.isBack():
		return "Looking back; Esc goes to the end"
	case s.job != nil && s.job.cancelled:
		return "Stopping …"
	case s.job != nil:
		return strings.TrimSpace(strings.Join(s.waitingFor(), ", ") + " … Ctrl+C stops")
	}
	if attached := s.engine.Attached(); len(attached) > 0 {
		return "Attached to the next message: " + strings.Join(attached, ", ")
	}
	return ""
}

// say is what the screen itself says, in the language of the person.
func (s *screen) say(text string) string { return s.options.Lang.Say(text) }

// waitingFor names those whose answers are coming in.
func (s *screen) waitingFor() []string {
	var names []string
	for _, name := range s.names {
		if s.answers[name] != nil {
			names = append(names, name)
		}
	}
	if names == nil {
		return []string{s.say("Working")}
	}
	return names
}

func (s *screen) drawEntry(e *scrollEntry) []string {
	return e.draw(s.width, s.theme, slices.Index(s.names, e.who))
}

// refresh asks the engine for what it shows all the time.
func (s *screen) refresh() {
	s.gauges = s.engine.Gauges()
	s.names = nil
	for _, p := range s.engine.Participants() {
		s.names = append(s.names, p.Name)
	}
}

// fit cuts a line that is wider than the screen, which few are.
func fit(text string, width int) string { return ansi.Truncate(text, width, "…") }
