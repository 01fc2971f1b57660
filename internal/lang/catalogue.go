package lang

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/internal/bar"
)

//go:embed ja.txt
var japaneseText string

var japanese = sync.OnceValue(func() *catalogue { return newCatalogue(japaneseText) })

// catalogue is what one language has for English sentences.
type catalogue struct {
	exact map[string]string
	// formats are the keys that have verbs. Those that continue another sentence come
	// first, because the last verb of that one would take in the rest; then those with
	// most words: the closest one wins.
	formats []format
}

// format is an entry whose key has verbs.
type format struct {
	text string
	// between are the words before, between and behind the verbs, words how many letters
	// they have.
	between []string
	words   int
	// goesOn says that it continues another sentence. That one, and all others inside of
	// it, must be known as well.
	goesOn bool
	// colon says that there is one between its words.
	colon bool
	match func() *regexp.Regexp
}

// entry is what the file has: a key and its translation.
type entry struct{ en, ja string }

var lineBreaks = strings.NewReplacer(`\n`, "\n")

// entries reads the file: lines "en: …" and "ja: …" in pairs, in which \n is a line
// break. Other lines are comments.
func entries(file string) []entry {
	var all []entry
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if en, ok := strings.CutPrefix(line, "en: "); ok {
			all = append(all, entry{en: lineBreaks.Replace(en)})
		} else if ja, ok := strings.CutPrefix(line, "ja: "); ok && len(all) > 0 {
			all[len(all)-1].ja = lineBreaks.Replace(ja)
		}
	}
	return all
}

func newCatalogue(file string) *catalogue {
	c := &catalogue{exact: map[string]string{}}
	for _, e := range entries(file) {
		c.exact[e.en] = e.ja
		key := percents.Replace(e.en)
		if verbsOf(key) != nil {
			var numbers []bool
			for _, p := range place.FindAllString(e.ja, -1) {
				n := int(p[1] - '1')
				numbers = append(numbers, make([]bool, max(0, n+1-len(numbers)))...)
				numbers[n] = strings.HasSuffix(p, "#}")
			}
			c.formats = append(c.formats, format{
				text: e.ja, between: strings.Split(plain(verb.ReplaceAllString(key, "\x01")), "\x01"),
				goesOn: strings.HasPrefix(key, "%s") && strings.Contains(e.ja, "<1>"), colon: strings.Contains(key, ": "),
				words: len(verb.ReplaceAllString(key, "")), match: sync.OnceValue(func() *regexp.Regexp { return matching(key, numbers) }),
			})
		}
	}
	slices.SortStableFunc(c.formats, func(a, b format) int {
		return cmp.Or(cmp.Compare(rank(b.goesOn), rank(a.goesOn)), cmp.Compare(b.words, a.words))
	})
	return c
}

func rank(first bool) int {
	if first {
		return 1
	}
	return 0
}

// verb is a verb of package fmt, or the end of a word that may be many: "turn(s)".
var verb = regexp.MustCompile(`%[-+#0 ]*[0-9]*(?:\.[0-9]+)?(?:\[[0-9]+\])?([a-zA-Z])|\(s\)`)

// percents hides the signs that are no verbs from [verb].
var percents = strings.NewReplacer("%%", "\x00")

// verbsOf finds the verbs of a key in which percent signs are hidden.
func verbsOf(key string) [][]int { return verb.FindAllStringSubmatchIndex(key, -1) }

// plain is a part of a key between verbs, as a sentence has it.
func plain(text string) string { return strings.ReplaceAll(text, "\x00", "%") }

// matching finds the sentences that a format makes, and what its verbs wrote. Numbers
// says which of its verbs write one.
func matching(key string, numbers []bool) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	at, n := 0, 0
	for _, v := range verbsOf(key) {
		b.WriteString(regexp.QuoteMeta(plain(key[at:v[0]])))
		at = v[1]
		if v[2] < 0 {
			b.WriteString(`s?`)
			continue
		}
		switch letter := key[v[2]]; {
		case letter == 'd' || letter == 'f' || n < len(numbers) && numbers[n]:
			b.WriteString(`([-+≈~]?[0-9](?:[0-9.,]*[0-9])?)`)
		case letter == 'q':
			b.WriteString(`("(?:[^"\\]|\\.)*")`)
		case n == 0 && v[0] == 0:
			b.WriteString(`(.*)`) // the sentence that is continued, up to the last of its kind
		default:
			b.WriteString(`(.*?)`)
		}
		n++
	}
	b.WriteString(regexp.QuoteMeta(plain(key[at:])) + `$`)
	return regexp.MustCompile(b.String())
}

