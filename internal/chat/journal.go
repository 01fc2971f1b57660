package chat

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
)

// A session is a file of records, one a line, each on the disk before anything comes of
// it. What a crash can take is the end of the last line.

// suffix ends the names of sessions on disk.
const suffix = ".jsonl"

// journal appends records to a session. The file is made with the first one.
type journal struct {
	path string
	file *os.File
	// lock is what makes the session ours; nil as long as it is on no disk.
	lock *lock
	now  func() time.Time
}

var validID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]*$`)

// newID returns a name for a session that sorts by time.
func newID(now time.Time) (string, error) {
	var tail [3]byte
	if _, err := rand.Read(tail[:]); err != nil {
		return "", err
	}
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(tail[:]), nil
}

func (j *journal) write(r record) error {
	if j == nil || j.path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the session: %w", err)
	}
	if err := j.open(); err != nil {
		return saveError(err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return saveError(err)
	}
	if err := j.file.Sync(); err != nil {
		return saveError(err)
	}
	return nil
}

func saveError(err error) error {
	return &plimsoll.Error{
		Op: "write the session", Code: plimsoll.CodeUnavailable, Err: err,
		Hint: "make room or give the right to write, then send the line again",
	}
}

// open opens the file for appending. A line that a crash cut short is ended, so that
// the next one stands by itself.
func (j *journal) open() error {
	if j.file != nil {
		return nil
	}
	if err := j.take(); err != nil {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := endLine(file); err != nil {
		return errors.Join(err, file.Close())
	}
	j.file = file
	return nil
}

// take makes the session ours, or says whose it is.
func (j *journal) take() (err error) {
	if j.lock == nil {
		j.lock, err = lockSession(j.path, j.now())
	}
	return err
}

func endLine(file *os.File) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte{'\n'})
	return err
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	err = errors.Join(err, j.lock.release())
	j.file, j.lock = nil, nil
	return err
}

// readRecords reads a session. Lines that are no records are passed over: a crash may
// have cut one short.
func readRecords(r io.Reader) (state, error) {
	var s state
	in, found := bufio.NewReader(r), false
	for {
		line, err := in.ReadBytes('\n')
		var rec record
		if json.Unmarshal(bytes.TrimSpace(line), &rec) == nil && rec.Kind != "" {
			s.apply(rec)
			found = true
		}
		if errors.Is(err, io.EOF) {
			if !found {
				return s, mistake{errors.New("this is no session of a chat")}
			}
			return s, nil
		}
		if err != nil {
			return s, err
		}
	}
}

func readSession(path string) (state, error) {
	file, err := os.Open(path)
	if err != nil {
		return state{}, err
	}
	defer file.Close()
	return readRecords(file)
}

// SessionInfo says what a session on disk is about.
type SessionInfo struct {
	ID string
	// Changed is when it was written to last.
	Changed time.Time
	Turns   int
	// Title is the beginning of what was asked first.
	Title string
}

// Sessions lists the sessions in a directory, the newest first. One that does not
// exist has none.
func Sessions(dir string) ([]SessionInfo, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || dir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []SessionInfo
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), suffix)
		if !ok || !validID.MatchString(id) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // it went away
		}
		s, err := readSession(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		all = append(all, SessionInfo{ID: id, Changed: info.ModTime(), Turns: countTurns(s.turns), Title: titleOf(s)})
	}
	slices.SortFunc(all, func(a, b SessionInfo) int {
		if c := b.Changed.Compare(a.Changed); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return all, nil
}

// countTurns counts turns, those too that a checkpoint stands for.
func countTurns(turns []Turn) int {
	n := 0
	for _, t := range turns {
		if t.Checkpoint != nil {
			n += t.Checkpoint.Turns
		} else {
			n++
		}
	}
	return n
}

// titleRunes is how much of a question is a title.
const titleRunes = 60

// titleOf is what a session is about: what it began with, or the first question of what
// was loaded.
func titleOf(s state) string {
	if s.title != "" {
		return shortened(s.title, titleRunes)
	}
	for _, t := range s.turns {
		if t.Question != "" {
			return shortened(t.Question, titleRunes)
		}
	}
	return ""
}

// shortened returns the beginning of a text in one line.
func shortened(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return text
}
