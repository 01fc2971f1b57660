package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
)

// A session belongs to one process at a time: two would write their turns among each
// other's. The owner holds a lock on a file beside it, which the operating system
// takes back when the process ends, whichever way. So a file that a crash left behind
// keeps no process out.

// lockSuffix ends the names of the files that are locked.
const lockSuffix = ".lock"

// errLocked is what [lockFile] returns where another process has the lock.
var errLocked = errors.New("locked")

// holder says who has a session open. It stands in the file that is locked.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
}

// lock is a session that is ours.
type lock struct {
	path string
	file *os.File
}

// lockSession takes the session at path, or says who has it. Where files cannot be
// locked, as on some network drives, it goes without.
func lockSession(path string, now time.Time) (*lock, error) {
	name := strings.TrimSuffix(path, suffix) + lockSuffix
	file, err := takeLock(name)
	switch {
	case errors.Is(err, errLocked):
		return nil, heldError(path, name)
	case err != nil:
		return nil, err
	}
	host, _ := os.Hostname() // only for people
	text, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Since: now})
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt(text, 0)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &lock{name, file}, nil
}

// takeLock opens and locks a file. One that its owner removed in between is made again.
func takeLock(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	for {
		file, err := openLock(name)
		if err != nil {
			return nil, err
		}
		ours, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(ours, there) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// release lets others have the session.
func (l *lock) release() error {
	if l == nil {
		return nil
	}
	err := releaseLock(l.path, l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has cleared up
	}
	return err
}

// heldError says who has a session, as far as that can be read.
func heldError(path, name string) error {
	who, hint := "another process", "end that chat"
	if h, err := readHolder(name); err == nil {
		who = fmt.Sprintf("process %d", h.PID)
		if host, _ := os.Hostname(); h.Host != host {
			who = fmt.Sprintf("process %d on %s", h.PID, h.Host)
		}
		who += " has it open since " + h.Since.Local().Format("2006-01-02 15:04")
		hint = fmt.Sprintf("end that chat, or process %d if it hangs", h.PID)
	} else {
		who += " has it open"
	}
	id := strings.TrimSuffix(filepath.Base(path), suffix)
	return &plimsoll.Error{
		Op: "continue the session " + id, Code: plimsoll.CodeUnavailable, Err: errors.New(who),
		Hint: hint + "; --session ID goes on with another one, and without --continue a new one begins",
	}
}

func readHolder(name string) (holder, error) {
	file, err := os.Open(name)
	if err != nil {
		return holder{}, err
	}
	defer file.Close()
	const most = 4096
	var h holder
	err = json.NewDecoder(io.LimitReader(file, most)).Decode(&h)
	if err == nil && h.PID == 0 {
		err = errors.New("no process is named")
	}
	return h, err
}
