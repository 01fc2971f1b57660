//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package chat

import (
	"errors"
	"os"
	"syscall"
)

// openLock opens a file and locks it. A file system that knows no locks is no reason to
// keep anybody from a session.
func openLock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(errLocked, file.Close())
	}
	return file, nil
}

// releaseLock removes the file while it is still ours, so that no other lock is removed.
func releaseLock(name string, file *os.File) error {
	return errors.Join(os.Remove(name), file.Close())
}
