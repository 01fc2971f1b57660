package split

// contractionLower returns the length of a contraction ('s 't 're 've 'm 'll
// 'd, lower case only) at pos, or 0.
func contractionLower(text string, pos int) int {
	if text[pos] != '\'' || pos+1 >= len(text) {
		return 0
	}
	var second byte
	if pos+2 < len(text) {
		second = text[pos+2]
	}
	return contractionOf(text[pos+1], second)
}

// contraction is contractionLower in any case. U+017F, the long s, is an s
// when case is folded; no other character outside ASCII folds to a letter of
// a contraction.
func contraction(text string, pos int) int {
	if pos+1 >= len(text) || text[pos] != '\'' {
		return 0
	}
	first := text[pos+1]
	var second byte
	if pos+2 < len(text) {
		second = text[pos+2]
	}
	if first == 0xC5 && second == 0xBF {
		return len("'ſ")
	}
	return contractionOf(lowerASCII(first), lowerASCII(second))
}

func contractionOf(first, second byte) int {
	switch first {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if second == 'e' {
			return 3
		}
	case 'l':
		if second == 'l' {
			return 3
		}
	}
	return 0
}

func lowerASCII(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}
