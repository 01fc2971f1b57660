package split

import "unicode/utf8"

// nextDeepSeek3 finds the end of the next piece of three splits, each applied
// to the pieces of the one before, what they do not match being kept as
// pieces:
//
//	\p{N}{1,3}
//	[一-龥぀-ゟ゠-ヿ]+
//	[!-/:-@[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
//	 ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// The first two cut the text into segments, and the third sees one segment at
// a time: for it the text ends where the segment ends. Segments are not
// measured in advance, which would take quadratic time; every step asks
// whether the next character still belongs to the segment.
func nextDeepSeek3(text string, pos int) int {
	class, width := classAt(text, pos)
	if class&digit != 0 {
		return digitGroup(text, pos+width, 2)
	}
	s := segment{text: text, han: isHanKana(text, pos)}
	return s.next(pos, pos+width, class)
}

// segment is a stretch of text for the third split: either kana and Han only,
// or free of them and of digits.
type segment struct {
	text string
	han  bool
}

// at returns the class and the width of the character at pos, width 0 if the
// segment ends there.
func (s segment) at(pos int) (class uint8, width int) {
	if pos >= len(s.text) {
		return 0, 0
	}
	class, width = classAt(s.text, pos)
	if class&digit != 0 || isHanKana(s.text, pos) != s.han {
		return 0, 0
	}
	return class, width
}

func (s segment) has(pos int, set uint8) bool {
	class, _ := s.at(pos)
	return class&set != 0
}

// skip is like the function skip, and ends where the segment ends. No flag in
// set may be one that digits have.
func (s segment) skip(pos int, set uint8) int {
	for pos < len(s.text) {
		class, width := classAt(s.text, pos)
		if class&set == 0 || isHanKana(s.text, pos) != s.han {
			break
		}
		pos += width
	}
	return pos
}

// skipWord skips letters and marks.
func (s segment) skipWord(pos int) int {
	if s.han {
		pos = skipHan(s.text, pos)
	} else {
		pos = skipASCIILetters(s.text, pos)
	}
	return s.skip(pos, letter|mark)
}

// skipHan skips letters in [一-龥぀-ゟ゠-ヿ]. It may stop early.
func skipHan(text string, pos int) int {
	for ; pos+3 <= len(text); pos += 3 {
		r, ok := decode3(text[pos], text[pos+1], text[pos+2])
		if !ok || !isHanKanaRune(r) || caseless[r>>6]>>(r&63)&1 == 0 {
			break
		}
	}
	return pos
}

// next finds the end of the piece that starts with a character of the given
// class at pos, which ends at after.
func (s segment) next(pos, after int, class uint8) int {
	switch {
	case class&(letter|mark) != 0:
		return s.skipWord(after)
	case class&graphic != 0:
		return s.symbols(pos, after)
	case !isNewline(s.text[pos]) && s.has(after, letter|mark):
		return s.skipWord(after)
	case class == symbol:
		return s.unmatched(after)
	case s.text[pos] == ' ' && s.has(after, graphic):
		return skipNewlines(s.text, s.skip(after, graphic))
	}
	return s.whitespace(pos)
}

// symbols ends a piece that starts with punctuation or a symbol: one ASCII
// sign takes the ASCII letters after it, otherwise all signs belong together.
func (s segment) symbols(pos, after int) int {
	if s.text[pos] < utf8.RuneSelf {
		if end := skipASCIILetters(s.text, after); end > after {
			return end
		}
	}
	end := s.skip(after, graphic)
	if s.han {
		return end
	}
	return skipNewlines(s.text, end)
}

// unmatched ends a piece of characters that no alternative matches (controls,
// format characters, unassigned ones): up to where a match starts, which may
// be at such a character if a word follows it.
func (s segment) unmatched(pos int) int {
	for {
		class, width := s.at(pos)
		if class != symbol || s.has(pos+width, letter|mark) {
			return pos
		}
		pos += width
	}
}

// whitespace is lineRun inside the segment.
func (s segment) whitespace(pos int) int {
	end, last, line := pos, pos, pos
	for {
		class, width := s.at(end)
		if class&space == 0 {
			switch {
			case line > pos:
				return line
			case width == 0 || last == pos:
				return end
			}
			return last
		}
		last = end
		end += width
		if isNewline(s.text[last]) {
			line = end
		}
	}
}

func skipASCIILetters(text string, pos int) int {
	for pos < len(text) && isASCIILetter(text[pos]) {
		pos++
	}
	return pos
}

// isHanKana reports whether the character at pos is in [一-龥぀-ゟ゠-ヿ].
func isHanKana(text string, pos int) bool {
	if text[pos] < firstDense || pos+2 >= len(text) {
		return false
	}
	r, ok := decode3(text[pos], text[pos+1], text[pos+2])
	return ok && isHanKanaRune(r)
}

func isHanKanaRune(r rune) bool {
	return '一' <= r && r <= '龥' || 0x3040 <= r && r <= 0x30FF
}
