package survival

import (
	"unicode"
	"unicode/utf8"
)

// kind of a character, for the estimate: characters of the same kind in a row are one
// piece, except for signs.
type kind uint8

const (
	sign kind = iota
	letter
	digit
	blank
	newline
	kana
	han
	hangul
	nothing
)

func kindOf(r rune) kind {
	switch {
	case isLetter(r):
		return letter
	case isDigit(r):
		return digit
	case r == ' ', r == '\t':
		return blank
	case r == '\r', r == '\n':
		return newline
	case r >= 0x3040 && r <= 0x30ff:
		return kana
	case r >= 0x3400 && r <= 0x9fff:
		return han
	case r >= 0xac00 && r <= 0xd7af:
		return hangul
	case unicode.IsSpace(r):
		return nothing
	}
	return sign
}

// Estimate is the estimate of tokens that the research counts with, without a
// vocabulary. It decides which compactions are large enough to look at.
func Estimate(text string) int {
	n := 0.0
	for len(text) > 0 {
		first, size := utf8.DecodeRuneInString(text)
		k := kindOf(first)
		for k != sign && size < len(text) {
			r, more := utf8.DecodeRuneInString(text[size:])
			if kindOf(r) != k {
				break
			}
			size += more
		}
		n += estimatePiece(text[:size], k)
		text = text[size:]
	}
	return int(n + 0.5)
}

func estimatePiece(piece string, k kind) float64 {
	switch k {
	case letter:
		return estimateWord(piece)
	case digit:
		return float64((len(piece) + 2) / 3)
	case blank:
		return float64(min(len(piece)-1, 1))
	case newline:
		return 1
	case kana:
		return 0.75 * float64(utf8.RuneCountInString(piece))
	case han, hangul:
		return 0.9 * float64(utf8.RuneCountInString(piece))
	case nothing:
		return 0
	}
	if piece[0] < utf8.RuneSelf {
		return 0.75
	}
	return 0.9
}

// estimateWord counts the humps of a long word: HTTPServer is HTTP and Server.
func estimateWord(word string) float64 {
	if len(word) <= 6 {
		return 1
	}
	n := 0.0
	for len(word) > 0 {
		capitals := 0
		for capitals < len(word) && word[capitals] <= 'Z' {
			capitals++
		}
		end := capitals
		for end < len(word) && word[end] > 'Z' {
			end++
		}
		if capitals > 1 && end > capitals {
			end = capitals - 1
		}
		n += estimateHump(end)
		word = word[end:]
	}
	return n
}

func estimateHump(length int) float64 {
	if length <= 9 {
		return 1
	}
	return 1 + float64(length-9)/5
}
