package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SplitLine appends the sentences of a line. A sentence ends at a full stop, question or
// exclamation mark before a blank. Japanese marks end it anywhere, but a quotation does not
// end the sentence around it.
func SplitLine(all []string, line string) []string {
	start, seen := 0, 0
	for i, r := range line {
		if i < seen {
			continue
		}
		switch r {
		case '。', '！', '？', '．', '.', '!', '?', '…':
		default:
			continue
		}
		mark := i + utf8.RuneLen(r)
		seen = mark + closers(line[mark:])
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[seen:])
		ends := seen == len(line) || unicode.IsSpace(after)
		switch {
		case ends:
			ends = r != '.' || !abbreviated(line[start:i])
		case r == '.' || r == '…':
		case r == '!' || r == '?':
			ends = unspaced(before) && unspaced(after)
		default:
			ends = !strings.ContainsAny(line[mark:seen], "」』）")
		}
		if ends {
			all = appendSentence(all, line[start:seen])
			start = seen
		}
	}
	return appendSentence(all, line[start:])
}

func appendSentence(all []string, s string) []string {
	if s = strings.TrimSpace(s); strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
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

// notArticle are the words before which "a" and "the" carry meaning or are no articles.
var notArticle = wordSet("lot few little bit couple is was and or to in")

// withoutArticles drops the articles of English prose, except in quotations and code. Text
// with Japanese in it stays unchanged.
func withoutArticles(s string) string {
	if isVerbatim(s) || strings.ContainsFunc(s, unspaced) {
		return s
	}
	var b strings.Builder
	quoted, from := false, 0
	for i, r := range s {
		switch r {
		case '"', '`':
			quoted = !quoted
		case '“':
			quoted = true
		case '”':
			quoted = false
		case 't', 'a':
			n := article(s[i:])
			if before, _ := utf8.DecodeLastRuneInString(s[:i]); n > 0 && !quoted && (i == 0 || !isWord(before)) {
				b.WriteString(s[from:i])
				from = i + n
			}
		}
	}
	b.WriteString(s[from:])
	return b.String()
}

// article returns the length of the article and the blank at the beginning of a text, or 0.
func article(s string) int {
	for _, a := range [...]string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(s, a); ok {
			if next := rest[:run(rest, isWord)]; next != "" && !notArticle[next] {
				return len(a)
			}
		}
	}
	return 0
}
