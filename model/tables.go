package model

import "strings"

// Table is a short list of limits from one of the texts this project implements.
// It speaks where the registry knows nothing.
type Table struct {
	// Name says which text the table is from.
	Name string
	// Rows are tried in order; the first that covers the name decides.
	Rows []Row
}

// Row gives the limit of the names that begin with a stem.
type Row struct {
	// Stem covers a name that is equal to it or goes on behind it with "-", ":"
	// or "@".
	Stem string
	// Limit is in tokens.
	Limit int
}

// MultichatTable is the table of the texts 002 and 003.
func MultichatTable() Table {
	return Table{"002/003", []Row{
		{"gemini-2.0-flash", 1_048_576},
		{"gemini-exp-1206", 1_048_576},
		{"gemini-1.5-pro", 2_097_152},
		{"gemini-1.5-flash", 1_048_576},
		{"gemini-pro", 32_760},
		{"gemini", 32_760},
		{"gpt-4o", 128_000},
		{"gpt-4-turbo", 128_000},
		{"gpt-4-1106", 128_000},
		{"gpt-4", 8_192},
		{"gpt-3.5-turbo-16k", 16_385},
		{"gpt-3.5", 4_096},
	}}
}

// GeminiTable is the table of the text 004.
func GeminiTable() Table {
	return Table{"004", []Row{
		{"gemini-1.5-pro", 2_097_152},
		{"gemini-2.5-pro", 1_048_576},
		{"gemini-2.5-flash-lite", 1_048_576},
		{"gemini-2.5-flash", 1_048_576},
	}}
}

// Find gives the row that covers a name; provider prefixes do not matter.
func (t Table) Find(name string) (Row, bool) {
	bare := bareName(name)
	for _, row := range t.Rows {
		rest, ok := strings.CutPrefix(bare, row.Stem)
		if ok && (rest == "" || strings.IndexByte("-:@", rest[0]) >= 0) {
			return row, true
		}
	}
	return Row{}, false
}
