// Package process starts commands that can be ended with everything they started. A
// command that runs out of time must not leave its children behind.
package process

import (
	"context"
	"os/exec"
	"time"
)

// Command returns a command that is killed with everything that it started when the
// context ends. What it leaves running when it ends by itself holds up Wait for no
// longer than a second; then Wait returns [exec.ErrWaitDelay].
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	group(cmd)
	return cmd
}

// Head keeps the beginning of what is written to it, and takes the rest.
type Head struct {
	Data []byte
	// Limit is how many bytes are kept.
	Limit int
	// More says that there was more.
	More bool
}

// Write takes everything and keeps what there is room for.
func (h *Head) Write(p []byte) (int, error) {
	n := min(len(p), h.Limit-len(h.Data))
	h.Data = append(h.Data, p[:n]...)
	h.More = h.More || n < len(p)
	return len(p), nil
}
