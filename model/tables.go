package model

import "strings"

// limitTable is a short list of limits from one of the texts this project implements.
// It is asked where the registry knows nothing.
type limitTable struct {
	// name says which text the table is from.
	name string
	// rows are tried in order; the first that covers the name decides.
	rows []limitRow
}

// limitRow gives the limit in tokens of the names that begin with a stem: of a name
// that is equal to it or goes on with "-", ":" or "@".
type limitRow struct {
	stem  string
	limit int
}

// multichatTable is the table of the texts 002 and 003.
var multichatTable = limitTable{"002/003", []limitRow{
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

// geminiTable is the table of the text 004.
var geminiTable = limitTable{"004", []limitRow{
	{"gemini-1.5-pro", 2_097_152},
	{"gemini-2.5-pro", 1_048_576},
	{"gemini-2.5-flash-lite", 1_048_576},
	{"gemini-2.5-flash", 1_048_576},
}}

// find gives the row that covers a name; provider prefixes do not matter.
func (t limitTable) find(name string) (limitRow, bool) {
	bare := bareName(name)
	for _, row := range t.rows {
		rest, ok := strings.CutPrefix(bare, row.stem)
		if ok && (rest == "" || strings.IndexByte("-:@", rest[0]) >= 0) {
			return row, true
		}
	}
	return limitRow{}, false
}
