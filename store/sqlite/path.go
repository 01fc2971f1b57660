package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/plimsoll/plimsoll"
)

// DefaultPath returns where the store is by default: in the user's
// data directory ($XDG_DATA_HOME, else ~/.local/share; on Windows %LocalAppData%).
// Nil means os.Getenv.
func DefaultPath(getenv func(string) string) (string, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	const name = "plimsoll/store.db"
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	if runtime.GOOS == "windows" {
		if dir := getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, name), nil
		}
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", name), nil
	}
	return "", &plimsoll.Error{
		Op: "find the data directory", Code: plimsoll.CodeInvalid,
		Hint: "set HOME or XDG_DATA_HOME, or name the store's file",
		Err:  fmt.Errorf("%w: neither XDG_DATA_HOME nor HOME is set", plimsoll.ErrInvalid),
	}
}

// createFile makes an empty file that only the user can read, unless there is one.
// SQLite gives the files beside it the same mode.
//
// It is made under another name and linked: closing a file drops all locks that the
// process has on it, those of a connection too that another goroutine may have opened
// in the meantime.
func createFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &os.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case err == nil || !errors.Is(err, os.ErrNotExist):
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".plimsoll-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	return createPlain(path)
}

// createPlain is for file systems without links.
func createPlain(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}
