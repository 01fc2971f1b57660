//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/scripted"
)

// pane is `plimsoll chat` in a terminal, which is tmux's.
type pane struct {
	t      *testing.T
	socket string
	dir    string
	model  string
	// environ is set for the chat.
	environ []string
}

// newPane starts a chat in a terminal of the given size. Arguments stand behind
// "plimsoll chat"; "{model}" in them is the address of the scripted model.
func newPane(t *testing.T, o *scripted.Options, width, height int, args ...string) *pane {
	t.Helper()
	p := openPane(t, o, width, height)
	p.start(args...)
	return p
}

// openPane opens a terminal and starts nothing in it.
func openPane(t *testing.T, o *scripted.Options, width, height int) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: there is no tmux, so the full-screen chat is not tested in a terminal")
	}
	server := httptest.NewServer(scripted.New(o))
	t.Cleanup(server.Close)
	// The directories of tests have names that are too long for a socket.
	sockets, err := os.MkdirTemp("", "pane")
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, dir: t.TempDir(), model: server.URL, socket: filepath.Join(sockets, "tmux")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", p.socket, "kill-server").Run()
		_ = os.RemoveAll(sockets)
	})
	// A shell keeps the terminal open when the chat ends, whichever way.
	p.tmux("-f", os.DevNull, "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "env", "PS1=$ ", "LC_ALL=C.UTF-8", "sh")
	return p
}

// start runs the chat from the terminal's shell.
func (p *pane) start(args ...string) {
	p.t.Helper()
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		p.t.Fatal(err)
	}
	line := []string{
		"cd", quoted(p.dir), "&& echo $$ >pid && exec env GORACE=" + noSleep, "XDG_CONFIG_HOME=" + quoted(p.dir), strings.Join(p.environ, " "),
		quoted(program), "chat", "--store", quoted(filepath.Join(p.dir, "store.db")),
	}
	for _, a := range args {
		line = append(line, quoted(strings.ReplaceAll(a, "{model}", p.model)))
	}
	script := filepath.Join(p.dir, "chat.sh")
	if err := os.WriteFile(script, []byte(strings.Join(line, " ")+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.keys("-l", "clear; sh "+quoted(script)+"; echo ended $?\n")
	p.wait("@all")
}

// idle waits for the end of what is under way.
func (p *pane) idle() {
	p.t.Helper()
	p.until("is idle", func(seen string) bool {
		return (strings.Contains(seen, "> Message") || strings.Contains(seen, "> メッセージ")) && !strings.Contains(seen, "… Ctrl+C")
	})
}

// wrote reports whether a text is in the sessions on disk.
func (p *pane) wrote(text string) bool {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "store.chats", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// signal sends a signal to the chat.
func (p *pane) signal(signal syscall.Signal) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(pid, signal); err != nil {
		p.t.Fatal(err)
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", p.socket}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys sends keys by tmux's names, or texts behind "-l".
func (p *pane) keys(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

// paste does what a terminal does when something is pasted.
func (p *pane) paste(text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, "paste")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.tmux("load-buffer", path)
	p.tmux("paste-buffer", "-p")
}

// say types a line and sends it.
func (p *pane) say(text string) {
	p.t.Helper()
	p.keys("-l", text)
	p.wait(text[:min(len(text), 10)])
	p.keys("Enter")
}

func (p *pane) seen() string { return p.tmux("capture-pane", "-p") }

// wait looks at the terminal until all texts are there.
func (p *pane) wait(texts ...string) string {
	p.t.Helper()
	return p.until(fmt.Sprintf("shows %q", texts), func(seen string) bool {
		for _, text := range texts {
			if !strings.Contains(seen, text) {
				return false
			}
		}
		return true
	})
}

func (p *pane) until(what string, holds func(seen string) bool) string {
	p.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		seen := p.seen()
		if holds(seen) {
			return seen
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the terminal never %s:\n%s", what, seen)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

const marks = `
- **TF** is the line in tropical fresh water, where a ship lies deepest.
- **S** is the line of summer, from which the others are measured: a quarter of an inch for each foot of draught.
- **WNA** is the line of winter in the North Atlantic, for ships of up to 100 metres.
`

const loadLine = `A **load line** is the mark on a hull up to which a ship may be loaded.

1. *Samuel Plimsoll* fought for it.
2. Since **1876** it is law; see ` + "`Merchant Shipping Act`" + `.

| mark | water |
| --- | --- |
| TF | tropical fresh |
| S | summer |

満載喫水線は、船に積める荷物の限度を示す線です。
`

// twoModels answer in Markdown, each as itself, and a little slowly.
func twoModels(c *scripted.Call) (scripted.Step, bool) {
	if c.End() != scripted.EndUser {
		return scripted.Step{}, false
	}
	step := scripted.Say(loadLine)
	if c.Conversation.Model == "claude-sonnet-4-5" {
		step = scripted.Say("It is painted on the hull, as openai would say.")
	}
	step.Pace = 2 * time.Millisecond
	return step, true
}

func TestS01_TheTerminalShowsTheAnswersOfAll(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: twoModels}, 100, 34, "-m", "openai:gpt-4o@{model}", "-m", "anthropic:claude-sonnet-4-5@{model}")
	p.wait("openai", "anthropic", "exact", "estimated")
	p.keys("-l", "@a")
	p.keys("Tab")
	p.wait("> @all")
	p.keys("-l", "What is a load line? 喫水線とは")
	p.wait("> @all What is a load line? 喫水線とは")
	p.keys("Enter")
	p.wait("you → openai, anthropic", "A load line is the mark", "1. Samuel Plimsoll", "満載喫水線は", "It is painted on the hull")
	p.until("ends both answers", func(seen string) bool { return strings.Count(seen, " out\n") == 2 })
	p.shot("chat-all", false)
	p.say("/quit")
	p.wait("ended 0", "goes on with this conversation")
}

func TestALightTerminalHasDarkColours(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{Script: twoModels}, 80, 24)
	p.tmux("set-option", "-g", "window-style", "fg=#000000,bg=#ffffff")
	p.start("-m", "openai:gpt-4o@{model}")
	p.say("What is a load line?")
	p.wait("限度を示す線です。", " out\n")
	const darkGreen = "38;5;28m"
	if colours := p.tmux("capture-pane", "-p", "-e"); !strings.Contains(colours, darkGreen+"you") {
		t.Errorf("the colours are not those of a light background:\n%q", colours)
	}
	p.shot("chat-light", true)
}

func TestTheTerminalIsResizedWithoutLoss(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: twoModels}, 100, 30, "-m", "openai:gpt-4o@{model}")
	p.say("hello")
	p.wait("限度を示す線です。", " out\n")
	p.keys("-l", "half a line")
	p.tmux("resize-window", "-x", "40", "-y", "20")
	seen := p.until("is narrow", func(seen string) bool {
		return strings.Contains(seen, "> half a line") && strings.Contains(seen, "summer") && !strings.Contains(seen, strings.Repeat("─", 41))
	})
	for line := range strings.Lines(seen) {
		if len([]rune(line)) > 41 {
			t.Errorf("a line is wider than the terminal: %q", line)
		}
	}
	p.keys("PageUp")
	p.wait("Looking back", "A load line is the mark")
	p.tmux("resize-window", "-x", "120", "-y", "40")
	p.wait("you", "hello", "> half a line", "A load line is the mark on a hull up to which")
}

func TestPastesAndLinesAreTypedInTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		text := c.Text()
		return scripted.Say(fmt.Sprintf("You sent %d lines and %d tabs.", strings.Count(text, "\n")+1, strings.Count(text, "\t"))), true
	}}, 80, 24, "-m", "openai:gpt-4o@{model}")
	p.paste("one\ntwo")
	p.wait("> one\n  two")
	p.keys("M-Enter")
	p.keys("-l", "three")
	p.keys("C-j")
	p.keys("-l", "four")
	p.wait("> one\n  two\n  three\n  four")
	p.keys("Enter")
	p.wait("You sent 4 lines and 0 tabs.")
	p.paste(strings.Repeat("a\tb\n", 500))
	p.wait("[pasted 1: 500 lines]")
	p.keys("Enter")
	p.wait("You sent 500 lines and 500 tabs.")
	p.keys("Up")
	p.wait("> [pasted 1: 500 lines]")
	p.keys("Up")
	p.wait("> one\n  two\n  three\n  four")
}

func TestF05_WhatTheTerminalRefusesStaysInTheInput(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: twoModels}, 90, 24, "-m", "openai:gpt-4o@{model}", "--limit", "300")
	p.paste(strings.Repeat("cargo ", 330))
	p.wait("cargo cargo")
	p.keys("Enter")
	p.wait("✗ not sent to openai", "337 tokens", "300 tokens", "/limit")
	p.shot("chat-refused", false)
	if seen := p.seen(); !strings.Contains(seen, "  cargo cargo") || strings.Contains(seen, "you\n") {
		t.Errorf("what was typed is gone, or was sent:\n%s", seen)
	}
	p.keys("C-c")
	p.wait("once more quits")
	p.keys("C-c")
	p.wait("ended 0")
}

func TestS07_TheTerminalSaysWhatWillGo(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		return scripted.Say("The marks of a load line:\n" + marks), c.End() == scripted.EndUser
	}}, 100, 30, "-m", "openai:gpt-4o@{model}", "-m", "anthropic:claude-sonnet-4-5@{model}", "--window", "900", "--method", "window")
	for i := range 12 {
		p.say(fmt.Sprintf("@all Tell me about mark %d", i))
		p.idle()
		if strings.Contains(p.seen(), "will go") {
			p.wait("!", "→")
			p.shot("chat-going", false)
			return
		}
	}
	t.Errorf("nothing was said to go:\n%s", p.seen())
}

