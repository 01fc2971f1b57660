package summary

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentencesEndByScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"English ends before a blank", "Use tabs. Why? Never edit v1.2 of main.go!", []string{"Use tabs.", "Why?", "Never edit v1.2 of main.go!"}},
		{"Japanese ends at its marks", "テストを先に書く。本当に？はい！終わり", []string{"テストを先に書く。", "本当に？", "はい！", "終わり"}},
		{"a closing quote belongs to the sentence, and a quotation does not end it", "彼は「やめて。」と言った。He said \"no.\" Then left.", []string{"彼は「やめて。」と言った。", `He said "no."`, "Then left."}},
		{"both scripts mix", "main.goを直す。Then run go test.", []string{"main.goを直す。", "Then run go test."}},
		{"lines end sentences, bullets go", "# Plan\n- first item\n2. second item\n・三つ目", []string{"Plan", "first item", "second item", "三つ目"}},
		{"abbreviations do not end", "Use a tool, e.g. grep, to look.", []string{"Use a tool, e.g. grep, to look."}},
		{"code is passed over", "Before.\n```go\nmust not count. at all\n```\nAfter.", []string{"Before.", "After."}},
		{"marks alone are nothing", "...\n---\n!!", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, sentences(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("a. b? c! 。！？」 e.g. x\n```\ncode")
	f.Add("\xff\xfe. \x80。")
	f.Fuzz(func(t *testing.T, text string) {
		total := 0
		for _, s := range sentences(text) {
			total += len(s)
		}
		if total > len(text) {
			t.Errorf("sentences of %d bytes in a text of %d", total, len(text))
		}
	})
}

func TestRankTakesWhatTheTextIsAboutAndNothingTwice(t *testing.T) {
	t.Parallel()
	var all []candidate
	for i, s := range []string{
		"Lunch was fine today and the sun shone.",
		"The parser loses the last token because the lexer stops early.",
		"The lexer stops early when the buffer of the parser is full.",
		"So the parser and the lexer share one buffer now.",
		"The parser loses the last token because the lexer stops too early.",
		"構文解析器のバッファが原因で字句解析が止まる。",
	} {
		all = append(all, candidate{text: s, order: i, weight: 1})
	}
	best := rankSentences(all, 3)
	if len(best) != 3 {
		t.Fatalf("%d sentences", len(best))
	}
	for i, c := range best {
		if c.order == 0 {
			t.Errorf("lunch is number %d", i)
		}
	}
	orders := []int{best[0].order, best[1].order, best[2].order}
	if slices.Contains(orders, 1) && slices.Contains(orders, 4) {
		t.Error("the same sentence twice")
	}
}
