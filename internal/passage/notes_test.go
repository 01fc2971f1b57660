package passage

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNotesKeepWhatCarriesMost(t *testing.T) {
	t.Parallel()
	filler := []string{"That sounds great, thanks!", "Great, that sounds good.", "Thanks, good to hear that.", "Good, thanks! Sounds great."}
	for _, test := range []struct {
		name   string
		texts  []string
		budget int
		count  func(string) int
		want   string
	}{
		{
			"facts come before pleasantries",
			[]string{"Hello there! My sister Ann moved to Lisbon in 2019.", "That is great! Thanks for that.", "Great, thanks! That is great."},
			10, words, "User: My sister Ann moved to Lisbon in 2019.",
		},
		{
			"articles go, dates and speakers stay",
			[]string{"(8 May 2023) Ann: I adopted a puppy.", "Ann: Sounds good.", "Ann: Sounds good."},
			9, words, "(8 May 2023)\nAnn: I adopted puppy.",
		},
		{
			"said twice, the later one stays",
			append(slices.Clone(filler), "My flight leaves Oslo.", "Good.", "So my flight leaves from Oslo!"),
			8, words, "User: So my flight leaves from Oslo!",
		},
		{
			"the user's rule comes before a fact",
			append([]string{"Never deploy on Fridays.", "Berlin trains arrive Mondays."}, filler...),
			6, words, "User: Never deploy on Fridays.",
		},
		{
			"the assistant states no rules",
			append([]string{"Berlin trains arrive Mondays.", "Never deploy on Fridays."}, filler...),
			6, words, "User: Berlin trains arrive Mondays.",
		},
		{
			"a Japanese rule comes before a fact",
			[]string{"明日は東京。", "はい。", "本番を触らないでね。", "はい。"},
			17, utf8.RuneCountInString, "User: 本番を触らないでね。",
		},
		{
			"what is corrected later goes first",
			append([]string{"The team meeting is Tuesday 14.", "Good.", "Actually, the team meeting is Thursday."}, filler...),
			7, words, "User: Actually, team meeting is Thursday.",
		},
		{
			"an apology announces a correction",
			append([]string{"The team meeting is Tuesday 14.", "Good.", "Sorry! The team meeting is on Thursday."}, filler...),
			8, words, "User: Sorry! The team meeting is on Thursday.",
		},
		{
			"what is corrected in Japanese goes first",
			[]string{"会議の場所は渋谷駅。", "はい。", "いや、会議の場所は新宿駅。", "はい。"},
			21, utf8.RuneCountInString, "User: いや、会議の場所は新宿駅。",
		},
		{
			"code is kept whole",
			append([]string{"Run this:\n```\nmake the thing. now\nmake install\n```"}, filler...),
			10, words, "User: ```\nmake the thing. now\nmake install\n```",
		},
		{
			"code is left out whole",
			append([]string{"Run this:\n```\nmake the thing. now\nmake install\n```"}, filler...),
			5, words, "User: Run this:",
		},
		{"nothing fits", []string{"My sister Ann moved to Lisbon."}, 3, words, ""},
		{"nothing was said", nil, 100, words, ""},
		{"there is no budget", []string{"My sister Ann."}, 0, words, ""},
		{"one line is enough", []string{"My sister Ann."}, 10, words, "User: My sister Ann."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Notes(Of(chat(test.texts...), nil), test.budget, test.count); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// talk returns a made conversation with dates, code and both languages.
func talk(seed uint64, messages int) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"I bought", "the Lisbon", "a dog", "never use tabs", "sister", "in 2019.", "Why?", "駅から徒歩5分。", "「はい。」と", "```\ncode the a\n```", "\n", "(8 May 2023) ", "\n[2024-01-02] ", "Actually, no.", "!", "\"the end\"", "Ann: ", "\nAnn: ", "| a | the |", "w"}
	var texts []string
	for range messages {
		var b strings.Builder
		for range 1 + r.IntN(20) {
			b.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(3) == 0 {
				b.WriteString(string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26))))
			}
			b.WriteByte(' ')
		}
		texts = append(texts, b.String())
	}
	return texts
}

