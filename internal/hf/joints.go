package hf

import "unicode/utf8"

// joints remembers between which characters a merge can reach across. Where none can, text may be
// cut before merging without changing a token. The cut makes words out of SentencePiece's unsplit
// text and short pieces out of sentences in scripts without spaces, so that the memo knows them. It
// is a filter, not a set: a false positive makes a piece longer, never wrong.
type joints struct {
	ascii [128][2]uint64
	chars []uint64       // pairs of characters, hashed
	bytes [256][4]uint64 // last and first byte, where a merge knows only part of a character
}

const jointBits = 20

func newJoints() *joints { return &joints{chars: make([]uint64, 1<<jointBits/64)} }

func jointHash(left, right rune) uint32 {
	return (uint32(left)*0x9E3779B1 ^ uint32(right)*0x85EBCA77) >> (32 - jointBits)
}

// add enters the boundary inside a merge of two byte strings, neither of them empty. A side that
// is shorter than the character at the boundary decodes to nothing; then all characters with that
// byte are taken as joined.
func (j *joints) add(left, right []byte) {
	last, n := utf8.DecodeLastRune(left)
	first, m := utf8.DecodeRune(right)
	switch {
	case last == utf8.RuneError && n == 1, first == utf8.RuneError && m == 1:
		b := right[0]
		j.bytes[left[len(left)-1]][b>>6] |= 1 << (b & 63)
	case last < 128 && first < 128:
		j.ascii[last][first>>6] |= 1 << (first & 63)
	default:
		h := jointHash(last, first)
		j.chars[h>>6] |= 1 << (h & 63)
	}
}

// joined reports whether a merge may reach across the boundary at text[at], between two
// characters. Next to a byte that is not valid UTF-8 it always may.
func (j *joints) joined(text string, at int, left, right rune) bool {
	if left < 128 && right < 128 {
		return j.ascii[left][right>>6]>>(right&63)&1 != 0
	}
	if left == utf8.RuneError || right == utf8.RuneError {
		return true
	}
	b := text[at]
	if j.bytes[text[at-1]][b>>6]>>(b&63)&1 != 0 {
		return true
	}
	h := jointHash(left, right)
	return j.chars[h>>6]>>(h&63)&1 != 0
}

// next returns where the piece that starts at from ends.
func (j *joints) next(text string, from int) int {
	last, n := utf8.DecodeRuneInString(text[from:])
	for i := from + n; i < len(text); i += n {
		var r rune
		if r, n = rune(text[i]), 1; r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		if !j.joined(text, i, last, r) {
			return i
		}
		last = r
	}
	return len(text)
}
