//go:build unix

package toolbox_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

func TestCommandsRunInTheDirectory(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), &toolbox.Options{Environ: []string{"PATH=/usr/bin:/bin", "TIDE=high"}, RunTime: time.Hour})
	tests := []struct {
		name, arguments, want string
		failed                bool
	}{
		{"a command that ends well", `{"command":"head -1 notes.txt"}`, "exit status 0\none quay\n", false},
		{"a command that fails", `{"command":"echo out; echo err >&2; exit 3"}`, "exit status 3\nout\nerr\n", true},
		{"the environment is the one that is given", `{"command":"echo $TIDE"}`, "exit status 0\nhigh\n", false},
		{"there is no input", `{"command":"cat"}`, "exit status 0\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, failed := use(t, box, "run", tt.arguments); got != tt.want || failed != tt.failed {
				t.Errorf("got %q (failed: %v)\nwant %q", got, failed, tt.want)
			}
		})
	}
}

// A command may need more than a second for its first word on a busy machine: it gets more
// time until it has said that.
func TestACommandThatTakesTooLongIsKilled(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), nil)
	for seconds := 1; ; seconds *= 2 {
		got, failed := use(t, box, "run", fmt.Sprintf(`{"command":"echo begun; sleep 6000","seconds":%d}`, seconds))
		killed := fmt.Sprintf("killed after %ds\n", seconds)
		if got == killed && failed && seconds < 60 {
			continue
		}
		if got != killed+"begun\n" || !failed {
			t.Errorf("got %q (failed: %v)", got, failed)
		}
		return
	}
}

func TestNothingRunsThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		consent toolbox.Consent
		answer  bool
		asked   int
		want    string
		failed  bool
	}{
		{"the person says yes", toolbox.Ask, true, 1, "exit status 0\nahoy\n", false},
		{"the person says no", toolbox.Ask, false, 1, "not done: the user did not allow it", true},
		{"nobody is there", toolbox.Refuse, true, 0, "no person can allow it", true},
		{"everything is allowed", toolbox.Allow, false, 0, "exit status 0\nahoy\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			box := open(t, harbour(t), &toolbox.Options{Consent: tt.consent})
			asked := 0
			r := box.Call(t.Context(), plimsoll.ToolCall{Name: "run", Arguments: `{"command":"echo ahoy"}`}, func(_ context.Context, c chat.Confirmation) bool {
				asked++
				if c.Tool != "run" || c.Action != "echo ahoy" {
					t.Errorf("asked %+v", c)
				}
				return tt.answer
			})
			if text := plimsoll.TextOf(r.Content); !strings.Contains(text, tt.want) || r.IsError != tt.failed || asked != tt.asked {
				t.Errorf("%q, failed: %v, asked %d times", text, r.IsError, asked)
			}
		})
	}
}

func TestOneQuestionIsAskedAtATime(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), nil)
	var open, most atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			box.Call(t.Context(), plimsoll.ToolCall{Name: "run", Arguments: `{"command":"true"}`}, func(context.Context, chat.Confirmation) bool {
				most.Store(max(most.Load(), open.Add(1)))
				time.Sleep(time.Millisecond)
				open.Add(-1)
				return false
			})
		})
	}
	wait.Wait()
	if most.Load() != 1 {
		t.Errorf("%d questions at once", most.Load())
	}
}

func TestACommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if r := box.Call(ctx, plimsoll.ToolCall{Name: "run", Arguments: `{"command":"sleep 6000 & wait"}`}, yes); !r.IsError {
		t.Errorf("%+v", r)
	}
}

func TestAPipeHoldsUpNobody(t *testing.T) {
	t.Parallel()
	dir := harbour(t)
	if err := syscall.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Skip(err)
	}
	box := open(t, dir, nil)
	if got, failed := use(t, box, "read", `{"path":"pipe"}`); !failed || !strings.Contains(got, "not a regular file") {
		t.Errorf("got %q", got)
	}
	if got, failed := use(t, box, "grep", `{"pattern":"one"}`); failed || got != "notes.txt:1: one quay\n" {
		t.Errorf("got %q", got)
	}
}