func TestNotesObeyTheirLaws(t *testing.T) {
	t.Parallel()
	counters := map[string]func(string) int{
		"words": words,
		"bytes": func(s string) int { return len(s) },
		"whole": func(s string) int { return len(s) * len(s) / 100 }, // the whole costs more than its pieces
	}
	for seed := range uint64(30) {
		all := Of(chat(talk(seed, 40)...), nil)
		for name, count := range counters {
			for _, budget := range []int{1, 7, 50, 300, 2000} {
				got := Notes(all, budget, count)
				if n := count(got); n > budget {
					t.Fatalf("seed %d, %s: %d tokens, budget %d", seed, name, n, budget)
				}
				if got != Notes(all, budget, count) {
					t.Fatalf("seed %d, %s: two results", seed, name)
				}
				comesFrom(t, all, got, func(p Passage) []string {
					if isVerbatim(p.Text) {
						return []string{p.Text}
					}
					return SplitLine(nil, withoutArticles(p.Text))
				})
			}
		}
	}
}

// comesFrom checks that a text consists of pieces of passages in order, with their dates and
// speakers.
func comesFrom(t *testing.T, all []Passage, text string, pieces func(Passage) []string) {
	t.Helper()
	date := ""
	for _, p := range all {
		head := p.Speaker + ":"
		if p.Date != "" && p.Date != date {
			head = p.Date + "\n" + head
		}
		rest, ok := strings.CutPrefix(text, head)
		if !ok {
			continue
		}
		if after, ok := afterPieces(rest, pieces(p)); ok {
			text, date = strings.TrimPrefix(after, "\n"), p.Date
		}
	}
	if text != "" {
		t.Fatalf("%q stands nowhere, or not in order", text)
	}
}

// afterPieces returns what follows some of the pieces and the end of their line.
func afterPieces(text string, pieces []string) (string, bool) {
	for i, s := range pieces {
		rest, ok := strings.CutPrefix(text, " "+s)
		if !ok {
			continue
		}
		if rest == "" || rest[0] == '\n' {
			return rest, true
		}
		if after, ok := afterPieces(rest, pieces[i+1:]); ok {
			return after, true
		}
	}
	return "", false
}

func TestNotesUseTheirBudget(t *testing.T) {
	t.Parallel()
	all := babble(2000)
	for _, budget := range []int{500, 3000, 20_000} {
		if n := words(Notes(all, budget, words)); n*100 < budget*97 {
			t.Errorf("%d of %d tokens are used", n, budget)
		}
	}
}

func TestNotesCountEachSentenceOnce(t *testing.T) {
	t.Parallel()
	all := babble(2000)
	seen := map[string]int{}
	total := 0
	Notes(all, 3000, func(s string) int {
		if !strings.Contains(s, "\n") {
			seen[s]++
		}
		total += len(s)
		return words(s)
	})
	size := 0
	for _, p := range all {
		size += len(p.Text)
	}
	for s, n := range seen {
		if n > 1 {
			t.Fatalf("%q is counted %d times", s, n)
		}
	}
	if total > 3*size {
		t.Errorf("%d bytes are counted, the passages have %d", total, size)
	}
}

// Texts that could make a reader go over them again and again stay within all bounds.
func TestLongTextsOfOnePieceStayWithinAllBounds(t *testing.T) {
	t.Parallel()
	const size, budget = 1 << 20, 300
	for _, piece := range []string{
		"a", "漢", "a漢", "a ", "a: b\n", "(2", "(2023)\n", ". ", ".)", "。」", "e.g. ", "!", `"a `, "```\n", "~~~~", "|a", "a'",
		"<summary></summary>\n", "<summary>\n", "Actually, no team.\n", "Sorry! x y. ", "oh, ", "ごめん、", "\xd8",
	} {
		all := Of(chat(strings.Repeat(piece, size/len(piece))), nil)
		text := strings.Repeat(piece, size/len(piece))
		for _, got := range []string{Notes(all, budget, utf8.RuneCountInString), NewIndex(all).Search(text, budget, utf8.RuneCountInString)} {
			if n := utf8.RuneCountInString(got); n > budget {
				t.Errorf("%q: %d tokens", piece, n)
			}
		}
	}
}
