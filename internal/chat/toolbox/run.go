package toolbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/process"
)

const runSchema = `{"type":"object","properties":{"command":{"type":"string","description":"Command line for the shell."},"seconds":{"type":"integer","minimum":1,"maximum":600,"description":"How long it may take; 120 by default."}},"required":["command"],"additionalProperties":false}`

// longestRun is the time that a model may ask for.
const longestRun = 10 * time.Minute

type runArguments struct {
	Command string `json:"command"`
	Seconds int    `json:"seconds"`
}

func (b *Box) runTool() tool {
	return tool{
		plimsoll.Tool{Name: "run", Description: "Runs a command line in the working directory, once the user has allowed it, and shows its exit status and what it printed. It has no input.", Schema: runSchema},
		func(ctx context.Context, text string, ask func(string) error) (answer, error) {
			a, err := parse[runArguments](runSchema, text)
			if err != nil {
				return answer{}, err
			}
			if strings.TrimSpace(a.Command) == "" {
				return answer{}, errors.New("name a command line as command")
			}
			if err := ask(a.Command); err != nil {
				return answer{}, err
			}
			return b.run(ctx, a)
		},
	}
}

func (b *Box) run(ctx context.Context, a runArguments) (answer, error) {
	limit := b.options.RunTime
	if a.Seconds > 0 {
		limit = min(time.Duration(min(a.Seconds, 3600))*time.Second, longestRun)
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := shell(timed, a.Command)
	cmd.Dir, cmd.Env = b.dir, b.options.Environ
	out := &process.Head{Limit: b.options.MaxBytes}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	status, failed := "exit status 0", true
	var exited *exec.ExitError
	switch {
	case timed.Err() != nil:
		status = fmt.Sprintf("killed after %v", limit)
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		failed = false
	case errors.As(err, &exited):
		status = exited.Error()
	default:
		return answer{}, fmt.Errorf("the command could not be started: %w", err)
	}
	text := strings.ToValidUTF8(string(out.Data), "\uFFFD")
	if out.More {
		text += fmt.Sprintf("\n[cut after %d bytes]", b.options.MaxBytes)
	}
	done := say(status + "\n" + text)
	done.failed = failed
	return done, nil
}

// shell runs a command line, and can end everything that it started.
func shell(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return process.Command(ctx, "cmd", "/C", line)
	}
	return process.Command(ctx, "sh", "-c", line)
}
