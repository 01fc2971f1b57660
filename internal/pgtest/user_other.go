//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

type account struct{}

func serviceUser() (account, error) {
	return account{}, errors.New("servers for tests are started on Unix only")
}

func (account) own(string) error { return nil }

func (account) become(*exec.Cmd) {}
