//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package chat

import (
	"errors"
	"os"
)

// openLock opens a file. There are no locks here.
func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}

func releaseLock(name string, file *os.File) error {
	return errors.Join(file.Close(), os.Remove(name))
}
