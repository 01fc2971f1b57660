package split

// nextGPT2 finds the end of the first match of
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func nextGPT2(text string, pos int) int {
	if n := contractionLower(text, pos); n > 0 {
		return pos + n
	}
	at := pos
	if text[pos] == ' ' && pos+1 < len(text) {
		at++
	}
	class, width := classAt(text, at)
	switch {
	case class&letter != 0:
		return skipLetters(text, at+width)
	case class&digit != 0:
		return skip(text, at+width, digit)
	case class&symbol != 0:
		return skip(text, at+width, symbol)
	}
	return spaceRun(text, pos)
}

// spaceRun finds the end of the first match of \s+(?!\S)|\s+ at pos: all of
// the whitespace at the end of the text, else all but the last character,
// unless there is only one.
func spaceRun(text string, pos int) int {
	return withoutLast(text, pos, skip(text, pos, space))
}
