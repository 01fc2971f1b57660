//go:build !unix

package process

import "os/exec"

// group does nothing: there are no process groups here, and only the command itself
// is killed.
func group(*exec.Cmd) {}
