package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/lang"
)

// process is what a command may touch of the world outside, so that tests can
// run it without one.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	// lang is the language of what people read.
	lang lang.Printer
	// out buffers stdout while a command runs.
	out *bufio.Writer
}

// run runs the command line and returns the exit status: 0 for success, 1 for a
// failure, 2 for what the user can correct, 3 for a conversation that does not
// fit. Errors with a status of their own have that.
func run(p *process) int {
	p.out = bufio.NewWriter(p.stdout)
	p.lang = p.language()
	err := p.dispatch()
	if failed := p.out.Flush(); failed != nil {
		err = outputError(err, failed)
	}
	return p.complain(err)
}

// outputError adds what went wrong with writing, once. It is no error that
// the reader of the output has seen enough, as head does.
func outputError(err, failed error) error {
	if errors.Is(err, failed) {
		err = nil
	}
	if errors.Is(failed, syscall.EPIPE) || errors.Is(failed, io.ErrClosedPipe) {
		return err
	}
	return also(err, &plimsoll.Error{Op: "write the output", Err: failed})
}

// failures are the errors of several inputs, each reported by itself.
type failures []error

func (f failures) Error() string { return errors.Join(f...).Error() }

func (f failures) Unwrap() []error { return f }

// also adds an error to what has failed so far.
func also(err, more error) error {
	var all failures
	if !errors.As(err, &all) && err != nil {
		all = failures{err}
	}
	return append(all, more)
}

// complain prints the errors with their hints and returns the exit status, that
// of the first one. Errors quote names and content that others wrote.
func (p *process) complain(err error) int {
	if err == nil {
		return 0
	}
	all := failures{err}
	errors.As(err, &all)
	for _, e := range all {
		var said interface{ silent() bool }
		if errors.As(e, &said) && said.silent() {
			continue
		}
		p.warn(e)
		if hint := plimsoll.HintOf(e); hint != "" {
			fmt.Fprintf(p.stderr, "%s: %s\n", p.lang.Say("hint"), p.lang.List(bar.Clean(hint)))
		}
	}
	var own interface{ exitStatus() int }
	if errors.As(all[0], &own) {
		return own.exitStatus()
	}
	return plimsoll.CodeOf(all[0]).ExitStatus()
}

// warn prints one line to standard error.
func (p *process) warn(what any) {
	fmt.Fprintf(p.stderr, "plimsoll: %s\n", bar.Clean(p.lang.Error(fmt.Sprint(what))))
}

// say prints a line that people read.
func (p *process) say(format string, arguments ...any) {
	fmt.Fprintln(p.out, p.lang.Error(fmt.Sprintf(format, arguments...)))
}

// language is that of --lang, or of the locale where that can show it. It is read
// before the command line is, whose errors are in it.
func (p *process) language() lang.Printer {
	for i, argument := range p.args {
		name, value, given := strings.Cut(argument, "=")
		switch {
		case argument == "--":
			return p.locale()
		case name == "--lang" && !given && i+1 < len(p.args):
			return lang.Locale(p.args[i+1])
		case name == "--lang":
			return lang.Locale(value)
		}
	}
	return p.locale()
}

// locale reads the environment as a C library does: the first that is set decides.
func (p *process) locale() lang.Printer {
	name := cmp.Or(p.getenv("LC_ALL"), p.getenv("LC_MESSAGES"), p.getenv("LANG"))
	if !p.speaksUTF8() {
		return lang.Printer{}
	}
	return lang.Locale(name)
}

// getenv returns a variable as os.Getenv does; of several settings the last one
// counts.
func (p *process) getenv(name string) string {
	for _, setting := range slices.Backward(p.environ) {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}
