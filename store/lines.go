package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"unicode/utf8"
)

// Line is a line, or a piece of a long one.
type Line struct {
	// Number counts from 0.
	Number int64
	// Offset is where Text begins in the whole text, Start where it begins in its
	// line, in bytes: 0 but for the later pieces of a long line.
	Offset, Start int64
	// Text is the line without its line end; a carriage return stays. It is valid
	// until the next line is asked for. A piece has at most 64 KiB and does not end
	// inside a character.
	Text []byte
	// More says that the line goes on in the next piece.
	More bool
}

// maxPiece is how long a piece of a line may be.
const maxPiece = 64 << 10

// Lines iterates over the lines from number from on, which counts from 0. An error
// ends it. A text without line ends is one line; what is behind the last line end is
// a line, even if it is empty.
func (r *Reader) Lines(ctx context.Context, from int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		from := max(0, from)
		c := r.tenant.newCursor(ctx, r.object, r.object.Bytes)
		defer c.close()
		s := lineScanner{cursor: c, yield: yield}
		scan := s.scan
		if from >= r.object.Lines {
			scan = s.behind
		}
		if err := scan(from); err != nil {
			yield(Line{}, r.fault(err))
		}
	}
}

// lineScanner cuts blocks into lines.
type lineScanner struct {
	cursor *cursor
	yield  func(Line, error) bool
	// rest is what of the block was not looked at.
	rest []byte
	// line is the one that is being put together; its text so far is in carry unless
	// it is all in one block.
	line  Line
	carry []byte
}

// scan yields lines until the end, or until the caller stops.
func (s *lineScanner) scan(from int64) error {
	if err := s.find(from); err != nil {
		return err
	}
	for {
		end := bytes.IndexByte(s.rest, '\n')
		text := s.rest
		if end >= 0 {
			text = s.rest[:end]
		}
		text, ok := s.pieces(text)
		if !ok {
			return nil
		}
		if end >= 0 {
			s.rest = s.rest[end+1:]
			if !s.emit(s.joined(text), false) {
				return nil
			}
			s.begin()
			continue
		}
		s.carry = append(s.carry, text...)
		err := s.fill()
		if errors.Is(err, io.EOF) {
			s.emit(s.carry, false)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// behind looks whether a text that seems to have too few lines really ends there.
func (s *lineScanner) behind(int64) error {
	return s.cursor.seek(max(0, s.cursor.end-1))
}

// fill takes the next block.
func (s *lineScanner) fill() error {
	b, err := s.cursor.next()
	s.rest = b.Data
	return err
}

// find goes to the beginning of a line.
func (s *lineScanner) find(n int64) error {
	if err := s.cursor.seekLine(n); err != nil {
		return err
	}
	s.line.Number = n
	if n == 0 {
		return nil
	}
	b, err := s.cursor.next()
	if err != nil {
		return err
	}
	at := 0
	for range n - b.Line {
		at += bytes.IndexByte(b.Data[at:], '\n') + 1
	}
	s.rest = b.Data[at:]
	s.line.Offset = b.Offset + int64(at)
	return nil
}

// pieces yields pieces while the line, with text, is too long for one. It returns
// what is left of text.
func (s *lineScanner) pieces(text []byte) ([]byte, bool) {
	for len(s.carry)+len(text) > maxPiece {
		if len(s.carry) == 0 {
			n := wholeRunes(text[:maxPiece])
			if !s.emit(text[:n], true) {
				return nil, false
			}
			text = text[n:]
			continue
		}
		n := maxPiece - len(s.carry)
		s.carry = append(s.carry, text[:n]...)
		text = text[n:]
		n = wholeRunes(s.carry)
		if !s.emit(s.carry[:n], true) {
			return nil, false
		}
		s.carry = append(s.carry[:0], s.carry[n:]...)
	}
	return text, true
}

// wholeRunes returns how long text is without a character that is cut at its end.
func wholeRunes(text []byte) int {
	n := len(text)
	for back := 1; back < utf8.UTFMax && back < n; back++ {
		if utf8.RuneStart(text[n-back]) {
			if !utf8.FullRune(text[n-back:]) {
				return n - back
			}
			return n
		}
	}
	return n
}

func (s *lineScanner) joined(text []byte) []byte {
	if len(s.carry) == 0 {
		return text
	}
	s.carry = append(s.carry, text...)
	return s.carry
}

// emit yields a piece of the line.
func (s *lineScanner) emit(text []byte, more bool) bool {
	s.line.Text, s.line.More = text, more
	ok := s.yield(s.line, nil)
	s.line.Offset += int64(len(text))
	s.line.Start += int64(len(text))
	return ok
}

// begin begins the next line.
func (s *lineScanner) begin() {
	s.line = Line{Number: s.line.Number + 1, Offset: s.line.Offset + 1}
	s.carry = s.carry[:0]
}
