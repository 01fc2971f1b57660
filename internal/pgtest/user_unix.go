//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom the server runs as; nil is this process's own user.
type account struct{ credential *syscall.Credential }

// serviceUser returns the user that the server runs as.
func serviceUser() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return account{}, err
		}
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("root cannot run the server, and there is neither a user postgres nor nobody")
}

// own gives a file to the user.
func (a account) own(name string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(name, int(a.credential.Uid), int(a.credential.Gid))
}

// become lets a command run as the user, in a process group of its own so that an
// interrupt from the keyboard does not reach it.
func (a account) become(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential, Setpgid: true}
}
