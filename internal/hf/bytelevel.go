package hf

import "unicode/utf8"

// Byte-level vocabularies write every byte as one printable character: bytes that print as
// themselves in Latin-1 stay, the others are numbered upwards from U+0100 in byte order.

// alphabetSize is one more than the largest character of the byte alphabet.
const alphabetSize = 0x144

// byteAlphabet maps between bytes and the characters that stand for them.
type byteAlphabet struct {
	char   [256]rune
	byteOf [alphabetSize]int16 // -1: not in the alphabet
}

func newByteAlphabet() *byteAlphabet {
	var a byteAlphabet
	for i := range a.byteOf {
		a.byteOf[i] = -1
	}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !printsAsItself(b) {
			r = next
			next++
		}
		a.char[b] = r
		a.byteOf[r] = int16(b)
	}
	return &a
}

func printsAsItself(b int) bool {
	return b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE && b <= 0xFF
}

// appendBytes appends the bytes that a token of the alphabet stands for. A token with any other
// character is no byte sequence: ok is false and dst is unchanged.
func (a *byteAlphabet) appendBytes(dst, token []byte) (_ []byte, ok bool) {
	mark := len(dst)
	for len(token) > 0 {
		r, n := utf8.DecodeRune(token)
		if r >= alphabetSize || a.byteOf[r] < 0 {
			return dst[:mark], false
		}
		dst = append(dst, byte(a.byteOf[r]))
		token = token[n:]
	}
	return dst, true
}
