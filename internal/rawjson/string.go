package rawjson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// skipString returns the end of the string whose opening quote is at i, and
// whether there is an escape in it. Most strings are short, and end within a word or two.
// Long ones are read in blocks: code and quoted JSON have an escape every few bytes, and a
// loop over words would guess its branches wrong at each.
func (s *Scanner) skipString(i int) (end int, escaped bool) {
	data := s.data
	i++
	for stop := min(i+16, len(data)-7); i < stop; i += 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; data[i] == '"' {
				return i + 1, false
			}
			break
		}
	}
	for i+blockSize < len(data) {
		block := data[i : i+blockSize+1]
		next := blockSize
		for hits := specials(block); hits != 0; hits &= hits - 1 {
			k := bits.TrailingZeros64(hits) % blockSize
			if block[k] != '\\' || letters[block[k+1]] == 0 && !isUnit(data[i+k:]) {
				return s.skipRest(i+k, escaped)
			}
			// The letter of the escape may be a quote or a backslash itself.
			hits &^= 2 << k
			next, escaped = max(next, k+2), true
		}
		i += next
	}
	return s.skipRest(i, escaped)
}

// skipRest is skipString from the middle of a string on, one escape at a time and
// with errors.
func (s *Scanner) skipRest(i int, escaped bool) (int, bool) {
	data := s.data
	for ; ; escaped = true {
		i = plain(data, i)
		switch {
		case i >= len(data):
			return s.fail(len(data), "'\"' to end the string"), false
		case data[i] == '"':
			return i + 1, escaped
		case data[i] != '\\':
			return s.fail(i, "an escape in place of a control character"), false
		}
		if i = s.skipEscape(i); i < 0 {
			return -1, false
		}
	}
}

// skipEscape returns the end of the escape whose backslash is at i.
func (s *Scanner) skipEscape(i int) int {
	i++
	switch {
	case i == len(s.data):
		return s.fail(i, "an escape")
	case letters[s.data[i]] != 0:
		return i + 1
	case s.data[i] != 'u':
		return s.fail(i, "one of \"\\/bfnrtu after a backslash")
	}
	for n := range 4 {
		if i++; i == len(s.data) || hex(s.data[i]) < 0 {
			return s.fail(i, fmt.Sprintf("hexadecimal digit %d of 4", n+1))
		}
	}
	return i + 1
}

// isUnit reports whether raw, which begins with a backslash, begins with \uXXXX.
func isUnit(raw []byte) bool {
	return len(raw) >= 6 && raw[1] == 'u' && hex(raw[2])|hex(raw[3])|hex(raw[4])|hex(raw[5]) >= 0
}

// hex returns the value of a hexadecimal digit, or -1.
func hex(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// blockSize is how many bytes specials looks at.
const blockSize = 64

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
	lows  = 0x7f * ones
)

// plain returns the offset of the first byte from i on that cannot stand for
// itself in a string: a quote, a backslash or a control character.
func plain(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// special sets the high bit of the bytes of w that plain looks for. Flipping the bit 0x02
// turns '"' into 0x20 and leaves the control characters below it, so that one comparison
// finds both. The sums stay within their bytes.
func special(w uint64) uint64 {
	neither := (w^0x02*ones)&lows + (0x80-0x21)*ones
	notBackslash := (w^'\\'*ones)&lows + lows
	return highs &^ (neither&notBackslash | w)
}

// specials has a bit for each of the first 64 bytes of a block, set for those that
// plain looks for. It is written out because the compiler unrolls no loops.
func specials(block []byte) uint64 {
	b := (*[blockSize]byte)(block)
	return gathered(b[0:8]) | gathered(b[8:16])<<8 | gathered(b[16:24])<<16 | gathered(b[24:32])<<24 |
		gathered(b[32:40])<<32 | gathered(b[40:48])<<40 | gathered(b[48:56])<<48 | gathered(b[56:64])<<56
}

// gathered is specials for eight bytes. The multiplication gathers the high bits of a word
// in its top byte.
func gathered(b []byte) uint64 {
	return special(binary.LittleEndian.Uint64(b)) * 0x0002040810204081 >> 56
}
