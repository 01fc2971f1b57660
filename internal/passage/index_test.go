package passage

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// far returns messages without meaning that keep others apart.
func far(texts ...string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, text)
		for range 9 {
			all = append(all, "Mhm.")
		}
	}
	return all
}

func TestSearchFindsWhatAQuestionNeeds(t *testing.T) {
	t.Parallel()
	facts := far("(8 May 2023) My sister Ann moved to the old town of Lisbon.", "(9 June 2023) I painted the red car for 400 euros.", "東京駅の近くのホテルを予約した。", "Ok, thanks, great! Please continue.")
	people := far("Ann: the trip was fine"+strings.Repeat(" so", 15), "Bob: the trip was long"+strings.Repeat(" so", 15), "Ann: x\nAnn: y", "Bob: x\nBob: y")
	for _, test := range []struct {
		name, question string
		texts          []string
		has, hasNot    string
	}{
		{"the line with the words, verbatim, with its date", "Where did Ann move?", facts, "(8 May 2023)\nUser: My sister Ann moved to the old town of Lisbon.", "car"},
		{"another form of the word", "What is worth painting?", facts, "I painted the red car", "Lisbon"},
		{"the date", "Which gym was that in June?", far("(8 May 2023) The gym was full"+strings.Repeat(" so", 15), "(9 June 2023) The gym was full"+strings.Repeat(" so", 15)), "(9 June 2023)\nUser: The gym was full", "May"},
		{"Japanese by pairs", "ホテルはどこ？", facts, "東京駅の近くのホテルを予約した。", "car"},
		{"the speaker that the question names comes first", "What did Bob say about the trip?", people, "Bob: the trip was long", "Ann: the trip"},
		{"a passage that does not fit is passed over", "Which violin bow?", far(strings.Repeat("violin bow ", 20), "The violin is old."), "The violin is old.", "bow"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := NewIndex(Of(chat(test.texts...), nil)).Search(test.question, 30, words)
			if !strings.Contains(got, test.has) || test.hasNot != "" && strings.Contains(got, test.hasNot) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestSearchReturnsNothingForACourtesy(t *testing.T) {
	t.Parallel()
	x := NewIndex(Of(chat("Ok, thanks! Great. Please go ahead and continue. Ask me something, as we talked earlier.", "了解です。続けてください。お願いします。", "My sister Ann is fine."), nil))
	for _, question := range []string{"", "ok, thanks", "May I ask you something about our earlier talks?", "Great, please continue!", "了解です。続けて。", "お願いします", "Where is Zanzibar?"} {
		if got := x.Search(question, 100, words); got != "" {
			t.Errorf("%q: %q", question, got)
		}
	}
	if NewIndex(nil).Search("Where is Ann?", 100, words) != "" {
		t.Error("an empty index finds something")
	}
}

func TestSearchBringsNeighbours(t *testing.T) {
	t.Parallel()
	texts := append(far("Mhm."), "Where did you buy the violin?", "In a shop by the river.")
	got := NewIndex(Of(chat(append(texts, far("Mhm.")...)...), nil)).Search("Who sold the violin?", 40, words)
	const want = "User: Where did you buy the violin?\nAssistant: In a shop by the river."
	if !strings.Contains(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSearchTakesTheRarestTermsOfALongQuestion(t *testing.T) {
	t.Parallel()
	question := "zither"
	for i := range 60 {
		question = fmt.Sprintf("common%d ", i) + question
	}
	x := NewIndex(Of(chat(question, strings.TrimSuffix(question, "zither")), nil))
	if _, known := x.read(question); len(known) != mostTerms || known[0] != x.ids["zither"] {
		t.Errorf("%d terms, the first is number %d", len(known), known[0])
	}
}

func TestSearchLeavesCommonTermsOutOnlyAmongManyPassages(t *testing.T) {
	t.Parallel()
	for n, found := range map[int]bool{manyPassages - 1: true, manyPassages: false} {
		all := make([]Passage, n)
		for i := range all {
			all[i] = Passage{Speaker: user, Text: "violin"}
		}
		if got := NewIndex(all).Search("violin", 100, words); (got != "") != found {
			t.Errorf("%d passages: %.40q", n, got)
		}
	}
}

func TestSearchObeysItsLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		all := Of(chat(talk(seed, 40)...), nil)
		x := NewIndex(all)
		for _, question := range []string{"Did Ann buy the dog in Lisbon?", "駅から徒歩で何分？", "code in 2019"} {
			for name, count := range map[string]func(string) int{"words": words, "runes": utf8.RuneCountInString, "whole": func(s string) int { return len(s) * len(s) / 100 }} {
				for _, budget := range []int{0, 9, 80, 700} {
					got := x.Search(question, budget, count)
					if n := count(got); n > budget {
						t.Fatalf("seed %d, %s: %d tokens, budget %d", seed, name, n, budget)
					}
					if got != x.Search(question, budget, count) {
						t.Fatalf("seed %d: two results", seed)
					}
					comesFrom(t, all, got, func(p Passage) []string { return []string{p.Text} })
				}
			}
		}
	}
}

func TestAnIndexServesManyAtOnce(t *testing.T) {
	t.Parallel()
	x := NewIndex(babble(500))
	want := x.Search("w1 w2 w300", 200, words)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if x.Search("w1 w2 w300", 200, words) != want {
				t.Error("another result")
			}
		})
	}
	wait.Wait()
}
