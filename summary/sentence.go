package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits prose into sentences. A sentence ends with its line, and at a full
// stop, question or exclamation mark before a blank. Japanese marks end it anywhere. It
// skips code blocks.
func sentences(text string) []string {
	var all []string
	inCode := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
			continue
		}
		if line = trimBullet(line); !inCode && line != "" {
			all = splitLine(all, line)
		}
	}
	return all
}

func splitLine(all []string, line string) []string {
	start := 0
	for i, r := range line {
		if i < start {
			continue
		}
		next := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '．':
			next += closers(line[next:])
		case '.', '!', '?':
			next += closers(line[next:])
			if next < len(line) && line[next] != ' ' || r == '.' && abbreviated(line[start:i]) {
				continue
			}
		default:
			continue
		}
		all = appendSentence(all, line[start:next])
		start = next
	}
	return appendSentence(all, line[start:])
}

func appendSentence(all []string, s string) []string {
	if s = strings.TrimSpace(s); strings.ContainsFunc(s, unicode.IsLetter) {
		all = append(all, s)
	}
	return all
}

// closers counts the bytes of the closing quotes and brackets after a mark.
func closers(s string) int {
	return len(s) - len(strings.TrimLeft(s, `"')]*_」』）】”’`+"`。！？"))
}

// abbreviated reports whether the text ends in an abbreviation with a full stop.
func abbreviated(s string) bool {
	word := strings.ToLower(s[strings.LastIndexByte(s, ' ')+1:])
	switch strings.TrimLeft(word, "(") {
	case "e.g", "i.e", "etc", "vs", "cf", "no", "approx", "mr", "ms", "dr":
		return true
	}
	return false
}

// trimBullet removes the mark of a heading or of a list item.
func trimBullet(line string) string {
	line = strings.TrimLeft(line, "#>・●○■◆ \t")
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– "} {
		line = strings.TrimPrefix(line, bullet)
	}
	if rest, ok := numberedLine(line); ok {
		return rest
	}
	return strings.TrimSpace(line)
}

// script is a kind of writing system.
type script uint8

const (
	noScript script = iota
	alphabetic
	hiragana
	ideographic // kanji and katakana, hangul
)

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if classOf[r]&wordByte != 0 {
			return alphabetic
		}
		return noScript
	case r >= 0x3041 && r <= 0x309f:
		return hiragana
	case r >= 0x30a0 && r <= 0x30ff, r >= 0x3400 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff, r >= 0xac00 && r <= 0xd7a3, r >= 0x20000 && r <= 0x3ffff, r == '々', r == '〆':
		return ideographic
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return alphabetic
	}
	return noScript
}

// words yields the words of a sentence in lower case. Kanji and katakana have no blanks
// between words, so it yields pairs of neighbouring characters. It skips hiragana, which
// is mostly grammar.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			kind, size := noScript, 0
			for i, r := range s {
				k := scriptOf(r)
				if i > 0 && k != kind {
					break
				}
				kind, size = k, i+utf8.RuneLen(r)
				if r == utf8.RuneError {
					size = i + 1
					break
				}
			}
			run := s[:size]
			s = s[size:]
			switch kind {
			case alphabetic:
				if w := strings.ToLower(run); len(w) > 2 && !stopWords[w] && !yield(w) {
					return
				}
			case ideographic:
				if !eachPair(run, yield) {
					return
				}
			}
		}
	}
}

// eachPair yields the pairs of neighbouring characters, or the only one.
func eachPair(run string, yield func(string) bool) bool {
	previous := -1
	for i, r := range run {
		if previous >= 0 && !yield(run[previous:i+utf8.RuneLen(r)]) {
			return false
		}
		previous = i
	}
	return utf8.RuneCountInString(run) > 1 || yield(run)
}

var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for that this with from are was were has have had not but all any can will would should could
		its it's into out now let you your our their them then than there here what when where which who how why also just like
		one two some more most other over under after before about been being does did done doing get got see use using used need needs`) {
		all[w] = true
	}
	return all
}()
