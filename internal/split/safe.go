package split

import "unicode/utf8"

// LastSafe returns the last offset of text at which a piece is known to end
// whatever precedes the neighbouring characters and whatever bytes are
// appended to text. The pieces of text[:offset] taken alone are those of the
// longer text, and the next piece starts at offset. It returns 0 if there is
// no such offset. It looks back from the end only as far as it must: a word or
// two in ordinary text, the length of the last run where no word ends.
func (p Pattern) LastSafe(text string) int {
	end := completeLen(text)
	if at := p.lastDigitGroup(text[:end]); at > 0 {
		return at
	}
	for b := charBefore(text, end); b.start > 0; {
		a := charBefore(text, b.start)
		if p.parts(text, a, b) {
			return b.start
		}
		b = a
	}
	return 0
}

// char is one character of a text.
type char struct {
	start int
	class uint8
	first byte
	han   bool
}

// charBefore returns the character that ends at end; one that starts at 0 if
// there is none.
func charBefore(text string, end int) char {
	if end == 0 {
		return char{}
	}
	_, width := utf8.DecodeLastRuneInString(text[:end])
	c := char{start: end - width, first: text[end-width]}
	c.class, _ = classAt(text[:end], c.start)
	c.han = isHanKana(text[:end], c.start)
	return c
}

// completeLen is the length of text without a UTF-8 sequence at its end that
// more bytes could complete.
func completeLen(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		at := len(text) - n
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// digitGroup returns the size of a full group of digits, 0 if runs of digits
// are not cut.
func (p Pattern) digitGroup() int {
	switch p {
	case CL100K, O200K, DeepSeek3:
		return 3
	case Qwen2, Tekken:
		return 1
	}
	return 0
}

// lastDigitGroup returns the end of the last full group in the run of digits
// at the end of text, 0 if there is none. Groups count from the start of the
// run.
func (p Pattern) lastDigitGroup(text string) int {
	size := p.digitGroup()
	if size == 0 {
		return 0
	}
	start, count := len(text), 0
	for start > 0 {
		c := charBefore(text, start)
		if c.class&digit == 0 {
			break
		}
		start = c.start
		count++
	}
	if count < size {
		return 0
	}
	for range count / size {
		start = digitGroup(text, start, size)
	}
	return start
}

// parts reports whether a piece always ends between the neighbours a and b, and
// also if the text ends there. The second condition rules out whitespace
// before b: its last character is split off only if something follows.
func (p Pattern) parts(text string, a, b char) bool {
	atDigits := (a.class^b.class)&digit != 0
	switch p {
	case GPT2:
		return atDigits && a.class&space == 0 || partsGPT2(a, b)
	case CL100K, Qwen2:
		return atDigits && a.class&space == 0 || partsCL100K(a, b)
	case O200K:
		return atDigits && a.class&space == 0 || partsO200K(text, a, b, true)
	case Tekken:
		return atDigits && a.class&space == 0 || partsO200K(text, a, b, false)
	case DeepSeek3:
		return atDigits || partsDeepSeek3(a, b)
	}
	return false
}

func partsGPT2(a, b char) bool {
	switch {
	case a.class&letter != 0:
		return b.class&letter == 0
	case a.class&(space|digit) != 0:
		return false
	case b.class&letter != 0:
		return a.first != '\''
	}
	return b.class&space != 0
}

func partsCL100K(a, b char) bool {
	switch {
	case a.class&letter != 0:
		return b.class&letter == 0
	case isNewline(a.first):
		return b.class&space == 0
	case a.class&(space|digit) != 0:
		return false
	}
	return b.class&space != 0 && !isNewline(b.first)
}

func partsO200K(text string, a, b char, contractions bool) bool {
	switch {
	case a.class&letter != 0 && b.class&letter != 0:
		return a.class&upper == 0 && b.class&lower == 0 &&
			(!contractions || a.start == 0 || text[a.start-1] != '\'')
	case a.class&letter != 0:
		return b.class&mark == 0 && (!contractions || b.first != '\'')
	case isNewline(a.first):
		return b.class&space == 0 && b.first != '/'
	case a.class&(space|digit) != 0:
		return false
	}
	return b.class&space != 0 && !isNewline(b.first)
}

func partsDeepSeek3(a, b char) bool {
	const inWord = letter | mark
	switch {
	case a.han != b.han:
		return true
	case a.class&inWord != 0:
		return b.class&inWord == 0
	case isNewline(a.first):
		return b.class&space == 0
	case a.class&(space|digit) != 0:
		return false
	case b.class&inWord != 0:
		return a.class&graphic != 0 && (a.first >= utf8.RuneSelf || b.first >= utf8.RuneSelf)
	case a.class&graphic != 0:
		return b.class&graphic == 0 && !isNewline(b.first)
	}
	return b.class != symbol
}