// deepest bounds how many sentences stand inside of each other.
const deepest = 6

// say translates a sentence.
func (p Printer) say(sentence string, depth int) (string, bool) {
	return p.sayBy(sentence, depth, func(format) bool { return true })
}

// sayBy translates a sentence by the formats that are wanted, with the blanks around it
// as they are.
func (p Printer) sayBy(sentence string, depth int, wanted func(format) bool) (string, bool) {
	trimmed := strings.TrimSpace(sentence)
	if p.c == nil || trimmed == "" || depth > deepest {
		return sentence, false
	}
	said, ok := p.c.exact[trimmed]
	if !ok {
		said, ok = p.sayFormat(trimmed, depth, wanted)
	}
	if !ok {
		return sentence, false
	}
	at := strings.Index(sentence, trimmed)
	return sentence[:at] + said + sentence[at+len(trimmed):], true
}

func (p Printer) sayFormat(sentence string, depth int, wanted func(format) bool) (string, bool) {
	for _, f := range p.c.formats {
		if !wanted(f) || !f.mayBe(sentence) {
			continue
		}
		found := f.match().FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		known := true
		said := insert(f.text, found[1:], func(argument string) string {
			text, ok := p.argument(argument, depth+1)
			known = known && ok
			return text
		})
		if known || !f.goesOn {
			return said, true
		}
	}
	return "", false
}

// mayBe reports whether a sentence has the words of the format in order, which few
// have; only these are looked at closely.
func (f format) mayBe(sentence string) bool {
	last := len(f.between) - 1
	if !strings.HasPrefix(sentence, f.between[0]) || !strings.HasSuffix(sentence, f.between[last]) {
		return false
	}
	for _, words := range f.between[:last] {
		at := strings.Index(sentence, words)
		if at < 0 {
			return false
		}
		sentence = sentence[at+len(words):]
	}
	return true
}

// argument translates what a verb wrote: a sentence, or a list of them.
func (p Printer) argument(text string, depth int) (string, bool) {
	if said, ok := p.say(text, depth); ok {
		return said, true
	}
	for _, between := range []struct{ en, ja string }{{"; ", "。"}, {", ", "、"}} {
		parts, known := strings.Split(text, between.en), 0
		for i, part := range parts {
			said, ok := p.say(part, depth)
			if parts[i] = said; ok {
				known++
			}
		}
		if known > 0 {
			return strings.Join(parts, between.ja), known == len(parts)
		}
	}
	return text, false
}

// place is where a translation has an argument: {1} as it is, {1#} if it is a number,
// <1> translated.
var place = regexp.MustCompile(`\{[1-9]#?\}|<[1-9]>`)

// insert writes arguments into a translation.
func insert(text string, arguments []string, translate func(string) string) string {
	return place.ReplaceAllStringFunc(text, func(at string) string {
		n := int(at[1] - '0')
		switch {
		case n > len(arguments):
			return at
		case at[0] == '<':
			return translate(arguments[n-1])
		}
		return arguments[n-1]
	})
}

// line translates a line of a table: the whole, or cell by cell.
func (p Printer) line(line string) string {
	if said, ok := p.say(line, 0); ok {
		return said
	}
	var b strings.Builder
	over := 0 // how much wider the cells became than they were
	rest := line
	for {
		at := gap.FindStringIndex(rest)
		if at == nil {
			said, _ := p.say(rest, 0)
			b.WriteString(said)
			return b.String()
		}
		said, _ := p.say(rest[:at[0]], 0)
		b.WriteString(said)
		over += bar.Cells(said) - bar.Cells(rest[:at[0]])
		blanks := max(2, at[1]-at[0]-over)
		over -= at[1] - at[0] - blanks
		b.WriteString(strings.Repeat(" ", blanks))
		rest = rest[at[1]:]
	}
}

// gap is what stands between two cells.
var gap = regexp.MustCompile(` {2,}`)

// phrase writes a text of a template with its actions.
func (c *catalogue) phrase(key string, actions []string) string {
	text, ok := c.exact[key]
	if !ok {
		text = numbered(key)
	}
	return insert(text, actions, func(action string) string { return action })
}

// numbered writes places for the verbs of a key.
func numbered(key string) string {
	n := 0
	return plain(verb.ReplaceAllStringFunc(percents.Replace(key), func(string) string {
		n++
		return fmt.Sprintf("{%d}", n)
	}))
}
