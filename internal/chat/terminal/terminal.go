// Package terminal is the full-screen mode of the chat: what was said, an input of
// several lines, and a gauge for each model, always in sight. It exists so that a
// person sees how near a conversation is to its load line while it goes on. It only
// shows what the engine tells and hands lines to it; it knows no requests, no stores
// and no flags. Whatever models and tools say is shown as text: none of it can reach
// the terminal as a command.
package terminal

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/lang"
)

// Engine is the conversation that is shown. [chat.Engine] is one.
type Engine interface {
	Attend(chat.Desk)
	Greet(tell func(chat.Event))
	Do(ctx context.Context, line string, tell func(chat.Event)) error
	Participants() []chat.Participant
	Turns() []chat.Turn
	Gauges() []chat.Gauge
	Attached() []string
}

var _ Engine = (*chat.Engine)(nil)

// Options configure [Run].
type Options struct {
	// Edit opens a text in the person's editor and returns what became of it. It has
	// the terminal for itself. Nil means that there is no editor.
	Edit func(ctx context.Context, text string) (string, error)
	// Dir is where names of files are completed; empty means the working directory.
	Dir string
	// Sessions returns the names of the sessions, for completion; nil means none.
	Sessions func() []string
	// Lang is the language of what the chat itself says; the zero value is English.
	Lang lang.Printer
	// Environment says what the terminal is; nil means that of the process.
	Environment []string
	// Width and Height of the screen until the terminal says better; 0 means unknown.
	Width, Height int
}

// Run shows a conversation until the person ends it or the context does, which is how
// signals are to reach it. What is under way then is cancelled and waited for.
func Run(ctx context.Context, engine Engine, in io.Reader, out io.Writer, o *Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o == nil {
		o = &Options{}
	}
	s := newScreen(ctx, engine, o)
	program := tea.NewProgram(s, programOptions(ctx, in, out, o)...)
	s.send = program.Send
	engine.Attend(chat.Desk{Confirm: s.confirm, Edit: s.edit, Read: s.read})
	_, err := program.Run()
	stopped := ctx.Err() != nil
	cancel()
	s.lines.Wait()
	engine.Attend(chat.Desk{})
	if stopped && errors.Is(err, tea.ErrProgramKilled) {
		return nil
	}
	return err
}

func programOptions(ctx context.Context, in io.Reader, out io.Writer, o *Options) []tea.ProgramOption {
	// Signals are the caller's, who ends the context: two who hear them wait for each
	// other.
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()}
	if o.Environment != nil {
		options = append(options, tea.WithEnvironment(o.Environment))
	}
	if o.Width > 0 && o.Height > 0 {
		options = append(options, tea.WithWindowSize(o.Width, o.Height))
	}
	return options
}

// The messages of our own that the screen gets beside those of the terminal.
type (
	// eventMsg is something that the engine told.
	eventMsg struct{ event chat.Event }
	// doneMsg says that a line is over; err, if not nil, that it was not taken.
	doneMsg struct {
		line string
		err  error
	}
	// frameMsg says that it is time to draw what came in of an answer.
	frameMsg struct{}
	// disarmMsg says that the second Ctrl+C did not come in time.
	disarmMsg struct{ since int }
)

// job is the line that is being worked on.
type job struct {
	cancel    context.CancelFunc
	cancelled bool
}

// start hands a line to the engine.
func (s *screen) start(line string) tea.Cmd {
	ctx, cancel := context.WithCancel(s.ctx)
	s.job = &job{cancel: cancel}
	s.lines.Add(1)
	return func() tea.Msg {
		defer s.lines.Done()
		defer cancel()
		return doneMsg{line, s.engine.Do(ctx, line, s.tell)}
	}
}

func (s *screen) tell(e chat.Event) { s.send(eventMsg{e}) }
