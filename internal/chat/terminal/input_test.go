package terminal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/chat"
)

func TestEnterSendsAndOtherKeysBeginALine(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()}
	g := newStage(t, engine, 60, 16)
	g.write("one")
	g.press("alt+enter")
	g.write("two")
	g.press("ctrl+j")
	g.write("three")
	g.press("enter", "enter")
	if diff := cmp.Diff([]string{"one\ntwo\nthree"}, engine.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPastesAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\twith tab\n", 800)
	for _, tc := range []struct{ name, pasted, shown, sent string }{
		{"a few lines are shown", "a\nb\r\nc", "x a\nb\nc", "x a\nb\nc"},
		{"many lines become a mark", long, "x [pasted 1: 800 lines]", "x " + strings.TrimSpace(long)},
		{"a long line becomes a mark", strings.Repeat("日", 3000), "x [pasted 1: 3,000 characters]", "x " + strings.Repeat("日", 3000)},
		{"tabs are kept behind a mark", "if a {\n\tb()\n}", "x [pasted 1: 3 lines]", "x if a {\n\tb()\n}"},
		{"a paste that begins with a slash in a message is no command", "/etc/hosts", "x /etc/hosts", "x /etc/hosts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			engine := &played{participants: two()}
			g := newStage(t, engine, 60, 16)
			g.write("x ")
			g.send(tea.PasteMsg{Content: tc.pasted})
			g.wantInput(tc.shown)
			if g.seen(); len(engine.lines) > 0 {
				t.Fatal("a paste was sent without Enter")
			}
			g.press("enter")
			if diff := cmp.Diff([]string{tc.sent}, engine.lines); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAMarkInsideAPasteIsNoMark(t *testing.T) {
	t.Parallel()
	engine := &played{}
	g := newStage(t, engine, 60, 16)
	g.send(tea.PasteMsg{Content: "[pasted 2: 3 lines]\t"})
	g.send(tea.PasteMsg{Content: "a\n\tb\nc"})
	g.press("enter")
	if diff := cmp.Diff([]string{"[pasted 2: 3 lines]\ta\n\tb\nc"}, engine.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestArrowsGoThroughWhatWasSentAndBackToTheDraft(t *testing.T) {
	t.Parallel()
	engine := &played{turns: []chat.Turn{{Question: "from the session"}}}
	engine.do = func(_ context.Context, line string, tell func(chat.Event)) error {
		tell(chat.Asked{Text: line})
		return nil
	}
	g := newStage(t, engine, 60, 16)
	g.send(tea.PasteMsg{Content: "pasted\twith a tab"})
	g.press("enter")
	g.screen.input.set("two\nlines")
	g.press("enter")
	g.write("draft")
	g.press("up")
	g.wantInput("two\nlines")
	g.press("up", "up")
	g.wantInput("[pasted 1: 17 characters]")
	g.press("up")
	g.wantInput("from the session")
	g.press("up")
	g.wantInput("from the session")
	g.press("down", "enter")
	if got, want := engine.lines[len(engine.lines)-1], "pasted\twith a tab"; got != want {
		t.Errorf("sent again: %q, want %q", got, want)
	}
	g.write("draft")
	g.press("up", "down")
	g.wantInput("draft")
}

func TestJapaneseIsAsWideAsItIsDrawn(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{}, 20, 12)
	g.write("日本語ab")
	c := g.screen.View().Cursor
	if c == nil || c.X != 2+6+2 {
		t.Errorf("the cursor is at %+v, want column 10", c)
	}
	g.write("喫水線は船の積荷")
	g.wantSeen("日本語ab喫水線は")
	if got := g.screen.input.area.Height(); got != 2 {
		t.Errorf("the input has %d rows, want 2", got)
	}
	g.press("backspace")
	g.wantInput("日本語ab喫水線は船の積")
}

func TestTheInputGrowsWithItsTextAndShrinksWithTheScreen(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{gauges: []chat.Gauge{calm("gemini")}}, 60, 18)
	g.send(tea.PasteMsg{Content: strings.Repeat("row\n", 9) + "last"})
	g.wantSeen("last")
	if got := g.screen.input.area.Height(); got != 6 {
		t.Errorf("the input has %d rows, want a third of the screen", got)
	}
	g.send(tea.WindowSizeMsg{Width: 30, Height: 9})
	g.wantSeen("last")
	g.write("!")
	g.wantInput(strings.Repeat("row\n", 9) + "last!")
	g.send(tea.WindowSizeMsg{Width: 2, Height: 2})
	g.send(tea.WindowSizeMsg{Width: 1, Height: 1})
	g.seen()
}

func TestTabCompletes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, typed, want string
		tabs              int
	}{
		{"the only command", "/comp", "/compress ", 1},
		{"what commands have in common", "/ex", "/exp", 1},
		{"then the first of them", "/ex", "/expand", 2},
		{"then the next", "/ex", "/export", 3},
		{"and from the start", "/ex", "/expand", 4},
		{"a name", "@ge", "@gemini ", 1},
		{"a name in the middle", "see @op", "see @openai ", 1},
		{"everybody", "@a", "@all ", 1},
		{"a method", "/method su", "/method summary ", 1},
		{"what takes a pin off", "/pin o", "/pin off ", 1},
		{"a participant behind a command", "/retry ge", "/retry gemini ", 1},
		{"a command behind help", "/help comp", "/help compress ", 1},
		{"a file", "/attach no", "/attach notes.txt ", 1},
		{"a directory stays open", "/attach sub", "/attach sub/", 1},
		{"a file in it", "/attach sub/i", "/attach sub/inner.md ", 1},
		{"a file in a message", "look at ./no", "look at ./notes.txt ", 1},
		{"the first file, and none that is hidden", "/attach ", "/attach notes.txt", 1},
		{"a reference on the screen", "/expand abc", "/expand abcdefghijklmnopqrstuvwxyz ", 1},
		{"a session", "/load 2026", "/load 20261115-a1 ", 1},
		{"nothing where nothing fits", "/zzz", "/zzz", 3},
		{"no command in the middle of a message", "a /comp", "a /comp", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			engine := &played{participants: two(), turns: []chat.Turn{{Question: "see abcdefghijklmnopqrstuvwxyz"}}}
			g := newStage(t, engine, 60, 24)
			g.screen.words.sessions = func() []string { return []string{"20261115-a1"} }
			for _, name := range []string{"notes.txt", "sub/inner.md", ".hidden", "sub/x\x1b[2J", "nop\nq"} {
				path := filepath.Join(g.screen.options.Dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g.write(tc.typed)
			for range tc.tabs {
				g.press("tab")
			}
			g.seen()
			g.wantInput(tc.want)
		})
	}
}

func TestTheMenuShowsCommandsWhileOneIsTyped(t *testing.T) {
	t.Parallel()
	engine := &played{}
	g := newStage(t, engine, 80, 24)
	g.write("/")
	g.wantSeen("/attach", "Send a file", "in all")
	g.write("und")
	g.wantSeen("/undo")
	g.wantUnseen("/attach")
	g.write("o")
	g.press("enter")
	if diff := cmp.Diff([]string{"/undo"}, engine.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	g.write("/ex")
	g.press("tab", "tab", "shift+tab", "enter")
	g.wantInput("/export")
	if len(engine.lines) != 1 {
		t.Error("Enter in the menu sent the line")
	}
}

func TestWhatIsTypedBehindAChoiceIsAnotherWord(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{participants: []chat.Participant{{Name: "anthropic"}}}, 80, 24)
	g.write("@a")
	g.press("tab")
	g.wantInput("@all")
	g.write("hi")
	g.wantInput("@all hi")
}
