package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/chat"
)

// editor returns what opens a text in the user's editor; nil if there is none.
func (p *process) editor() func(context.Context, string) (string, error) {
	command := p.getenv("VISUAL")
	if command == "" {
		command = p.getenv("EDITOR")
	}
	if command == "" {
		return nil
	}
	return func(ctx context.Context, text string) (string, error) {
		// The engine knows its text again by the English introduction.
		intro, rest, _ := strings.Cut(text, "\n\n")
		said := p.lang.Say(intro)
		edited, err := p.edit(ctx, command, said+"\n\n"+rest)
		return strings.Replace(edited, said, intro, 1), err
	}
}

// edit lets the user change a text.
func (p *process) edit(ctx context.Context, command, text string) (edited string, err error) {
	dir, err := p.scratch()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "conversation.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	program := exec.CommandContext(ctx, "sh", "-c", command+` "$1"`, "sh", path)
	if runtime.GOOS == "windows" {
		program = exec.CommandContext(ctx, "cmd", "/C", command, path)
	}
	program.Env, program.Stdout, program.Stderr = p.environ, p.stdout, p.stderr
	if _, told := p.stderr.(warnings); told {
		program.Stderr = p.stdout // the editor has the screen
	}
	if isTerminal(p.stdin) {
		program.Stdin = p.stdin // else it is what the user says
	}
	if err := program.Run(); err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// attach puts the files of the flags with the first message.
func (c *chatCmd) attach(ctx context.Context, p *process, engine *chat.Engine) error {
	for _, name := range c.Attach {
		if name == "-" {
			engine.Attend(chat.Desk{Read: func(context.Context) (string, error) {
				data, err := io.ReadAll(p.stdin)
				return string(data), err
			}})
		}
		var told []chat.Event
		if err := engine.Do(ctx, "/attach "+name, func(e chat.Event) { told = append(told, e) }); err != nil {
			return &plimsoll.Error{Op: "--attach " + name, Err: err, Hint: plimsoll.HintOf(err)}
		}
	}
	return nil
}

func cleanLine(line string) string { return bar.Clean(strings.TrimRight(line, "\n")) }

// warnings takes what is printed to standard error while the screen is not ours.
type warnings struct{ engine *chat.Engine }

// Write tells each line.
func (w warnings) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		w.engine.Warn(strings.TrimPrefix(strings.TrimRight(line, "\n"), "plimsoll: "))
	}
	return len(text), nil
}
