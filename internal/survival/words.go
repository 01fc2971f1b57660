package survival

import (
	"strings"
	"unicode"
)

// Words returns the content words of what people say, in lower case: numbers, Latin
// words that are no function words, and runs of two or more kanji or katakana. They stand
// for the facts of a chat as [Atoms] do for those of an agent's session.
func Words(text string) map[string]bool {
	found := map[string]bool{}
	start, script := 0, 0
	take := func(end int) {
		word := strings.ToLower(text[start:end])
		if n := len([]rune(word)); script == number || script != 0 && n >= 2 && !function[word] {
			found[word] = true
		}
	}
	for i, r := range text {
		s := scriptOf(r)
		if s != script {
			take(i)
			start, script = i, s
		}
	}
	take(len(text))
	return found
}

// What a content word is made of.
const (
	number = iota + 1
	latin
	katakana
	kanji
)

func scriptOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return number
	case unicode.Is(unicode.Latin, r):
		return latin
	case r >= 'ァ' && r <= 'ヿ':
		return katakana
	case r >= 0x3400 && r <= 0x9fff || r == '々':
		return kanji
	}
	return 0
}

// function are English words that say nothing by themselves, with what is left of
// "don't" and "I'll" beside the apostrophe.
var function = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`the an of in on at to for and or is was were are am be been being it its he she they
		his her their them him my me your our us you we that this these those there here with as by from had has have did do
		does done not no yes so but if then than about into over after before up out off down what when where who which why how
		can could will would shall should may might must just also very too really some any all more most much many other
		one ll ve re don didn doesn isn wasn won couldn wouldn ok oh`) {
		set[w] = true
	}
	return set
}()
