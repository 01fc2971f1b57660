// Package texts makes the texts that the benchmark measures on. What can be real
// is real: prose and code come from the Go distribution that runs the benchmark,
// conversations from the shared corpora where they exist. The rest is generated
// from fixed seeds, so that every run on a machine measures the same bytes.
//
// The package knows nothing about tokenizers.
package texts

import (
	"fmt"
	"unicode/utf8"
)

// Options say where real text is found.
type Options struct {
	// GoRoot is the root of a Go distribution with its sources.
	GoRoot string
	// Shared is the folder that holds corpora/; empty means that conversations
	// are generated.
	Shared string
	// Bytes is the length of a text; 0 means 1,000,000. Blobs and minified code
	// are half as long, and a corpus may have less.
	Bytes int
}

// Text is one text of the benchmark.
type Text struct {
	// Name is a short word for columns and files.
	Name string
	// Source says in a few words where the text comes from.
	Source string
	Data   string
}

// All returns the texts in the order of the report's columns.
func All(o Options) ([]Text, error) {
	if o.Bytes == 0 {
		o.Bytes = 1_000_000
	}
	prose, err := goProse(o.GoRoot, o.Bytes)
	if err != nil {
		return nil, fmt.Errorf("texts: prose: %w", err)
	}
	code, err := goCode(o.GoRoot, o.Bytes)
	if err != nil {
		return nil, fmt.Errorf("texts: code: %w", err)
	}
	words := wordsOf(prose)
	all := []Text{
		{"english", "comments of the Go standard library", prose},
		{"code", "Go standard library", code},
		agentJSON(o, words),
		{"logs", "generated server logs", fill(o.Bytes, newLogs(words).line)},
		mixedChat(o, words),
		japanese(o),
		{"blob", "generated base64 and hex", fill(o.Bytes/2, newBlob().block)},
		{"minjs", "generated minified JavaScript", fill(o.Bytes/2, newMinified(words).statement)},
	}
	return all, nil
}

// fill joins parts until the text has n bytes.
func fill(n int, part func() string) string {
	b := make([]byte, 0, n+4096)
	for len(b) < n {
		b = append(b, part()...)
	}
	return Cut(string(b), n)
}

// Cut returns the first n bytes of a text, less if that would split a character.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
