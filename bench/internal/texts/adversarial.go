package texts

import "strings"

// Adversarial is a kind of text that stalls tokenizers whose time is not linear.
type Adversarial struct {
	Name string
	make func(n int) string
}

// Make returns a text of n bytes, less if that would split a character.
func (a Adversarial) Make(n int) string { return Cut(a.make(n), n) }

// Adversarials returns the kinds.
func Adversarials() []Adversarial {
	return []Adversarial{
		{"letter a", run("a")},
		{"spaces", run(" ")},
		{"newlines", run("\n")},
		{"equal signs", run("=")},
		{"digits", run("7")},
		{"accents", run("\u0301")},
		{"indented blank lines", run("\n \t")},
		{"random letters", func(n int) string { return new(random(7)).letters(lower, n) }},
		{"random case", func(n int) string { return new(random(8)).letters("aAbBcCdDeE", n) }},
		{"one CJK run", cjkRun},
	}
}

func run(unit string) func(n int) string {
	return func(n int) string { return strings.Repeat(unit, n/len(unit)+1) }
}

// cjkRun is one word of common Han characters without any separator.
func cjkRun(n int) string {
	r := random(9)
	var b strings.Builder
	for b.Len() < n {
		b.WriteRune(rune(0x4e00 + r.below(0x1000)))
	}
	return b.String()
}
