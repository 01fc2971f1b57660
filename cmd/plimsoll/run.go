package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll"
)

// runCmd runs a program with the proxy between it and its models.
type runCmd struct {
	serveFlags
	Quiet   bool     `short:"q" help:"Print no summary at the end."`
	Command []string `arg:"" passthrough:"" placeholder:"COMMAND" help:"The program with its arguments."`
}

// Help is the long help text.
func (*runCmd) Help() string {
	return `Starts the proxy on a free port, sets the variables from which clients read their base URL, and runs a program. At the end it prints on standard error what the proxy did. Standard input, output and error are the program's own; its exit status is the exit status.

If such a variable is set already, the proxy sends requests to the server that it names; flags win over it.

It sets ` + strings.Join(variableNames(), ", ") + `, and PLIMSOLL_URL. Codex, which reads none of them, gets an argument instead. docs/demo.md says which client reads which.

The exit status is 127 if there is no such program, and 126 if it cannot be run.

Examples:

    plimsoll run -- claude -p "What does this project do?"
    plimsoll run --window 45000 -- codex exec "Find the largest function."
    plimsoll run --openai http://127.0.0.1:11434/v1 -- python agent.py`
}

// Run runs the program.
func (c *runCmd) Run(p *process, root *cli) error {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return &plimsoll.Error{Op: "run", Code: plimsoll.CodeInvalid, Err: errors.New("no program is named"), Hint: `write it behind two dashes: plimsoll run -- claude -p "hello"`}
	}
	path, err := p.lookPath(command[0])
	if err != nil {
		return err
	}
	route := newRoute(p, c.serveFlags)
	for _, warning := range route.warnings {
		p.warn(warning)
	}
	flags := route.flags.flags()
	settings, err := p.settings(root, flags)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	sum := &runSum{}
	s, err := p.newServing(ctx, settings, servingOptions{root: root, flags: flags, observe: sum.observe, private: true})
	if err != nil {
		return err
	}
	listener, err := listenOn(ctx, "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, s.close())
	}
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, listener, nil) }()
	status := p.runProgram(path, command, route, listener.Addr())
	stop()
	err = errors.Join(<-served, s.close())
	if !c.Quiet {
		sum.show(p, s.keepers.total())
	}
	if err != nil {
		p.warn(err) // the program has done its work, and its status counts
	}
	return status
}

// lookPath finds a program as a shell does, with its exit status where there is none.
func (p *process) lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil || errors.Is(err, exec.ErrDot):
		return path, nil
	case errors.Is(err, fs.ErrPermission):
		return "", &runError{&plimsoll.Error{Op: "run " + name, Err: err, Hint: "it must be a program that you may run"}, 126}
	}
	return "", &runError{&plimsoll.Error{Op: "run " + name, Err: err, Hint: "check its name, and PATH"}, 127}
}

// runError is an error with the exit status that shells have for it.
type runError struct {
	error
	status int
}

// Unwrap returns the error alone.
func (e *runError) Unwrap() error { return e.error }

func (e *runError) exitStatus() int { return e.status }

// exitError is the exit status of a program, which has said itself what there is to
// say.
type exitError int

// Error names the status.
func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func (e exitError) exitStatus() int { return int(e) }

func (e exitError) silent() bool { return true }

// runProgram runs a program to its end. It stays in the foreground of its terminal, so
// it is in our process group: what a terminal sends on a key reaches both, and is not
// sent again.
func (p *process) runProgram(path string, command []string, r *route, at net.Addr) error {
	args := clientArguments(filepath.Base(command[0]), command[1:], r.address(openaiFamily, at))
	cmd := exec.Command(path, args...)
	cmd.Args[0] = command[0]
	cmd.Env = r.environ(p.environ, at)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdin, p.stdout, p.stderr
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return &runError{&plimsoll.Error{Op: "run " + command[0], Err: err, Hint: "it must be a program that you may run"}, 126}
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	keys := isTerminal(p.stdin) || isTerminal(p.stdout) || isTerminal(p.stderr)
	for {
		select {
		case s := <-signals:
			if !keys || !slices.Contains(fromKeys, s) {
				_ = cmd.Process.Signal(s) // one that has ended needs none
			}
		case err := <-done:
			return exitOf(err)
		}
	}
}

// exitOf is the exit status as shells have it: that of the program, or 128 and the
// number of the signal that ended it.
func exitOf(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitError(128 + int(status.Signal()))
	}
	return exitError(exit.ExitCode())
}