func TestG15_CompressIsToldInTheTerminal(t *testing.T) {
	t.Parallel()
	var answers atomic.Int64
	p := newPane(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		return scripted.Say(fmt.Sprintf("Answer %d.%s", answers.Add(1), strings.Repeat(marks, 2))), c.End() == scripted.EndUser
	}}, 100, 30, "-m", "openai:gpt-4o@{model}", "--window", "2000")
	for i := range 9 {
		p.say(fmt.Sprintf("question %d", i))
		p.wait(fmt.Sprintf("Answer %d.", i+1), " out\n")
		p.idle()
	}
	p.wait("75 %! exact")
	p.keys("-l", "/comp")
	p.wait("Replace old turns by a summary", "> /comp\n")
	p.shot("chat-soft", false)
	p.keys("Tab")
	p.wait("> /compress")
	p.keys("Enter")
	p.wait("→", "tokens")
	p.idle()
	if strings.Contains(p.seen(), "%!") {
		t.Errorf("the gauge is over its mark after a compaction:\n%s", p.seen())
	}
	p.shot("chat-compress", false)
	p.say("/undo")
	p.until("takes it back", func(seen string) bool {
		return strings.Contains(seen, "> /undo") && !strings.Contains(seen, "Ctrl+C stops")
	})
}

func TestAChatGoesOnAfterItWasKilled(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	p := newPane(t, &scripted.Options{Script: func(*scripted.Call) (scripted.Step, bool) {
		step := scripted.Say("The first answer is whole.")
		if asked.Add(1) == 2 {
			step = scripted.Say("The second answer" + strings.Repeat(" goes on and on", 200))
			step.Pace = 20 * time.Millisecond
		}
		return step, true
	}}, 90, 60, "-m", "openai:gpt-4o@{model}")
	p.say("remember the albatross")
	p.wait("The first answer is whole.", " out\n")
	p.say("and the second one")
	p.wait("The second answer", "goes on")
	p.until("goes on until a piece is written down", func(string) bool { return p.wrote("goes on") })
	p.keys("-l", "this line is lost")
	p.wait("> this line is lost")
	p.signal(syscall.SIGKILL)
	p.wait("ended 137")
	p.keys("-l", "reset\n")
	p.start("--continue")
	p.wait("remember the albatross", "The first answer is whole.", "and the second one", "The second answer")
	p.say("a third one")
	p.wait("a third one")
	p.until("answers", func(seen string) bool { return strings.Contains(seen, " out\n") })
}

func TestCtrlCStopsAnAnswerInTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: func(*scripted.Call) (scripted.Step, bool) {
		step := scripted.Say("It goes" + strings.Repeat(" on and on", 500))
		step.Pace = 20 * time.Millisecond
		return step, true
	}}, 90, 24, "-m", "openai:gpt-4o@{model}")
	p.say("hello")
	p.wait("on and on", "Ctrl+C stops")
	p.keys("C-c")
	p.wait("not whole")
	p.until("is idle", func(seen string) bool { return !strings.Contains(seen, "Ctrl+C") })
	p.keys("C-d")
	p.wait("ended 0")
}

func TestF10_EditShortensTheConversationInTheEditor(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{Script: twoModels}, 90, 40)
	p.environ = []string{"EDITOR=" + quoted("sed -i s/albatross/bird/")}
	p.start("-m", "openai:gpt-4o@{model}")
	p.say("remember the albatross")
	p.wait("限度を示す線です。", " out\n")
	p.idle()
	p.say("/edit")
	p.wait("> /edit")
	p.idle()
	p.keys("C-d")
	p.wait("ended 0")
	p.start("--continue")
	p.wait("remember the bird", "限度を示す線です。")
}

func TestNoColorMeansNoColours(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{Script: twoModels}, 90, 30)
	p.environ = []string{"NO_COLOR=1"}
	p.start("-m", "openai:gpt-4o@{model}")
	p.say("hello")
	p.wait("限度を示す線です。", " out\n")
	if drawn := p.tmux("capture-pane", "-p", "-e"); strings.Contains(drawn, "[38;") || strings.Contains(drawn, ";38;") {
		t.Errorf("there are colours:\n%q", drawn)
	}
}

func TestTheTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: twoModels}, 90, 24, "-m", "openai:gpt-4o@{model}")
	p.say("hello")
	p.wait("限度を示す線です。", " out\n")
	p.keys("-l", "half a line")
	p.wait("> half a line")
	p.signal(syscall.SIGTERM)
	p.wait("ended 0", "goes on with this conversation")
	if modes := p.tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); modes != "0 0 1\n" {
		t.Errorf("alternate screen, mouse and cursor are %q", modes)
	}
}

func TestF09_AnInvalidLimitIsToldInTheTerminal(t *testing.T) {
	t.Parallel()
	p := openPane(t, &scripted.Options{Script: twoModels}, 100, 24)
	p.environ = []string{"DEFAULT_MAX_CONTEXT_LENGTH=plenty"}
	p.start("-m", "openai:gpt-4o@{model}")
	p.wait("! ", "DEFAULT_MAX_CONTEXT_LENGTH", "plenty")
}
