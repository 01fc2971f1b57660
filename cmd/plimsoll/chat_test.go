package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestTheDocumentOfTheChatNamesEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "chat.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range chat.Commands() {
		names = append(names, "`/"+c.Name)
	}
	flags := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z]+)`)
	help, err := exec.Command("plimsoll", "chat", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range flags.FindAllStringSubmatch(string(help), -1) {
		if !slices.Contains([]string{"--help", "--config", "--color", "--version"}, found[1]) { // those of every command
			names = append(names, found[1])
		}
	}
	if len(names) < len(chat.Commands())+10 {
		t.Fatalf("too few flags were found: %q", names)
	}
	for _, name := range names {
		if !strings.Contains(string(text), name) {
			t.Errorf("docs/chat.md does not name %s", name)
		}
	}
}

// TestAChatThatIsKilledGoesOn kills the program in the middle of an answer, with a
// signal that it cannot see.
func TestAChatThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(scripted.New(&scripted.Options{Script: scripted.Steps(
		scripted.Say("The first answer."),
		scripted.Step{Text: strings.Repeat("ship ", 5000), Pace: time.Millisecond},
		scripted.Say("The whole answer."),
	)}))
	t.Cleanup(model.Close)
	where := filepath.Join(t.TempDir(), "store.db")
	talk := func(arguments ...string) *exec.Cmd {
		cmd := exec.Command("plimsoll", append([]string{"chat", "--store", where}, arguments...)...)
		cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "GORACE="+noSleep)
		return cmd
	}
	killed := talk("-m", "openai:gpt-4o@"+model.URL)
	in, err := killed.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	fmt.Fprintln(in, "The first question?")
	if first, err := lines.ReadString('\n'); err != nil || first != "The first answer.\n" {
		t.Fatalf("%q, %v", first, err)
	}
	fmt.Fprintln(in, "The second question?")
	fmt.Fprint(in, "A line that is not ended")
	// What was shown of the answer is more than is ever kept back from the disk.
	if _, err := io.CopyN(io.Discard, lines, 6000); err != nil {
		t.Fatal(err)
	}
	// Nobody else can have the session meanwhile, and hears who has it.
	refused, err := talk("--continue", "/context").CombinedOutput()
	if err == nil || !strings.Contains(string(refused), fmt.Sprintf("process %d has it open", killed.Process.Pid)) {
		t.Errorf("a second chat: %v\n%s", err, refused)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()

	shown, err := talk("--continue", "/context").CombinedOutput()
	text := string(shown)
	for _, want := range []string{"with 2 turns", "turn 1: The first question?", "turn 2: The second question?"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s%v", want, text, err)
		}
	}
	if again, err := talk("--continue", "/retry").Output(); err != nil || string(again) != "The whole answer.\n" {
		t.Errorf("/retry: %q, %v", again, err)
	}
}
