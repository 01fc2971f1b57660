package passage

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// FuzzPassages reads, notes and searches any text. Nothing may panic, and what is written
// fits and is valid if the text is.
func FuzzPassages(f *testing.F) {
	for _, text := range talk(1, 8) {
		f.Add(text, "Did Ann buy the dog in 2019? 駅", uint16(40))
	}
	f.Add("(8 May 2023) Ann: I'm a \"the\" `a b` x.\nAnn: 。」。」!?\n~~~\n", "the a", uint16(9))
	f.Add("! "+strings.Repeat("\xd8", 2*maxLine), "", uint16(262)) // a clipped sentence of invalid bytes
	f.Add("\xff\xfe. \x80。``` \xf0\x9f", "\xff", uint16(3))
	f.Fuzz(func(t *testing.T, text, question string, size uint16) {
		budget := int(size) % 500
		c := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, text), plimsoll.Say(plimsoll.Assistant, question), plimsoll.Say(plimsoll.User, text))}
		all := Of(c, nil)
		total := 0
		for _, p := range all {
			total += len(p.Text)
			if p.Text == "" || p.Speaker == "" {
				t.Fatalf("an empty passage: %+v", p)
			}
		}
		if most := 2*len(text) + len(question) + 3*(len(text)+len(question)+2); total > most {
			t.Errorf("passages of %d bytes, want at most %d", total, most)
		}
		for _, got := range []string{Notes(all, budget, utf8.RuneCountInString), NewIndex(all).Search(question, budget, utf8.RuneCountInString)} {
			if n := utf8.RuneCountInString(got); n > budget {
				t.Errorf("%d tokens, budget %d", n, budget)
			}
			if utf8.ValidString(text) && utf8.ValidString(question) && !utf8.ValidString(got) {
				t.Errorf("invalid text %q", got)
			}
		}
	})
}
