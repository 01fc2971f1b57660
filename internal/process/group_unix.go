//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// group lets a command and what it starts be killed together.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
