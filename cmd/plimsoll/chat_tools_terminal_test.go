//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
)

// TestACommandIsAllowedInTheTerminal lets a model run the same command twice, of which
// the person allows the second.
func TestACommandIsAllowedInTheTerminal(t *testing.T) {
	t.Parallel()
	command := scripted.Use("run", `{"command":"echo ahoy >made.txt && echo done"}`)
	after := func(contains, text string) scripted.Step {
		return scripted.Step{On: scripted.On{End: scripted.EndTool, Contains: contains}, Text: text}
	}
	for _, mode := range []struct {
		name, question string
		start          func(*pane)
		no, yes        []string
	}{
		{"on the whole screen", "arrows choose", func(p *pane) { p.start("-m", "openai:gpt-4o@{model}", "--tools") }, []string{"Enter"}, []string{"Right", "Enter"}},
		{"line by line", "Allow it?", startPlain, []string{"Enter"}, []string{"y", "Enter"}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			first, second := command, command
			first.On, second.On = scripted.On{End: scripted.EndUser, Contains: "first"}, scripted.On{End: scripted.EndUser, Contains: "second"}
			p := openPane(t, &scripted.Options{Script: scripted.Steps(
				first, after("the user did not allow it", "As you wish."),
				second, after("exit status 0", "It is made."),
			)}, 100, 40)
			mode.start(p)
			made := filepath.Join(p.dir, "made.txt")
			p.say("the first time")
			p.wait(mode.question, "echo ahoy >made.txt && echo done")
			p.keys(mode.no...)
			p.wait("As you wish.")
			if _, err := os.Stat(made); err == nil {
				t.Error("it ran without being allowed")
			}
			p.say("the second time")
			p.until("asks again", func(string) bool { return p.wrote("the second time") })
			p.wait(mode.question)
			p.keys(mode.yes...)
			p.wait("It is made.")
			if text, err := os.ReadFile(made); err != nil || string(text) != "ahoy\n" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// startPlain starts a chat line by line.
func startPlain(p *pane) {
	p.t.Helper()
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		p.t.Fatal(err)
	}
	p.keys("-l", "cd "+quoted(p.dir)+"; clear; GORACE="+noSleep+" XDG_CONFIG_HOME=. "+quoted(program)+" chat --plain --store store.db --tools -m "+quoted("openai:gpt-4o@"+p.model)+"\n")
	p.until("is ready", func(seen string) bool { return strings.Contains("\n"+seen, "\n>") })
}
