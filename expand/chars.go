package expand

import (
	"io"
	"unicode"
	"unicode/utf8"
)

// maxJoined bounds the code points of one character, so that none can have
// a megabyte.
const maxJoined = 32

const zeroWidthJoiner = 0x200d

// chars tells where characters begin as people see them: combining marks, joined
// emoji and flags stay together. It follows the rules of Unicode's grapheme clusters
// where they matter in practice and needs no tables of its own.
type chars struct {
	prev  rune
	flags int // regional indicators in a row
	runes int // code points of the character so far
}

// begins reports whether a code point begins a new character.
func (c *chars) begins(r rune) bool {
	joined := c.runes > 0 && c.runes < maxJoined && r >= 0x300 && c.joins(r)
	if isFlag(r) {
		c.flags++
	} else {
		c.flags = 0
	}
	c.prev = r
	c.runes++
	if !joined {
		c.runes = 1
	}
	return !joined
}

func (c *chars) joins(r rune) bool {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc),
		r == zeroWidthJoiner,
		r >= 0x1f3fb && r <= 0x1f3ff, // skin tones
		r >= 0xe0020 && r <= 0xe007f: // tags of flags
		return true
	case c.prev == zeroWidthJoiner:
		return r >= 0x1f000 || unicode.Is(unicode.So, r)
	case isFlag(r):
		return c.flags%2 == 1
	case r >= 0x1160 && r <= 0x11ff: // vowels and finals of Hangul
		return unicode.Is(unicode.Hangul, c.prev)
	}
	return false
}

func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// cutter takes a line in pieces and keeps a part of it: from a byte or a character
// on, at most so many characters and bytes. What is not UTF-8 becomes one
// replacement character a byte.
type cutter struct {
	// fromByte and fromChar say where the part begins.
	fromByte, fromChar int64
	// maxChars and maxBytes bound it; 0 means no bound.
	maxChars int64
	maxBytes int

	// out is the part, behind what its owner put there first. A sink takes it away
	// between pieces, where there is no bound in bytes.
	out  []byte
	sink io.Writer
	// first is the index of the part's first character, next that of the first one
	// behind it.
	first, next int64
	// more says that the line goes on behind the part.
	more bool

	chars chars
	at    int64 // bytes read
	seen  int64 // characters begun
	shown int64 // characters in out
	begin int   // where the last character begins in out
	carry []byte
}

// add takes a piece of the line; last says that the line ends with it. It returns
// false when the part is complete.
func (c *cutter) add(piece []byte, last bool) bool {
	if len(c.carry) > 0 {
		piece = append(c.carry, piece...)
		c.carry = nil
	}
	if last && len(piece) > 0 && piece[len(piece)-1] == '\r' {
		piece = piece[:len(piece)-1]
	}
	for len(piece) > 0 {
		if !last && (piece[0] == '\r' && len(piece) == 1 || piece[0] >= utf8.RuneSelf && !utf8.FullRune(piece)) {
			c.carry = append([]byte(nil), piece...)
			return true
		}
		r, size := rune(piece[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(piece)
		}
		if !c.rune(r, size) {
			c.more = true
			return false
		}
		piece = piece[size:]
	}
	return true
}

// rune takes one code point; false if it does not belong to the part any more.
func (c *cutter) rune(r rune, size int) bool {
	begins := c.chars.begins(r)
	if begins {
		if c.maxChars > 0 && c.shown == c.maxChars {
			return false
		}
		c.seen++
		c.begin = len(c.out)
	}
	c.at += int64(size)
	if c.shown == 0 && (!begins || c.at-int64(size) < c.fromByte || c.seen <= c.fromChar) {
		return true
	}
	if c.maxBytes > 0 && len(c.out)+utf8.RuneLen(r) > c.maxBytes {
		return c.overflow(begins)
	}
	if begins {
		if c.shown == 0 {
			c.first = c.seen - 1
		}
		c.shown++
		c.next = c.seen
	}
	c.out = utf8.AppendRune(c.out, r)
	return true
}

// overflow takes back the character that does not fit whole, unless it is the only
// one.
func (c *cutter) overflow(begins bool) bool {
	if !begins && c.shown > 1 {
		c.out = c.out[:c.begin]
		c.shown--
		c.next--
	}
	return false
}

// drain hands out to the sink what there is so far.
func (c *cutter) drain() error {
	if c.sink == nil {
		return nil
	}
	_, err := c.sink.Write(c.out)
	c.out = c.out[:0]
	return err
}
