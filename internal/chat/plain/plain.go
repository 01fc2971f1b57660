// Package plain is a chat line by line: for pipes and scripts, for terminals that can do
// nothing else, and for users who prefer it. Answers and what commands show go to the
// output, remarks beside the conversation to another stream, so that a program can read
// the one without the other.
//
// A line is a message or a command. Lines between two lines of three quotes are one
// message.
//
// The package shows what package chat tells and decides nothing.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/lang"
)

// Options say how the chat looks.
type Options struct {
	// Prompt is shown before each line that is read; empty for none.
	Prompt string
	// Edit opens an editor for /edit; nil means that there is none.
	Edit func(ctx context.Context, text string) (string, error)
	// Lang is the language of remarks; the zero value is English.
	Lang lang.Printer
	// Line, if not empty, is the only line that is worked on; nothing is read.
	Line string
}

// Run reads lines until there are no more, the user quits or the context ends. Lines
// that fail are reported and the next one is read; the error at the end is that of the
// first one, as a [ReportedError].
func Run(ctx context.Context, e *chat.Engine, in io.Reader, out, remarks io.Writer, o *Options) error {
	s := &session{engine: e, out: out, remarks: remarks}
	if o != nil {
		s.options = *o
	}
	s.lines = newLines(in)
	e.Attend(chat.Desk{Edit: s.options.Edit, Read: s.paste, Confirm: s.confirm})
	e.Greet(s.tell)
	if s.options.Line != "" {
		s.do(ctx, s.options.Line)
		return s.failed
	}
	for {
		line, err := s.read(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return s.failed
		}
		if err != nil {
			return &plimsoll.Error{Op: "read the input", Err: err}
		}
		if quit := s.do(ctx, line); quit {
			return s.failed
		}
	}
}

type session struct {
	engine       *chat.Engine
	out, remarks io.Writer
	options      Options
	lines        *lines
	// failed is the first failure.
	failed error
	// voices are those who speak, in the order in which they are shown.
	voices []*voice
}

// quotes stand alone on the lines before and behind a message of several lines.
const quotes = `"""`

// read reads a line, or several between quotes.
func (s *session) read(ctx context.Context) (string, error) {
	if s.options.Prompt != "" {
		fmt.Fprint(s.remarks, s.options.Prompt)
	}
	line, err := s.lines.next(ctx)
	if err != nil || strings.TrimSpace(line) != quotes {
		return line, err
	}
	text, err := s.until(ctx, quotes)
	if errors.Is(err, io.EOF) {
		err = &plimsoll.Error{Op: "read the message", Code: plimsoll.CodeInvalid, Err: errors.New("the closing quotes are missing"), Hint: "end it with a line of three quotes"}
	}
	return text, err
}

// until reads lines up to one that is the mark.
func (s *session) until(ctx context.Context, mark string) (string, error) {
	var all []string
	for {
		line, err := s.lines.next(ctx)
		if err != nil {
			return strings.Join(all, "\n"), err
		}
		if strings.TrimSpace(line) == mark {
			return strings.Join(all, "\n"), nil
		}
		all = append(all, line)
	}
}

// paste reads lines up to one with a single dot, or to the end.
func (s *session) paste(ctx context.Context) (string, error) {
	text, err := s.until(ctx, ".")
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return text, err
}

// confirm asks a question that the next line answers. What is no yes is a no.
func (s *session) confirm(ctx context.Context, c chat.Confirmation) bool {
	s.remark(fmt.Sprintf("%s wants to use %s: %s", bar.Clean(c.Participant), bar.Clean(c.Tool), bar.Clean(c.Action)) + "\n")
	s.remark("Allow it? [y/N] ")
	line, err := s.lines.next(ctx)
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes")
}

// remark says something beside the conversation.
func (s *session) remark(text string) { fmt.Fprint(s.remarks, s.options.Lang.Say(text)) }

// do works on a line, and reports whether it was the last one.
func (s *session) do(ctx context.Context, line string) (quit bool) {
	err := s.engine.Do(ctx, line, s.tell)
	if errors.Is(err, chat.ErrQuit) {
		return true
	}
	if err != nil {
		s.report(err)
	}
	return false
}

// report shows a failure, each of several by itself.
func (s *session) report(err error) {
	if s.failed == nil {
		s.failed = &ReportedError{err}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			s.report(e)
		}
		return
	}
	fmt.Fprintf(s.remarks, "! %s\n", bar.Clean(s.options.Lang.Error(err.Error())))
	if hint := plimsoll.HintOf(err); hint != "" {
		fmt.Fprintf(s.remarks, "  %s\n", bar.Clean(s.options.Lang.List(hint)))
	}
}

// ReportedError is a failure that the person has read already.
type ReportedError struct{ Err error }

// Error says what failed.
func (e *ReportedError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *ReportedError) Unwrap() error { return e.Err }

// lines hands out lines of a stream, which may block without end, until a context ends.
type lines struct {
	in   *bufio.Reader
	want chan struct{}
	got  chan line
}

type line struct {
	text string
	err  error
}

func newLines(in io.Reader) *lines {
	l := &lines{in: bufio.NewReader(in), want: make(chan struct{}), got: make(chan line, 1)}
	go func() {
		for range l.want {
			text, err := l.in.ReadString('\n')
			if text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			l.got <- line{strings.TrimRight(text, "\r\n"), err}
		}
	}()
	return l
}

// next returns the next line, without its end.
func (l *lines) next(ctx context.Context) (string, error) {
	select {
	case l.want <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case got := <-l.got:
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
