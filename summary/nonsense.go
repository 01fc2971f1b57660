package summary

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll"
)

// What a small model may write instead of a summary.
var (
	errLoop         = errors.New("the summary says the same again and again")
	errInstructions = errors.New("the summary repeats its instructions")
	errLanguage     = errors.New("the summary is in another language")
	errForeign      = errors.New("the summary tells of something else")
)

// The bounds of nonsense. Summaries that large models wrote of recorded sessions say
// nearly everything once (0.74 of their windows at least), and have most of their words
// from the session (0.71 at least).
const (
	minDistinct   = 0.5
	maxInstructed = 0.3
	minKnown      = 0.3
	// fewWindows and fewWords prove nothing.
	fewWindows = 150
	fewWords   = 12
)

// nonsense returns an error if a summary is no account of the old messages, whatever its
// form.
func (r *Request) nonsense(s Summary) error {
	text := body{text: s.Retain + "\n" + withoutTags(s.Text)}.split().text
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return errEmpty
	}
	if share := distinct(text); share < minDistinct {
		return fmt.Errorf("%w: %.0f %% of it is new", errLoop, 100*share)
	}
	if share := r.instructed(text); share > maxInstructed {
		return fmt.Errorf("%w: %.0f %% of it", errInstructions, 100*share)
	}
	people := r.peopleSaid()
	if was, is := ideographicShare(people), ideographicShare(text); was > 0.5 && is < 0.1 || was < 0.02 && is > 0.5 {
		return errLanguage
	}
	if share := r.known(text, people); share < minKnown {
		return fmt.Errorf("%w: the messages have %.0f %% of its words", errForeign, 100*share)
	}
	return nil
}

// withoutTags removes the tags of a snapshot.
func withoutTags(text string) string {
	for _, name := range append(sections(), snapshotTag) {
		text = strings.NewReplacer("<"+name+">", "", "</"+name+">", "").Replace(text)
	}
	return text
}

// distinct returns which share of a text's windows it has once. The numbers of a list do
// not make its items different.
func distinct(text string) float64 {
	text = plainSpace(strings.Join(sentences(text), " "))
	seen, all := map[uint64]bool{}, 0
	eachWindow(text, guardWindow, func(hash uint64) {
		seen[hash] = true
		all++
	})
	if all < fewWindows {
		return 1
	}
	return float64(len(seen)) / float64(all)
}

// instructed returns which share of a text is in the request for the summary.
func (r *Request) instructed(text string) float64 {
	asked := *r
	asked.Previous = Summary{}
	instructions := map[uint64]bool{}
	eachWindow(lettersOf(asked.Prompt.System+"\n"+Ask(&asked)), guardWindow, func(hash uint64) { instructions[hash] = true })
	found, all := 0, 0
	eachWindow(lettersOf(text), guardWindow, func(hash uint64) {
		all++
		if instructions[hash] {
			found++
		}
	})
	if all == 0 {
		return 0
	}
	return float64(found) / float64(all)
}

// peopleSaid returns what user and assistant said in the old part, and the earlier
// summary.
func (r *Request) peopleSaid() string {
	var b strings.Builder
	b.WriteString(r.Previous.Retain + "\n" + r.Previous.Text)
	for i := r.Old.Start; i < r.Old.End; i++ {
		b.WriteString("\n" + r.Conversation.Messages.At(i).Text())
	}
	return b.String()
}

// ideographicShare returns which share of a text's letters are kanji, kana or hangul.
func ideographicShare(text string) float64 {
	var of [ideographic + 1]int
	for _, r := range text {
		of[scriptOf(r)]++
	}
	return float64(of[ideographic]) / float64(max(1, of[alphabetic]+of[ideographic]))
}

// known returns which share of a summary's words the conversation has.
func (r *Request) known(text, people string) float64 {
	words := map[string]bool{}
	note := func(said string) {
		eachWord(said, func(word string) {
			if _, ok := words[word]; ok {
				words[word] = true
			}
		})
	}
	eachWord(text, func(word string) { words[word] = false })
	if len(words) < fewWords {
		return 1
	}
	note(people)
	note(plimsoll.TextOf(r.Conversation.System))
	r.eachOldText(note)
	found := 0
	for _, there := range words {
		if there {
			found++
		}
	}
	return float64(found) / float64(len(words))
}

// eachWord visits the words of alphabetic scripts with four letters and more, in lower
// case and without their endings.
func eachWord(text string, visit func(word string)) {
	const stem = 5
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) || scriptOf(r) != alphabetic }) {
		if letters := []rune(strings.ToLower(word)); len(letters) >= 4 {
			visit(string(letters[:min(stem, len(letters))]))
		}
	}
}
