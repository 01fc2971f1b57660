// Package refname writes the ids of references into texts, and finds them there.
package refname

import "strings"

// A text names a reference by a mark before its id: Ref if the model has a tool that reads
// the content, Archived if only people and programs can read it. A model that sees a
// reference calls a tool, even one that it does not have.
const (
	Ref      = "ref="
	Archived = "archived="
	// Mark is a regular expression that matches both.
	Mark = `(?:ref|archived)=`
)

// words are what comes before the id: for a model that has a tool to read the content,
// and for one that has none.
var words = [...][2]string{
	{"; the rest can be expanded; " + Ref, "; the rest was archived; " + Archived},
	{", kept as " + Ref, ", " + Archived},
	{Ref, Archived},
}

// Write returns the text with the words for a model that has a tool to read what the ids
// name, or for one that has none. The text may have the words for either. What surrounds
// other ids stays.
func Write(text string, reader bool, ids ...string) string {
	from, to := 0, 1
	if reader {
		from, to = 1, 0
	}
	for _, id := range ids {
		for _, w := range words {
			text = strings.ReplaceAll(text, w[from]+id, w[to]+id)
		}
	}
	return text
}

// Cut splits off the mark that a word begins with, and reports whether it has one.
func Cut(word string) (id string, found bool) {
	for _, mark := range []string{Ref, Archived} {
		if id, found = strings.CutPrefix(word, mark); found {
			return id, true
		}
	}
	return word, false
}

// Last returns what follows the last mark in a text, and reports whether there is one.
func Last(text string) (rest string, found bool) {
	at := max(strings.LastIndex(text, Ref), strings.LastIndex(text, Archived))
	if at < 0 {
		return "", false
	}
	return Cut(text[at:])
}
