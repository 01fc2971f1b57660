package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll"
)

// editMsg asks for an editor; the screen is the editor's meanwhile.
type editMsg struct {
	command *exec.Cmd
	reply   chan<- error
}

// readMsg asks for text beside the conversation.
type readMsg struct{ reply chan<- reading }

// reading is what the person gave, or that there is nothing.
type reading struct {
	text string
	err  error
}

var errNothingGiven = errors.New("nothing was given")

// edit opens the person's editor on a text. It is called by the engine.
func (s *screen) edit(ctx context.Context, text string) (string, error) {
	if s.options.Editor == nil {
		return "", &plimsoll.Error{Op: "edit", Code: plimsoll.CodeUnavailable, Err: errors.New("there is no editor"), Hint: "set EDITOR"}
	}
	dir, err := os.MkdirTemp("", "plimsoll-edit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "conversation.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	reply := make(chan error, 1)
	s.send(editMsg{s.options.Editor(path), reply})
	select {
	case err = <-reply:
	case <-s.ctx.Done():
		err = s.ctx.Err()
	}
	if err != nil {
		return "", &plimsoll.Error{Op: "edit", Err: fmt.Errorf("the editor failed: %w", err), Hint: "set EDITOR to one that works; nothing was changed"}
	}
	edited, err := os.ReadFile(path)
	return string(edited), err
}

// runEditor gives the terminal to the editor.
func runEditor(m editMsg) tea.Cmd {
	return tea.ExecProcess(m.command, func(err error) tea.Msg {
		m.reply <- err
		return nil
	})
}

// read asks for text that is pasted or typed. It is called by the engine.
func (s *screen) read(ctx context.Context) (string, error) {
	reply := make(chan reading, 1)
	s.send(readMsg{reply})
	select {
	case r := <-reply:
		return r.text, r.err
	case <-ctx.Done():
		s.send(readMsg{})
		return "", ctx.Err()
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	}
}
