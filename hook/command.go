package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/process"
)

// vetoStatus is the exit status that is a veto, with what was written to standard
// error as the reason, as hooks of other agents do it.
const vetoStatus = 2

// Command returns a hook that runs a program: JSON on its standard input, the answer
// on its standard output. When its time is up it is killed with everything that it
// started. Args are the program and its arguments; no shell reads them.
func Command(args []string, o *Options) (*Hook, error) {
	if len(args) == 0 || args[0] == "" {
		return nil, &plimsoll.Error{
			Op: "hook", Err: fmt.Errorf("no command: %w", plimsoll.ErrInvalid), Hint: "name a program and its arguments",
		}
	}
	h := newHook(filepath.Base(args[0]), o)
	h.deliver = func(ctx context.Context, notice []byte) (answer, error) { return h.run(ctx, args, notice) }
	return h, nil
}

func (h *Hook) run(ctx context.Context, args []string, notice []byte) (answer, error) {
	cmd := process.Command(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = h.options.Dir, h.options.Env
	cmd.Stdin = bytes.NewReader(notice)
	stdout, stderr := &process.Head{Limit: maxAnswer + 1}, &process.Head{Limit: 1000}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well, and what it left running is its affair
	}
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	words := strings.TrimSpace(strings.ToValidUTF8(string(stderr.Data), ""))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return answer{body: stdout.Data}, nil
	case errors.As(err, &exit) && exit.ExitCode() == vetoStatus:
		if words == "" {
			words = exit.Error()
		}
		return answer{veto: words}, nil
	case words != "":
		return answer{}, fmt.Errorf("%w: %s", err, words)
	}
	return answer{}, err
}
