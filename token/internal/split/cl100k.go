package split

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
	end, last, line := pos, pos, pos
	for end < len(text) {
		class, width := classAt(text, end)
		if class&space == 0 {
			break
		}
		last = end
		end += width
		if isNewline(text[last]) {
			line = end
		}
	}
	if line > pos {
		return line
	}
	if end == len(text) || last == pos {
		return end
	}
	return last
}
