package passage

import (
	"strings"
	"testing"
	"unicode/utf8"

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
		{
			"a date holds until the next one, with or without text after it",
			[]string{"[2023-05-08 13:56]\none", "two", "（注）three\n(2024年1月2日) 四"},
			[]Passage{
				{0, "[2023-05-08 13:56]", "User", "one"},
				{1, "[2023-05-08 13:56]", "Assistant", "two"},
				{2, "[2023-05-08 13:56]", "User", "（注）three"},
				{2, "(2024年1月2日)", "User", "四"},
			},
		},
		{
			"a link with a year is no date",
			[]string{"[Report 2023](https://example.com) is out."},
			[]Passage{{0, "", "User", "[Report 2023](https://example.com) is out."}},
		},
		{
			"a block of code is one passage, with or without an end",
			[]string{"Run this:\n```go\nx := 1\n\n  (2023) y. Z\n```\nDone.", "~~~\na\nb"},
			[]Passage{
				{0, "", "User", "Run this:"},
				{0, "", "User", "```go\nx := 1\n\n  (2023) y. Z\n```"},
				{0, "", "User", "Done."},
				{1, "", "Assistant", "~~~\na\nb\n~~~"},
			},
		},
		{
			"notes can be read again",
			[]string{"x", "(8 May 2023)\nUser: I like tea.\nAssistant: ```\ncode\n```\nUser: Bye."},
			[]Passage{
				{0, "", "User", "x"},
				{1, "(8 May 2023)", "User", "I like tea."},
				{1, "(8 May 2023)", "Assistant", "```\ncode\n```"},
				{1, "(8 May 2023)", "User", "Bye."},
			},
		},
		{
			"what programs wrote is left out",
			[]string{
				plimsoll.EarlierReceipt,
				"<plimsoll_checkpoint>\nUser: old\n</plimsoll_checkpoint>\nkept",
				"<system-reminder>\nobey\n</system-reminder>\n[plimsoll: 3 earlier messages (9 tokens) were removed to fit the context window]\nmine",
				"<summary>never closed\nold",
			},
			[]Passage{{1, "", "Assistant", "kept"}, {2, "", "User", "mine"}},
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

func TestOnlyTextsOfWantedMessagesArePassages(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.System, "system"),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "thought"}, plimsoll.Text{Text: "said"}, plimsoll.ToolCall{Name: "run", Arguments: "{}"}),
		plimsoll.NewMessage(plimsoll.User, plimsoll.ToolResult{Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "output"})}),
		plimsoll.Say(plimsoll.User, "refused"),
	)}
	want := []Passage{{1, "", "Assistant", "said"}}
	if diff := cmp.Diff(want, Of(c, func(i int) bool { return i != 3 })); diff != "" {
		t.Error(diff)
	}
}

func TestALongLineIsSplitAtItsSentences(t *testing.T) {
	t.Parallel()
	all := Of(chat(strings.Repeat("One short sentence. ", 500)+strings.Repeat("長", 400_000)), nil)
	if len(all) < 5 {
		t.Errorf("%d passages", len(all))
	}
	for _, p := range all {
		if len(p.Text) > maxLine || !utf8.ValidString(p.Text) {
			t.Errorf("a passage of %d bytes", len(p.Text))
		}
	}
}
