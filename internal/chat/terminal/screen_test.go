package terminal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
)

var update = flag.Bool("update", false, "write the golden files")

// conversation plays the states that people see most.
func conversation(_ context.Context, line string, tell func(chat.Event)) error {
	tell(chat.Asked{Turn: 1, Text: line, To: []string{"gemini", "openai"}})
	tell(chat.Notice{Kind: chat.NoticeGoing, Participant: "openai", Text: "2 turns will go: 9,100 → 4,200 tokens"})
	tell(chat.Said{Participant: "gemini", Text: "A **load line** is "})
	tell(chat.Said{Participant: "openai", Text: "- 喫水線は船の積荷の限度を示します。\n- It is `painted`."})
	tell(chat.Called{Participant: "openai", Tool: "read", Arguments: `{"path":"notes.txt"}`, Bytes: 12345})
	tell(chat.Said{Participant: "gemini", Text: "a mark on the hull."})
	tell(chat.Answered{Participant: "gemini", Text: "A **load line** is a mark on the hull.", Usage: plimsoll.Usage{Input: 4200, Output: 12}, Billed: true})
	tell(chat.Failed{Participant: "openai", Err: &plimsoll.Error{Op: "ask openai", Err: errors.New("the connection was cut"), Hint: "/retry asks again"}})
	tell(chat.Notice{Kind: chat.NoticeCompressed, Text: "compressed: 120,000 → 18,000 tokens"})
	return nil
}

func TestTheScreenIsDrawnAtThreeSizes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{32, 24}, {60, 24}, {120, 30}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			soft := calm("gemini")
			soft.History, soft.Free, soft.Level, soft.Exact, soft.Band = 79_000, 30_000, chat.Soft, false, 2_400
			hard := calm("openai")
			hard.History, hard.Free, hard.Level, hard.Cut = 108_000, 1_000, chat.Hard, 4_900
			g := newStage(t, &played{participants: two(), gauges: []chat.Gauge{soft, hard}, do: conversation}, size[0], size[1])
			g.write("What is a load line?")
			g.press("enter")
			g.write("and what ")
			golden(t, filepath.Join("testdata", name+".txt"), g.seen())
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPiecesOfAnswersAreDrawnAFrameAtATime(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1]}
	g := newStage(t, engine, 60, 12)
	engine.do = func(_ context.Context, line string, tell func(chat.Event)) error {
		tell(chat.Asked{Turn: 1, Text: line, To: []string{"gemini"}})
		g.seen()
		for range 100 {
			tell(chat.Said{Participant: "gemini", Text: "word "})
		}
		g.wantUnseen("word")
		if len(g.later) != 1 {
			t.Errorf("%d frames are on their way, want 1", len(g.later))
		}
		g.pass()
		g.wantSeen("word word")
		tell(chat.Answered{Participant: "gemini", Text: strings.Repeat("word ", 100)})
		return nil
	}
	g.write("hello")
	g.press("enter")
	g.wantSeen("word word")
}

func TestF04_WhatWasRefusedStaysInTheInput(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1]}
	g := newStage(t, engine, 60, 16)
	engine.do = func(context.Context, string, func(chat.Event)) error {
		g.write("typed since")
		return &plimsoll.Error{Op: "ask gemini", Code: plimsoll.CodeOverLimit, Err: errors.New("the system prompt takes 9,000 of 8,000 tokens"), Hint: "shorten it with /system"}
	}
	g.write("hello")
	g.press("alt+enter")
	g.write("world")
	g.press("enter")
	g.wantInput("hello\nworld\ntyped since")
	g.wantSeen("the system prompt takes 9,000 of 8,000 tokens", "shorten it with /system")
}

func TestACommandThatFailsComesBackIfThereIsMoreInItThanItsName(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{participants: two()[:1], do: func(context.Context, string, func(chat.Event)) error {
		return errors.New("there is no editor")
	}}, 60, 16)
	g.write("/edit")
	g.press("enter")
	g.wantInput("")
	g.wantSeen("there is no editor")
	g.press("up")
	g.wantInput("/edit")
	g.write(" 3")
	g.press("enter")
	g.wantInput("/edit 3")
}

func TestALongMessageOfAnEarlierChatComesBackAsAMark(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("cargo\n", 500)
	var sent string
	g := newStage(t, &played{participants: two()[:1], turns: []chat.Turn{{Question: long, To: []string{"gemini"}}}, do: func(_ context.Context, line string, _ func(chat.Event)) error {
		sent = line
		return nil
	}}, 60, 16)
	g.press("up")
	g.wantInput("[pasted 1: 500 lines]")
	g.press("enter")
	if strings.TrimSpace(sent) != strings.TrimSpace(long) {
		t.Errorf("sent %.60q", sent)
	}
}

func TestALineThatWasTakenDoesNotComeBack(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{participants: two()[:1], do: func(_ context.Context, line string, tell func(chat.Event)) error {
		tell(chat.Asked{Turn: 1, Text: line, To: []string{"gemini"}})
		return errors.New("the disk is full")
	}}, 60, 16)
	g.write("hello")
	g.press("enter")
	g.wantInput("")
	g.wantSeen("the disk is full")
}

func TestTablesGoOnBelowTheirLastColumn(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{}, 30, 16)
	g.send(eventMsg{chat.Notice{Kind: chat.NoticeText, Text: "/edit [TURN]  Shorten the conversation by hand.\n  12  turn\tone\n\nwords without columns that are wrapped"}})
	golden(t, filepath.Join("testdata", "table.txt"), g.seen())
}

