package passage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentencesEndByScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"English ends before a blank", "Use v1.2 now. Why? Wait… ok!", []string{"Use v1.2 now.", "Why?", "Wait…", "ok!"}},
		{"a closing quote belongs to its sentence", `He said "no." Then left.`, []string{`He said "no."`, "Then left."}},
		{"an abbreviation does not end", "Use a tool, e.g. grep.", []string{"Use a tool, e.g. grep."}},
		{"Japanese ends at its marks", "先に書く。本当に？はい！終わり", []string{"先に書く。", "本当に？", "はい！", "終わり"}},
		{"a Japanese quotation does not end", "「やめて。」と言った。次。", []string{"「やめて。」と言った。", "次。"}},
		{"narrow marks end between Japanese", "本当に?はい!次", []string{"本当に?", "はい!", "次"}},
		{"numbers are sentences, marks are not", "2019. ... !!", []string{"2019."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, SplitLine(nil, test.line)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArticlesAreDroppedOnlyInProse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"articles go", "I saw a dog and the cat in an old house.", "I saw dog and cat in old house."},
		{"titles stay", "The Beatles played A Day.", "The Beatles played A Day."},
		{"quantities stay", "a lot of the things, a few, a bit", "a lot of things, a few, a bit"},
		{"names of one letter stay", "plan a is better, or plan a and b", "plan a is better, or plan a and b"},
		{"quotations stay", `He read "the old man and the sea" by the sea.`, `He read "the old man and the sea" by sea.`},
		{"curly quotations stay", "He read “the end” at the end.", "He read “the end” at end."},
		{"code stays", "Run `cat the file` in the shell.", "Run `cat the file` in shell."},
		{"blocks of code stay", "```\nthe code\n```", "```\nthe code\n```"},
		{"rows of tables stay", "| the name | a value |", "| the name | a value |"},
		{"JSON stays", `{"text": 1, the: a b}`, `{"text": 1, the: a b}`},
		{"text with Japanese stays", "the Beatles が好き a lot", "the Beatles が好き a lot"},
		{"words that end like an article stay", "bathe dogs, area code", "bathe dogs, area code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := withoutArticles(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
