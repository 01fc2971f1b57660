package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
)

func TestADialogAllowsOnlyWhatWasChosen(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("echo harmless\n", 60) + "rm -rf ."
	for _, tc := range []struct {
		name, action string
		keys         []string
		want         bool
	}{
		{"Enter alone says no", "make test", []string{"enter"}, false},
		{"an arrow and Enter say yes", "make test", []string{"right", "enter"}, true},
		{"two arrows say no", "make test", []string{"right", "left", "enter"}, false},
		{"Esc says no whatever is chosen", "make test", []string{"right", "esc"}, false},
		{"Ctrl+C says no whatever is chosen", "make test", []string{"right", "ctrl+c"}, false},
		{"what was not seen whole cannot be allowed", long, []string{"right", "enter"}, false},
		{"what was seen to its end can", long, []string{"pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "right", "enter"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newStage(t, &played{participants: two()}, 60, 20)
			g.write("draft")
			reply := make(chan bool, 1)
			g.send(confirmMsg{ask: chat.Confirmation{Participant: "openai", Tool: "run", Action: tc.action}, reply: reply, ctx: t.Context()})
			g.wantSeen("openai wants to run:")
			g.write("yes y")
			g.send(tea.PasteMsg{Content: "y"})
			for _, k := range tc.keys {
				g.press(k)
				g.seen()
			}
			select {
			case got := <-reply:
				if got != tc.want {
					t.Errorf("allowed: %t, want %t", got, tc.want)
				}
			default:
				t.Fatal("the dialog is still open")
			}
			g.wantInput("draft")
			g.wantUnseen("wants to run")
		})
	}
}

func TestADialogNobodyWaitsForIsClosed(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{participants: two()}, 60, 20)
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan bool, 1)
	go func() {
		answered <- g.screen.confirm(ctx, chat.Confirmation{Participant: "openai", Tool: "run", Action: "make"})
	}()
	for !strings.Contains(g.seen(), "wants to run") {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if <-answered {
		t.Error("what was cancelled was allowed")
	}
	g.wantUnseen("wants to run")
}

func TestTwoDialogsAreAskedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{participants: two()}, 60, 20)
	replies := []chan bool{make(chan bool, 1), make(chan bool, 1)}
	for i, r := range replies {
		g.send(confirmMsg{ask: chat.Confirmation{Participant: "openai", Tool: "run", Action: fmt.Sprint("command ", i)}, reply: r, ctx: t.Context()})
	}
	g.wantSeen("command 0")
	g.press("right", "enter")
	g.wantSeen("command 1")
	g.press("enter")
	if first, second := <-replies[0], <-replies[1]; !first || second {
		t.Errorf("allowed: %t and %t, want true and false", first, second)
	}
}

func TestF10_EditOpensTheEditorAndReturnsWhatItLeft(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{}, 60, 20)
	g.screen.options.Edit = func(_ context.Context, text string) (string, error) {
		return strings.TrimSuffix(text, "er"), nil
	}
	g.screen.send = func(msg tea.Msg) {
		m, ok := msg.(editMsg)
		if !ok {
			t.Fatalf("%T was sent", msg)
		}
		m.reply <- m.edit.Run()
	}
	got, err := g.screen.edit(t.Context(), "longer")
	if err != nil || got != "long" {
		t.Errorf("edit = %q, %v", got, err)
	}
	g.screen.options.Edit = func(context.Context, string) (string, error) { return "half", errors.New("exit status 1") }
	if got, err := g.screen.edit(t.Context(), "longer"); err == nil || got != "" {
		t.Errorf("an editor that failed: %q, %v", got, err)
	}
	g.screen.options.Edit = nil
	if _, err := g.screen.edit(t.Context(), "longer"); err == nil || !strings.Contains((&screen{options: &Options{}}).failureText(err), "EDITOR") {
		t.Errorf("without an editor: %v", err)
	}
}

func TestAttachingTakesTheNextLineAndNotTheEngine(t *testing.T) {
	t.Parallel()
	engine := &played{}
	g := newStage(t, engine, 70, 20)
	reply := make(chan reading, 1)
	g.send(readMsg{reply})
	g.wantSeen("Enter attaches it")
	g.send(tea.PasteMsg{Content: strings.Repeat("a\n", 30)})
	g.press("enter")
	if got := <-reply; got.text != strings.Repeat("a\n", 30) || got.err != nil {
		t.Errorf("got %q, %v", got.text, got.err)
	}
	g.send(readMsg{reply})
	g.press("esc")
	if got := <-reply; got.err == nil {
		t.Errorf("Esc gave %q", got.text)
	}
	if len(engine.lines) > 0 {
		t.Errorf("the engine was given %q", engine.lines)
	}
}
