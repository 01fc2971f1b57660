package passage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTermsAreFoundByScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"English is stemmed, stop words go", "The parties I'm planning: Ann’s puppies, running boxes", []string{"party", "plan", "ann", "puppy", "run", "box"}},
		{"digits stay", "Harbour33 2000 item-4711 10055", []string{"harbour33", "2000", "item", "4711", "10055"}},
		{"Japanese is read in pairs, hiragana goes", "構文をする。の木", []string{"構文", "文を", "の木"}},
		{"a single character is a term, if it is no hiragana", "雨 は", []string{"雨"}},
		{"scripts mix", "parserは構文42", []string{"parser", "は構", "構文", "42"}},
		{"Thai has no blanks", "กขค", []string{"กข", "ขค"}},
		{"other scripts have words", "Привет мир", []string{"привет", "мир"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			Terms(test.text, func(term string) { got = append(got, term) })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
