package hf

import (
	"strconv"
	"strings"
)

// FormatError says which part of a tokenizer file this package cannot follow.
// Loading never guesses: a file that would be counted wrongly is refused.
type FormatError struct {
	Field     string // path in the file, such as "model.type"
	Found     string // what stands there
	Supported string // what this package understands there
	Hint      string // what to do about it, or empty
	Err       error  // the cause, when the file is not even well formed
}

// Error names the field first, then what was found and what would have been understood.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("hf: ")
	b.WriteString(e.Field)
	if e.Found != "" {
		b.WriteString(": found " + e.Found)
	}
	if e.Supported != "" {
		b.WriteString(": supported is " + e.Supported)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// quote shortens what came from a file, so that an error stays one readable line.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}
