package split

import "unicode/utf8"

// nextCL100K finds the end of the first match of
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
//	 ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// with at most digits characters in a group of digits.
func nextCL100K(text string, pos, digits int) int {
	class, width := classAt(text, pos)
	after := pos + width
	if class&letter != 0 {
		return skipLetters(text, after)
	}
	if class&digit != 0 {
		return digitGroup(text, after, digits-1)
	}
	if n := contraction(text, pos); n > 0 {
		return pos + n
	}
	if !isNewline(text[pos]) {
		if end := skipLetters(text, after); end > after {
			return end
		}
	}
	if class&symbol != 0 || text[pos] == ' ' && has(text, after, symbol) {
		return skipNewlines(text, skip(text, after, symbol))
	}
	return lineRun(text, pos)
}

// digitGroup skips at most n digits.
func digitGroup(text string, pos, n int) int {
	for ; n > 0 && pos < len(text); n-- {
		class, width := classAt(text, pos)
		if class&digit == 0 {
			break
		}
		pos += width
	}
	return pos
}

func skipNewlines(text string, pos int) int {
	for pos < len(text) && isNewline(text[pos]) {
		pos++
	}
	return pos
}

// lineRun finds the end of the first match of \s*[\r\n]+|\s+(?!\S)|\s+ at pos:
// the whitespace up to its last line break if it has one, else like spaceRun.
func lineRun(text string, pos int) int {
	end := skip(text, pos, space)
	for line := end; line > pos; line-- {
		if isNewline(text[line-1]) {
			return line
		}
	}
	return withoutLast(text, pos, end)
}

// withoutLast returns the start of the last character of the whitespace
// text[pos:end], which belongs to what follows; end if nothing follows or
// there is no other character.
func withoutLast(text string, pos, end int) int {
	_, width := utf8.DecodeLastRuneInString(text[pos:end])
	if end == len(text) || end-width == pos {
		return end
	}
	return end - width
}
