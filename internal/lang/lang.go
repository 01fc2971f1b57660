// Package lang shows what the program says in the reader's language. The program
// makes English sentences and knows nothing of other languages; where a sentence is
// shown to a person, a [Printer] looks it up in one catalogue. So JSON, logs, headers
// and the API stay English by themselves: none of them passes a printer.
//
// A key of the catalogue is the sentence as it stands in the source, verbs and all:
//
//	en: %s dropped, %d left; /undo takes it back
//	ja: <1>を削除しました。残りは {2} ターンです。/undo で元に戻せます
//
// {1} is the first verb's text as it is. <1> is the same text, translated as well: a
// sentence inside of a sentence. A test reads all sources and fails if a sentence has
// no entry, or an entry no sentence.
//
// The package knows the languages and no screen.
package lang

import (
	"strings"

	"golang.org/x/text/language"
)

// Printer writes sentences in one language. The zero value leaves them in English. It
// is safe for concurrent use.
type Printer struct{ c *catalogue }

// Tag is the language as HTML and HTTP name it.
func (p Printer) Tag() string {
	if p.c == nil {
		return "en"
	}
	return "ja"
}

// Locale returns the printer for a locale such as "ja_JP.UTF-8", or a language such
// as "ja". English is the answer to everything that is not known.
func Locale(name string) Printer {
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "@")
	tag, err := language.Parse(name)
	if err != nil {
		return Printer{}
	}
	return pick(tag)
}

// Accept returns the printer for the header Accept-Language.
func Accept(header string) Printer {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return Printer{}
	}
	return pick(tags...)
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.Japanese})

func pick(tags ...language.Tag) Printer {
	if _, at, sure := matcher.Match(tags...); at == 1 && sure >= language.High {
		return Printer{japanese()}
	}
	return Printer{}
}

// Say translates a sentence. One that the catalogue has not stays as it is.
func (p Printer) Say(sentence string) string {
	said, _ := p.say(sentence, 0)
	return said
}

// List translates what a program put together with commas or semicolons: a hint of
// several sentences, a list of words.
func (p Printer) List(text string) string {
	said, _ := p.argument(text, 0)
	return said
}

// Error translates an error, whose sentences have colons between them: those that the
// catalogue has.
func (p Printer) Error(text string) string {
	if p.c == nil {
		return text
	}
	// A key with a colon is one sentence; any other that fits takes a colon of the error
	// for a part of its last argument.
	if said, ok := p.sayBy(text, 0, func(f format) bool { return f.colon }); ok {
		return said
	}
	first := -1
	for at := 0; ; at += 2 {
		i := strings.Index(text[at:], ": ")
		if i < 0 {
			break
		}
		at += i
		if said, ok := p.say(text[:at], 0); ok {
			return said + ": " + p.Error(text[at+2:])
		}
		if first < 0 {
			first = at
		}
	}
	if first < 0 {
		return p.Say(text)
	}
	return text[:first] + ": " + p.Error(text[first+2:])
}

// Lines translates a table that was written for people: lines of cells with two or
// more blanks between them. What stands in a column stays in it.
func (p Printer) Lines(text string) string {
	if p.c == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = p.line(line)
	}
	return strings.Join(lines, "\n")
}

// Template translates the source of an HTML template: its texts and the attributes
// that are read aloud or shown.
func (p Printer) Template(source string) string {
	if p.c == nil {
		return source
	}
	return eachText(source, func(key string, actions []string) string {
		return p.c.phrase(key, actions)
	})
}
