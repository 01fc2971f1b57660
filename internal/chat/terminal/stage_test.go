package terminal

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// played is an engine that does what a test says.
type played struct {
	participants []chat.Participant
	turns        []chat.Turn
	gauges       []chat.Gauge
	attached     []string
	desk         chat.Desk
	lines        []string
	do           func(ctx context.Context, line string, tell func(chat.Event)) error
}

func (p *played) Attend(d chat.Desk)               { p.desk = d }
func (p *played) Greet(func(chat.Event))           {}
func (p *played) Participants() []chat.Participant { return p.participants }
func (p *played) Turns() []chat.Turn               { return p.turns }
func (p *played) Gauges() []chat.Gauge             { return p.gauges }
func (p *played) Attached() []string               { return p.attached }

func (p *played) Do(ctx context.Context, line string, tell func(chat.Event)) error {
	p.lines = append(p.lines, line)
	defer tell(chat.Ended{})
	if p.do == nil {
		return nil
	}
	return p.do(ctx, line, tell)
}

func two() []chat.Participant {
	return []chat.Participant{{Name: "gemini", Model: "gemini-2.5-pro"}, {Name: "openai", Model: "gpt-4o"}}
}

func calm(name string) chat.Gauge {
	return chat.Gauge{Participant: name, Window: 128_000, System: 900, Tools: 2_100, History: 9_000, Free: 100_000, Reserve: 16_000, Exact: true}
}

// stage is a screen without a terminal. Commands are run at once, one after the
// other; what would come later is kept.
type stage struct {
	t      *testing.T
	screen *screen
	mu     sync.Mutex
	later  []tea.Msg
	quit   bool
}

func newStage(t *testing.T, engine *played, width, height int) *stage {
	t.Helper()
	g := &stage{t: t, screen: newScreen(t.Context(), engine, &Options{Dir: t.TempDir()})}
	g.screen.send = g.send
	g.screen.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		g.later = append(g.later, msg)
		return nil
	}
	engine.Attend(chat.Desk{Confirm: g.screen.confirm, Edit: g.screen.edit, Read: g.screen.read})
	g.send(tea.WindowSizeMsg{Width: width, Height: height})
	return g
}

// send hands a message to the screen and runs what follows from it.
func (g *stage) send(msg tea.Msg) {
	g.mu.Lock()
	_, cmd := g.screen.Update(msg)
	g.mu.Unlock()
	if cmd == nil {
		return
	}
	switch next := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		g.quit = true
	default:
		g.send(next)
	}
}

// pass lets the time pass that messages wait for.
func (g *stage) pass() {
	waiting := g.later
	g.later = nil
	for _, msg := range waiting {
		g.send(msg)
	}
}

// press sends keys by their names.
func (g *stage) press(names ...string) {
	g.t.Helper()
	for _, name := range names {
		k, ok := keysByName[name]
		if !ok {
			g.t.Fatalf("no key is called %q", name)
		}
		g.send(tea.KeyPressMsg(k))
	}
}

var keysByName = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "tab": {Code: tea.KeyTab},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
	"ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl},
}

// write types characters.
func (g *stage) write(text string) {
	for _, r := range text {
		g.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// seen is the screen as a person sees it, without colours, and checked.
func (g *stage) seen() string {
	g.t.Helper()
	g.mu.Lock()
	content := g.screen.View().Content
	g.mu.Unlock()
	lines := strings.Split(content, "\n")
	if len(lines) != g.screen.height {
		g.t.Errorf("the screen has %d lines, want %d:\n%s", len(lines), g.screen.height, ansi.Strip(content))
	}
	for _, l := range lines {
		if w := ansi.StringWidth(l); w > g.screen.width {
			g.t.Errorf("a line takes %d cells, want at most %d: %q", w, g.screen.width, l)
		}
		for _, r := range withoutColours(l) {
			if unicode.Is(unicode.Cc, r) {
				g.t.Errorf("the control character %U would be sent: %q", r, l)
			}
		}
	}
	plain := strings.Split(ansi.Strip(content), "\n")
	for i, l := range plain {
		plain[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(plain, "\n") + "\n"
}

func (g *stage) wantSeen(texts ...string) {
	g.t.Helper()
	seen := g.seen()
	for _, text := range texts {
		if !strings.Contains(seen, text) {
			g.t.Errorf("the screen does not show %q:\n%s", text, seen)
		}
	}
}

func (g *stage) wantUnseen(text string) {
	g.t.Helper()
	if seen := g.seen(); strings.Contains(seen, text) {
		g.t.Errorf("the screen shows %q:\n%s", text, seen)
	}
}

func (g *stage) wantInput(want string) {
	g.t.Helper()
	if got := g.screen.input.area.Value(); got != want {
		g.t.Errorf("the input has %q, want %q", got, want)
	}
}

// withoutColours takes out the sequences that styles are made of, and no others.
func withoutColours(line string) string {
	var b strings.Builder
	for line != "" {
		before, after, found := strings.Cut(line, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != ';' && r != ':' && (r < '0' || r > '9') })
		if end < 0 || after[end] != 'm' {
			b.WriteString("\x1b")
			end = -1
		}
		line = after[end+1:]
	}
	return b.String()
}
