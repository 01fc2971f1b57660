package passage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// words counts words, as a counter of tokens would.
func words(s string) int { return len(strings.Fields(s)) }

// chat returns a conversation in which the user and the assistant take turns.
func chat(texts ...string) plimsoll.Conversation {
	var all []plimsoll.Message
	for i, text := range texts {
		role := plimsoll.User
		if i%2 == 1 {
			role = plimsoll.Assistant
		}
		all = append(all, plimsoll.Say(role, text))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(all...)}
}

func TestPassagesHaveDatesAndSpeakers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		texts []string
		want  []Passage
	}{
		{
			"roles speak where there are no labels",
			[]string{"Hi.\n\nNote: rain.", "Hello."},
			[]Passage{{0, "", "User", "Hi."}, {0, "", "User", "Note: rain."}, {1, "", "Assistant", "Hello."}},
		},
		{
			"a label counts from the third line on",
			[]string{"(8 May 2023) Ann: one", "Bob: two\nAnn: three", "Ann: four"},
			[]Passage{
				{0, "(8 May 2023)", "Ann", "one"},
				{1, "(8 May 2023)", "Assistant", "Bob: two"},
				{1, "(8 May 2023)", "Ann", "three"},
				{2, "(8 May 2023)", "Ann", "four"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Of(chat(test.texts...), nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotesKeepFactsBeforePleasantries(t *testing.T) {
	t.Parallel()
	c := chat("Hello there! My sister Ann moved to Lisbon in 2019.", "That is great! Thanks for that.", "Great, thanks! That is great.")
	const want = "User: My sister Ann moved to Lisbon in 2019."
	if got := Notes(Of(c, nil), 10, words); got != want {
		t.Errorf("got %q", got)
	}
}

func TestSearchFindsWhatAQuestionNeeds(t *testing.T) {
	t.Parallel()
	c := chat("My sister Ann moved to Lisbon.", "Nice.", "a", "b", "c", "d", "The car is red.")
	got := NewIndex(Of(c, nil)).Search("Where did Ann move?", 20, words)
	if !strings.Contains(got, "User: My sister Ann moved to Lisbon.") || strings.Contains(got, "car") {
		t.Errorf("got %q", got)
	}
}
