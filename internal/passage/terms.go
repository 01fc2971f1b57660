package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerm is the most bytes of a term; longer runs are encoded data.
const maxTerm = 64

// Terms calls visit for every term of a text: the stems of words that carry meaning, and
// pairs of characters of scripts without blanks. It skips hiragana, which is mostly
// grammar.
func Terms(s string, visit func(term string)) {
	scan(s, func(_ int, word string) {
		if !stopWords[word] {
			visit(stem(word))
		}
	}, visit)
}

// scan calls word for every word, in lower case and with its position, and pair for every
// pair of characters of scripts without blanks.
func scan(s string, word func(at int, w string), pair func(string)) {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case unspaced(r):
			end := i + run(s[i:], unspaced)
			pairs(s[i:end], pair)
			i = end
		case isWord(r):
			end := i + run(s[i:], func(r rune) bool { return isWord(r) && !unspaced(r) })
			w := s[i:end]
			if n := ending(s[end:]); n > 0 {
				end += n
				w = strings.ReplaceAll(s[i:end], "’", "'")
			}
			if end-i <= maxTerm {
				word(i, strings.ToLower(w))
			}
			i = end
		default:
			i += size
		}
	}
}

// run returns how many bytes at the beginning of a text belong to a class.
func run(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// ending returns the length of an ending such as 's or n't.
func ending(s string) int {
	for _, mark := range [...]string{"'", "’"} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			if n := run(rest, func(r rune) bool { return r >= 'a' && r <= 'z' }); n > 0 {
				return len(mark) + n
			}
		}
	}
	return 0
}

// pairs visits the pairs of neighbouring characters, or the only one.
func pairs(s string, visit func(term string)) {
	previous, size := utf8.DecodeRuneInString(s)
	if size == len(s) && !isHiragana(previous) {
		visit(s)
	}
	for start, at := 0, size; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !isHiragana(previous) || !isHiragana(r) {
			visit(s[start : at+n])
		}
		previous, start, at = r, at, at+n
	}
}

// stem cuts the commonest English endings.
func stem(w string) string {
	if len(w) <= 4 {
		return w
	}
	w = strings.TrimSuffix(w, "'s")
	if strings.HasSuffix(w, "ies") && len(w) > 4 {
		return w[:len(w)-3] + "y"
	}
	for _, suffix := range [...]string{"ing", "ed", "es", "s"} {
		if strings.HasSuffix(w, suffix) && len(w)-len(suffix) >= 3 && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-len(suffix)]
			break
		}
	}
	if len(w) > 3 && w[len(w)-1] == 'e' {
		w = w[:len(w)-1]
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] >= 'a' && w[n-1] <= 'z' {
		w = w[:n-1]
	}
	return w
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte(byte(r)) && r != '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func isHiragana(r rune) bool { return r >= 0x3040 && r <= 0x309f }

// unspaced reports whether a character belongs to a script that has no blanks between
// words: Japanese, Chinese, Thai, Lao, Khmer or Burmese.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff, r >= 0x1000 && r <= 0x109f, r >= 0x1780 && r <= 0x17ff, r == '々':
		return true
	}
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0xff66 && r <= 0xff9f || r >= 0x20000 && r <= 0x3ffff
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

var stopWords = wordSet(`the a an of in on at to for and or is was were are be been it its he she they his her their my your our i you we
	that this with as by from had has have did do does not no so but if then than about into over after before up out what when who which how
	i'm i've i'd i'll it's that's you're we're they're there's what's don't didn't can't me him them us am will would can could should
	just really very too also some any all more most much many there here these those such only own same being having get got
	where why whom whose might may ever`)
