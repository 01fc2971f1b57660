package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll"
)

// editMsg asks for the person's editor; the terminal is the editor's meanwhile.
type editMsg struct {
	edit  aside
	reply chan<- error
}

// aside is work that needs the terminal for itself.
type aside func() error

var _ tea.ExecCommand = aside(nil)

// Run does the work.
func (a aside) Run() error { return a() }

// SetStdin, SetStdout and SetStderr are not needed: the desk knows the terminal.
func (aside) SetStdin(io.Reader)  {}
func (aside) SetStdout(io.Writer) {}
func (aside) SetStderr(io.Writer) {}

// readMsg asks for text beside the conversation.
type readMsg struct{ reply chan<- reading }

// reading is what the person gave, or that there is nothing.
type reading struct {
	text string
	err  error
}

var errNothingGiven = errors.New("nothing was given")

// edit lets the person change a text in an editor. It is called by the engine.
func (s *screen) edit(ctx context.Context, text string) (string, error) {
	if s.options.Edit == nil {
		return "", &plimsoll.Error{Op: "edit", Code: plimsoll.CodeUnavailable, Err: errors.New("there is no editor"), Hint: "set EDITOR"}
	}
	edited := ""
	reply := make(chan error, 1)
	s.send(editMsg{func() (err error) {
		edited, err = s.options.Edit(ctx, text)
		return err
	}, reply})
	select {
	case err := <-reply:
		if err != nil {
			return "", &plimsoll.Error{Op: "edit", Err: fmt.Errorf("the editor failed: %w", err), Hint: "set EDITOR to one that works; nothing was changed"}
		}
		return edited, nil
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	}
}

// runEditor gives the terminal to the editor.
func runEditor(m editMsg) tea.Cmd {
	return tea.Exec(m.edit, func(err error) tea.Msg {
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
