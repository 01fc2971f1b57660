package terminal

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/terminal/markdown"
)

// dialog asks whether a tool may do something. "No" is chosen until the person says
// otherwise, and "Yes" can be chosen only when all of the action has been seen, so
// that no user allows by accident what a model wants.
type dialog struct {
	ask   chat.Confirmation
	reply chan<- bool
	yes   bool
	// from is the first line of the action that is shown, shown is how many are, and
	// lines is how many there are.
	from, shown, lines int
	seenAll            bool
}

// confirmMsg opens a dialog.
type confirmMsg struct {
	ask   chat.Confirmation
	reply chan<- bool
	// ctx ends when no tool waits for the reply any more.
	ctx context.Context
}

// withdrawMsg closes the dialog that no tool waits for.
type withdrawMsg struct{ reply chan<- bool }

// confirm shows a dialog and waits for the choice. It is called by the engine.
func (s *screen) confirm(ctx context.Context, ask chat.Confirmation) bool {
	reply := make(chan bool, 1)
	s.send(confirmMsg{ask, reply, ctx})
	select {
	case yes := <-reply:
		return yes
	case <-ctx.Done():
		s.send(withdrawMsg{reply})
		return false
	case <-s.ctx.Done():
		return false
	}
}

// key handles a key and reports whether the dialog is over.
func (d *dialog) key(msg tea.KeyPressMsg) (over bool) {
	switch msg.String() {
	case "left", "right", "tab", "shift+tab":
		d.yes = !d.yes && d.seenAll
	case "pgdown", "down":
		d.from = min(d.from+max(1, d.shown-1), max(0, d.lines-d.shown))
	case "pgup", "up":
		d.from = max(0, d.from-max(1, d.shown-1))
	case "esc":
		d.yes = false
		return true
	case "enter":
		return true
	}
	return false
}

// draw shows the action and the choice, in at most height lines.
func (d *dialog) draw(width, height int, t *theme) []string {
	who := line(d.ask.Participant)
	if who == "" {
		who = t.lang.Say("A model")
	}
	action := markdown.Plain(d.ask.Action, width-4, t.plain)
	d.lines = len(action)
	d.shown = max(1, min(len(action), height-4))
	d.from = max(0, min(d.from, d.lines-d.shown))
	d.seenAll = d.seenAll || d.from+d.shown >= d.lines
	lines := []string{
		t.rule.Render(strings.Repeat("─", width)),
		fit(t.warning.Render(t.lang.Say(fmt.Sprintf("%s wants to %s:", who, line(d.ask.Tool)))), width),
	}
	for _, l := range action[d.from : d.from+d.shown] {
		lines = append(lines, "    "+l)
	}
	return append(lines, fit(d.choice(t), width))
}

func (d *dialog) choice(t *theme) string {
	yes, no := t.lang.Say("Yes"), t.lang.Say("No")
	text := "  " + t.chosen.Render("["+no+"]") + "   " + yes + "   "
	if d.yes {
		text = "   " + no + "   " + t.chosen.Render("["+yes+"]") + "  "
	}
	if !d.seenAll {
		return text + t.warning.Render(t.lang.Say(fmt.Sprintf("lines %d to %d of %d: PgDn shows the rest, then you can say yes", d.from+1, d.from+d.shown, d.lines)))
	}
	return text + t.faint.Render(t.lang.Say("arrows choose, Enter confirms, Esc says no"))
}
