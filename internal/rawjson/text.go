package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a JSON string that has not been unescaped.
type Text struct {
	// Span of the string with its quotes.
	Span
	// Escaped reports whether there is a backslash in it.
	Escaped bool
}

// Raw returns what stands between the quotes, still escaped. It shares the bytes
// of data.
func (t Text) Raw(data []byte) []byte {
	if t.Len() < 2 {
		return nil
	}
	return Span{t.Start + 1, t.End - 1}.Of(data)
}

// Decode returns the string that the text stands for. Without an escape it shares
// the bytes of data, which must not change as long as the string is in use. An
// escape of half a surrogate pair becomes U+FFFD; bytes that are not valid UTF-8
// stay as they are.
func (t Text) Decode(data []byte) string { return View(t.bytes(data)) }

// bytes is Decode for those who want bytes. They may be shared with data.
func (t Text) bytes(data []byte) []byte {
	raw := t.Raw(data)
	if !t.Escaped {
		return raw
	}
	return unescape(make([]byte, len(raw)), raw)
}

// Unquote returns the string that the span of data stands for, and false if the
// span does not hold one whole, valid JSON string. Memory and invalid text are
// treated as by Text.Decode.
func Unquote(data []byte, s Span) (string, bool) {
	if s.Start < 0 || s.Len() < 2 || s.End > len(data) || data[s.Start] != '"' {
		return "", false
	}
	scanner := Scanner{data: data[:s.End], pos: s.Start}
	t, ok := scanner.text()
	if !ok || t.End != s.End {
		return "", false
	}
	return t.Decode(data), true
}

// unescape resolves the escapes of a valid string in dst, which is as long. No escape is
// shorter than what it stands for, so that is enough, and whole words can be copied
// before it is known how much of them is plain: what is too much is written over.
func unescape(dst, raw []byte) []byte {
	n, i := unescapeBlocks(dst, raw)
	for i < len(raw) {
		if i+8 <= len(raw) {
			w := binary.LittleEndian.Uint64(raw[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			k := bits.TrailingZeros64(backslashes(w)) / 8
			n, i = n+k, i+k
			if k == 8 {
				continue
			}
		}
		if raw[i] != '\\' {
			dst[n] = raw[i]
			n, i = n+1, i+1
			continue
		}
		written, read := resolve(dst[n:], raw[i:])
		n, i = n+written, i+read
	}
	return dst[:n:n]
}

// unescapeBlocks does most of the work in blocks of 64 bytes, and returns how much it
// has written and read. The escapes of a block are found at once: code has one every
// few bytes, and a loop from one to the next would wait for each.
func unescapeBlocks(dst, raw []byte) (n, i int) {
	const size, spare = 64, 16
	block := 0
	for ; block+size+spare <= len(raw); block += size {
		for hits := blockBackslashes(raw[block:]); hits != 0; hits &= hits - 1 {
			at := block + bits.TrailingZeros64(hits)
			if at < i {
				continue // it belongs to the escape before
			}
			if at-i <= spare {
				from, to := raw[i:i+spare:i+spare], dst[n:n+spare:n+spare]
				binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
				binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
			} else {
				copy(dst[n:], raw[i:at])
			}
			n += at - i
			if c := letters[raw[at+1]]; c != 0 {
				dst[n] = c
				n, i = n+1, at+2
				continue
			}
			written, read := resolve(dst[n:], raw[at:])
			n, i = n+written, at+read
		}
	}
	if i < block {
		n, i = n+copy(dst[n:], raw[i:block]), block
	}
	return n, i
}

// letters are what escapes of one letter stand for.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// blockBackslashes has a bit for each of the first 64 bytes of a block, set for those
// that are backslashes. Here every bit counts, as with specials.
func blockBackslashes(block []byte) uint64 {
	const gather, top = 0x0002040810204081, 0xff << 56
	block = block[:64]
	var hits uint64
	for n := 0; n < 64; n += 8 {
		w := binary.LittleEndian.Uint64(block[n : n+8])
		not := (w^'\\'*ones)&lows + lows
		m := highs &^ (not | w)
		hits = hits>>8 | m*gather&top
	}
	return hits
}

// backslashes sets the high bit of the bytes of w that are backslashes. Only the
// lowest is to be trusted, as with special.
func backslashes(w uint64) uint64 {
	x := w ^ '\\'*ones
	return (x - ones) &^ x & highs
}

// resolve writes what the escape at the start of raw stands for, and returns how
// much it has written and the escape's length.
func resolve(dst, raw []byte) (written, read int) {
	if raw[1] == 'u' {
		r, length := decodeUnit(raw)
		return utf8.EncodeRune(dst, r), length
	}
	dst[0] = letters[raw[1]]
	return 1, 2
}

// decodeUnit reads \uXXXX, or two of them if they are a surrogate pair.
func decodeUnit(raw []byte) (rune, int) {
	r := unit(raw)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, unit(raw[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func unit(raw []byte) rune {
	return rune(hex(raw[2])<<12 | hex(raw[3])<<8 | hex(raw[4])<<4 | hex(raw[5]))
}
