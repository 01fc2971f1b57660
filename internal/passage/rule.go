package passage

import (
	"regexp"
	"strings"
)

// Bounds of a rule in bytes.
const (
	minRule = 8
	maxRule = 400
)

// ruleWords mark a sentence that constrains what may be done.
var ruleWords = [...]string{
	"must", "never", "only", "don't", "don’t", "do not", "always", "should not", "shouldn't", "may not", "avoid", "make sure", "ensure", "required", "forbidden", "without", "no longer", "at most", "at least", "keep",
}

var ruleWordsJapanese = [...]string{
	"必ず", "絶対", "禁止", "厳禁", "不可", "のみ", "だけ", "ないで", "ないこと", "てはいけ", "てはなら", "ではいけ", "ではなら", "ちゃだめ", "避け", "以内", "以下", "以上", "必須", "使わず", "変えず", "せずに", "ままに",
}

// IsRule reports whether a sentence of the user is a rule. Questions and headings are
// not, and a long one is pasted text.
func IsRule(sentence string) bool {
	for _, ending := range [...]string{"?", "？", ":", "：", ":**"} {
		if strings.HasSuffix(sentence, ending) {
			return false
		}
	}
	return len(sentence) >= minRule && len(sentence) <= maxRule && constrains(sentence)
}

func constrains(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, w := range ruleWords {
		if containsWord(lower, w) {
			return true
		}
	}
	for _, w := range ruleWordsJapanese {
		if strings.Contains(sentence, w) {
			return true
		}
	}
	return false
}

// containsWord looks for words with no letter before or after them.
func containsWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = end
	}
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

// directive begins a sentence that tells others what to do.
var directive = regexp.MustCompile(`(?i)^(?:(?:and|but|also|so|ok|okay|remember|from now on)[,:]? )*(?:please|don['’]t|do not|never|always|avoid|make sure|ensure|only|use)\b`)

// instructs reports whether a sentence of the user says what to do. A rule word in a
// sentence about the speaker ("I never slept") is not enough.
func instructs(s sentence) bool {
	return !s.self && IsRule(s.text) || len(s.text) <= maxRule && (directive.MatchString(s.text) || strings.Contains(s.text, "てください"))
}

// correction begins a sentence that corrects an earlier one.
var correction = regexp.MustCompile(`(?i)^(?:` +
	`(?:(?:oh|ah|wait|um|well|but|hmm)\b[,.!…]* *)*(?:(?:actually|i meant|i misspoke|correction|scratch that|sorry|my mistake|oops)\b|no(?:pe)?\b *(?:$|[,.:;!—–-]))|` +
	`(?:あ、?|ごめん|すみません|失礼|、)*(?:いや|いえ|訂正|やっぱり|やはり|.{0,12}間違[えい]))`)
