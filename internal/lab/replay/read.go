package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// maxLine bounds one line: a conversation, or a session's entry.
const maxLine = 1 << 30

// errFormat marks a line that no format explains.
var errFormat = errors.New("neither a conversation, a request body nor an entry of an agent's session")

// SessionReader reads the sessions of a file one after the other.
type SessionReader struct {
	name  string
	lines *bufio.Reader
	close []io.Closer
	line  int
	// count numbers sessions that have no id.
	count int
	// format decides what a line means; it is chosen by the first line.
	format format
	ready  []*Session
	ended  bool
	// taken is how many bytes of the file were read.
	taken *tally
}

// format reads one kind of file.
type format interface {
	// add takes one more line and returns the sessions that it completes.
	add(line []byte) ([]*Session, error)
	// end returns the sessions that the end of the file completes.
	end() ([]*Session, error)
}

// Open opens a file of recorded conversations, compressed or not.
func Open(path string) (*SessionReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &plimsoll.Error{Op: "replay " + path, Err: err, Code: plimsoll.CodeNotFound, Hint: "name files of recorded conversations, .jsonl or .jsonl.gz"}
	}
	taken := &tally{in: f}
	r, err := NewReader(path, taken)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close, r.taken = append(r.close, f), taken
	return r, nil
}

// tally counts the bytes that are read.
type tally struct {
	in io.Reader
	n  int64
}

// Read implements [io.Reader].
func (t *tally) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	t.n += int64(n)
	return n, err
}

// NewReader reads sessions from a stream. The name stands in errors.
func NewReader(name string, in io.Reader) (*SessionReader, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	r := &SessionReader{name: name, lines: buffered}
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, r.fail(err)
		}
		r.lines = bufio.NewReaderSize(z, 1<<16)
		r.close = append(r.close, z)
	}
	return r, nil
}

// Close closes the file.
func (r *SessionReader) Close() error {
	var err error
	for _, c := range r.close {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Next returns the next session, or [io.EOF].
func (r *SessionReader) Next() (*Session, error) {
	for len(r.ready) == 0 {
		if r.ended {
			return nil, io.EOF
		}
		if err := r.advance(); err != nil {
			return nil, r.fail(err)
		}
	}
	s := r.ready[0]
	r.ready = r.ready[1:]
	r.count++
	if s.ID == "" {
		base, _, _ := strings.Cut(filepath.Base(r.name), ".")
		s.ID = fmt.Sprintf("%s-%d", base, r.count)
	}
	return s, nil
}

// advance reads one line, or the end.
func (r *SessionReader) advance() error {
	line, err := r.readLine()
	if errors.Is(err, io.EOF) {
		r.ended = true
		if r.format == nil {
			return nil
		}
		r.ready, err = r.format.end()
		return err
	}
	if err != nil || len(line) == 0 {
		return err
	}
	if !json.Valid(line) {
		return fmt.Errorf("%w: not JSON", plimsoll.ErrInvalid)
	}
	if r.format == nil {
		if r.format, err = formatOf(line); err != nil {
			return err
		}
	}
	r.ready, err = r.format.add(line)
	return err
}

func (r *SessionReader) readLine() ([]byte, error) {
	r.line++
	var line []byte
	for {
		piece, err := r.lines.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("%w: longer than 1 GiB", plimsoll.ErrInvalid)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0, err == nil:
			return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))), nil
		}
		return nil, err
	}
}

func (r *SessionReader) fail(err error) error {
	return &plimsoll.Error{
		Op: fmt.Sprintf("replay %s: line %d", r.name, r.line), Err: err, Code: plimsoll.CodeInvalid,
		Hint: "files hold a conversation a line, a request body a line, or a session of Claude Code, Codex or pi; see docs/replay.md",
	}
}

// head is what tells the formats apart.
type head struct {
	Type     string          `json:"type"`
	Role     string          `json:"role"`
	Payload  json.RawMessage `json:"payload"`
	Message  json.RawMessage `json:"message"`
	Messages json.RawMessage `json:"messages"`
	Input    json.RawMessage `json:"input"`
	Contents json.RawMessage `json:"contents"`
	Request  json.RawMessage `json:"request"`
}

func formatOf(line []byte) (format, error) {
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, errFormat)
	}
	switch {
	case h.Messages != nil, h.Input != nil, h.Contents != nil, h.Request != nil:
		return &conversations{}, nil
	case h.Type != "" && h.Payload != nil:
		return &rollout{}, nil
	case h.Type != "", h.Role != "":
		return &entries{}, nil
	}
	return nil, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, errFormat)
}