func TestWhatIsAttachedIsNamedBeforeAndAfter(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1], attached: []string{"notes.txt"}}
	engine.turns = []chat.Turn{{Question: "before", Attached: []chat.Attachment{{Name: "old.txt"}}}}
	engine.do = func(_ context.Context, line string, tell func(chat.Event)) error {
		engine.attached = nil
		tell(chat.Asked{Turn: 2, Text: line, To: []string{"gemini"}})
		return nil
	}
	g := newStage(t, engine, 60, 16)
	g.wantSeen("you  with old.txt", "Attached to the next message: notes.txt")
	g.write("read it")
	g.press("enter")
	g.wantSeen("you  with notes.txt")
	g.wantUnseen("Attached to the next")
}

func TestCtrlCStopsAnAnswerAndTwiceQuits(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1]}
	g := newStage(t, engine, 60, 16)
	engine.do = func(ctx context.Context, line string, tell func(chat.Event)) error {
		tell(chat.Asked{Turn: 1, Text: line, To: []string{"gemini"}})
		g.write("next")
		g.press("enter")
		g.wantSeen("An answer is under way")
		g.wantInput("next")
		g.press("ctrl+c")
		if ctx.Err() == nil {
			t.Error("the answer goes on")
		}
		tell(chat.Failed{Participant: "gemini", Err: ctx.Err()})
		return nil
	}
	g.write("hello")
	g.press("enter")
	if g.quit {
		t.Error("one Ctrl+C quits")
	}
	g.pass()
	g.press("ctrl+c")
	if g.quit {
		t.Error("a Ctrl+C long after the first one quits")
	}
	g.wantSeen("Ctrl+C once more quits")
	g.press("ctrl+c")
	if !g.quit {
		t.Error("two Ctrl+C do not quit")
	}
}

func TestQuitAndTheEndOfInputEnd(t *testing.T) {
	t.Parallel()
	g := newStage(t, &played{do: func(context.Context, string, func(chat.Event)) error { return chat.ErrQuit }}, 60, 16)
	g.write("/quit")
	g.press("enter")
	if !g.quit {
		t.Error("/quit does not quit")
	}
	g = newStage(t, &played{}, 60, 16)
	g.write("a")
	g.press("ctrl+d")
	if g.quit {
		t.Error("Ctrl+D quits although something is typed")
	}
	g.press("backspace", "ctrl+d")
	if !g.quit {
		t.Error("Ctrl+D does not quit")
	}
}

func TestLookingBackStaysInPlaceWhileAnAnswerGrows(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1]}
	for i := range 40 {
		engine.turns = append(engine.turns, chat.Turn{Question: fmt.Sprintf("question %d.", i), Replies: []chat.Reply{{Participant: "gemini", Text: "yes"}}})
	}
	g := newStage(t, engine, 60, 20)
	g.wantSeen("question 39.")
	g.press("pgup", "pgup")
	before := strings.Split(g.seen(), "\n")[:10]
	g.send(eventMsg{chat.Said{Participant: "gemini", Text: strings.Repeat("line\n\n", 20)}})
	g.pass()
	if diff := cmp.Diff(before, strings.Split(g.seen(), "\n")[:10]); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	g.wantSeen("Looking back")
	g.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	g.press("ctrl+home")
	g.wantSeen("question 0.")
	g.press("esc")
	g.wantSeen("line")
	g.wantUnseen("Looking back")
}

func TestEscapeSequencesAreShownAndNeverSent(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[31m\x1b]0;owned\x07\u009b2J\rb"
	engine := &played{participants: []chat.Participant{{Name: evil, Model: evil}}, attached: []string{evil}}
	engine.gauges = []chat.Gauge{calm(evil)}
	engine.turns = []chat.Turn{{Question: evil, To: []string{evil}, Replies: []chat.Reply{{Participant: evil, Text: evil, Failure: evil}}}}
	g := newStage(t, engine, 200, 60)
	for _, e := range []chat.Event{
		chat.Asked{Text: evil, To: []string{evil}},
		chat.Said{Participant: evil, Text: evil},
		chat.Called{Participant: evil, Tool: evil, Arguments: evil},
		chat.Failed{Participant: evil, Err: &plimsoll.Error{Op: evil, Hint: evil, Err: errors.New(evil)}},
		chat.Notice{Kind: chat.NoticeText, Text: evil},
		chat.Notice{Kind: chat.NoticeWarning, Participant: evil, Text: evil},
		chat.Answered{Participant: evil, Text: evil},
		chat.Ended{},
	} {
		g.send(eventMsg{e})
		g.pass()
		g.wantSeen("[31m")
	}
	g.write("@")
	g.press("tab", "tab")
	g.wantSeen("[31m")
	g.send(tea.PasteMsg{Content: evil})
	g.wantSeen("[31m")
	g.send(confirmMsg{ask: chat.Confirmation{Participant: evil, Tool: evil, Action: evil}, reply: make(chan bool, 1), ctx: t.Context()})
	g.wantSeen("wants to")
}

func TestBothBackgroundsAreDrawnInTheirColours(t *testing.T) {
	t.Parallel()
	engine := &played{participants: two()[:1], turns: []chat.Turn{{Question: "a", Replies: []chat.Reply{{Participant: "gemini", Text: "`b`"}}}}}
	g := newStage(t, engine, 60, 16)
	dark := g.screen.View().Content
	g.send(tea.BackgroundColorMsg{Color: color.White})
	light := g.screen.View().Content
	if dark == light {
		t.Error("a light background changes nothing")
	}
	if ansi.Strip(dark) != ansi.Strip(light) {
		t.Errorf("a light background changes the text:\n%s", ansi.Strip(light))
	}
}
