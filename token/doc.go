// Package token says what text, messages and conversations weigh.
//
// It has three layers. A [plimsoll.Counter] turns text into tokens: exactly,
// where the vocabulary is public ([For], [Named]), otherwise by an estimate that
// says that it is one. A [Framing] adds what a dialect puts around the text: role
// markers, tool declarations, tool calls, pictures. A [Meter] joins both into a
// [plimsoll.Load] and remembers what it has weighed. A [Calibration] compares its
// loads with the usage that providers report.
//
// Vocabularies live in the subpackages bpe (OpenAI's, built in) and hf (loaded
// from files); a new family is one row in the table of this package. The package
// knows no wire format: it weighs what a codec has already read.
package token
