package expand

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// block is how much is searched at a time.
const block = 256 << 10

// hit is a line with a match.
type hit struct {
	// line counts from 0; column is the match's first byte in it.
	line, column int64
}

// scanner finds the lines of a stream that match.
type scanner struct {
	r io.Reader
	p *pattern
	b *budget
	// line is the number of the first line that is not searched yet.
	line int64

	buf        []byte
	start, end int
	done       bool
}

func newScanner(r io.Reader, p *pattern, b *budget) *scanner {
	return &scanner{r: r, p: p, b: b, buf: make([]byte, block)}
}

// next returns the next matching line; false if there is none.
func (s *scanner) next() (hit, bool, error) {
	for {
		lines := s.buf[s.start:s.end]
		lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
		at, err := s.p.index(lines, s.b)
		if err != nil {
			return hit{}, false, err
		}
		if at >= 0 {
			return s.take(lines, at), true, nil
		}
		s.line += int64(bytes.Count(lines, newline))
		s.start += len(lines)
		if s.done {
			return hit{}, false, nil
		}
		if s.start == 0 && s.end == len(s.buf)-1 {
			h, found, err := s.long()
			if found || err != nil {
				return h, found, err
			}
			continue
		}
		if err := s.fill(); err != nil {
			return hit{}, false, err
		}
	}
}

var newline = []byte("\n")

// take consumes the line of a match.
func (s *scanner) take(lines []byte, at int) hit {
	begin := bytes.LastIndexByte(lines[:at], '\n') + 1
	h := hit{line: s.line + int64(bytes.Count(lines[:at], newline)), column: int64(at - begin)}
	s.start += at + bytes.IndexByte(lines[at:], '\n') + 1
	s.line = h.line + 1
	return h
}

// fill makes room and reads on. The last line gets the line end that it lacks, for
// which a byte stays free: "a\n" has two lines, the second of them empty.
func (s *scanner) fill() error {
	s.end = copy(s.buf, s.buf[s.start:s.end])
	s.start = 0
	if err := s.b.check(); err != nil {
		return err
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end : len(s.buf)-1])
		s.end += n
		if errors.Is(err, io.EOF) {
			s.buf[s.end] = '\n'
			s.end++
			s.done = true
			return nil
		}
		if err != nil || n > 0 {
			return err
		}
	}
	return io.ErrNoProgress
}

// long searches a line that is longer than the buffer and goes on behind it.
func (s *scanner) long() (hit, bool, error) {
	h := hit{line: s.line}
	var found bool
	var err error
	if s.p.regexp == nil {
		h.column, found, err = s.longText()
	} else {
		h.column, found, err = s.longRegexp()
	}
	if err == nil {
		err = s.skipLine()
	}
	s.line++
	return h, found && err == nil, err
}

func (s *scanner) longText() (int64, bool, error) {
	keep := s.p.text.longest() - 1
	for base := int64(0); ; {
		line, ended := s.lineSoFar()
		if at := s.p.text.index(line); at >= 0 {
			return base + int64(at), true, nil
		}
		if ended {
			return 0, false, nil
		}
		base += int64(max(0, len(line)-keep))
		s.start = s.end - min(keep, len(line))
		if err := s.fill(); err != nil {
			return 0, false, err
		}
	}
}

// lineSoFar returns what the buffer has of the line, and whether that is its end.
func (s *scanner) lineSoFar() ([]byte, bool) {
	held := s.buf[s.start:s.end]
	if at := bytes.IndexByte(held, '\n'); at >= 0 {
		return held[:at], true
	}
	return held, false
}

func (s *scanner) longRegexp() (int64, bool, error) {
	r := &runes{b: s.b, size: s.p.size, more: s.piece}
	at, err := s.p.stream(r)
	return int64(at), at >= 0, err
}

// piece returns the next bytes of the line without its end, none behind it. A
// carriage return is held back until it is known that the line goes on.
func (s *scanner) piece() ([]byte, error) {
	for {
		line, ended := s.lineSoFar()
		if ended {
			s.start += len(line)
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		if whole := bytes.TrimSuffix(line, []byte("\r")); len(whole) > 0 {
			s.start += len(whole)
			return whole, nil
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// skipLine goes behind the end of the line.
func (s *scanner) skipLine() error {
	for {
		line, ended := s.lineSoFar()
		s.start += len(line)
		if ended {
			s.start++
			return nil
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// budget is the time that a search may take.
type budget struct {
	ctx   context.Context
	now   func() time.Time
	until time.Time
	spent int
}

// errTime says that the time is up.
var errTime = errors.New("the search took too long")

// spend adds a cost in instructions, and looks at the clock now and then.
func (b *budget) spend(cost int) error {
	b.spent += cost
	if b.spent < costly {
		return nil
	}
	b.spent = 0
	return b.check()
}

func (b *budget) check() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.now().After(b.until) {
		return errTime
	}
	return nil
}
