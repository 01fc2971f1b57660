package split

// nextO200K finds the end of the first match of
//
//	[^\r\n\p{L}\p{N}]?U*L+C?|[^\r\n\p{L}\p{N}]?U+L*C?|\p{N}{1,3}|
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// where U is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], L is [\p{Ll}\p{Lm}\p{Lo}\p{M}] and
// C is (?i:'s|'t|'re|'ve|'m|'ll|'d), with at most digits characters in a group
// of digits and C only if contractions is set.
func nextO200K(text string, pos, digits int, contractions bool) int {
	class, width := classAt(text, pos)
	after := pos + width
	if class&digit != 0 {
		return digitGroup(text, after, digits-1)
	}
	if end := nextWord(text, pos, after, class); end > pos {
		if contractions {
			end += contraction(text, end)
		}
		return end
	}
	if class&symbol != 0 || text[pos] == ' ' && has(text, after, symbol) {
		return skipNewlinesAndSlashes(text, skip(text, after, symbol))
	}
	return lineRun(text, pos)
}

// nextWord finds the end of the word, with its optional prefix, whose first
// character is of the given class and ends at after; pos if there is none.
func nextWord(text string, pos, after int, class uint8) int {
	switch {
	case class&letter != 0:
		end, _ := casedWord(text, pos)
		return end
	case class&mark != 0:
		return markedWord(text, after)
	case !isNewline(text[pos]) && has(text, after, word):
		end, _ := casedWord(text, after)
		return end
	}
	return pos
}

// markedWord finds the end of a word that starts with a mark ending at after.
// A mark can be the prefix of a word as well as a part of it; as a prefix it
// binds only a word that has a lower-case part.
func markedWord(text string, after int) int {
	if has(text, after, word) {
		if end, cased := casedWord(text, after); cased {
			return end
		}
	}
	return after
}

// casedWord finds the end of U*L+ at pos, or else of U+, and reports whether
// it was the former. If no purely lower-case letter follows the longest U*,
// the word ends after the last character that is in both sets.
func casedWord(text string, pos int) (end int, cased bool) {
	end, both := pos, -1
	for {
		for end < len(text) && 'A' <= text[end] && text[end] <= 'Z' {
			end++
		}
		if at := skipCaseless(text, end); at > end {
			end, both = at, at
		}
		if end == len(text) {
			break
		}
		class, width := classAt(text, end)
		if class&upper == 0 {
			if class&lower != 0 {
				return skip(text, end+width, lower), true
			}
			break
		}
		end += width
		if class&lower != 0 {
			both = end
		}
	}
	if both >= 0 {
		return both, true
	}
	return end, false
}

func skipNewlinesAndSlashes(text string, pos int) int {
	for pos < len(text) && (isNewline(text[pos]) || text[pos] == '/') {
		pos++
	}
	return pos
}
