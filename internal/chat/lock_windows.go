package chat

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the error of a file that another process has open.
const sharingViolation = syscall.Errno(32)

// openLock opens a file that others may read, but not open for writing.
func openLock(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), name), nil
}

// releaseLock closes the file. It stays if another process took it at once.
func releaseLock(name string, file *os.File) error {
	err := file.Close()
	_ = os.Remove(name)
	return err
}
