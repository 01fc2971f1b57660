package build

import (
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// AppendText adds a JSON string to a text, still escaped, with an empty line between two
// words.
func AppendText(dst, value []byte) []byte {
	before, text := rawjson.Unquoted(rawjson.InQuotes(dst)), rawjson.Unquoted(value)
	if EndsWord(before) && BeginsWord(text) {
		dst = append(dst, `\n\n`...)
	}
	return rawjson.AppendInside(dst, value)
}

// BeginsWord reports whether a text begins with something other than white space.
func BeginsWord(text string) bool {
	return text != "" && strings.TrimLeftFunc(text, unicode.IsSpace) == text
}

// EndsWord reports whether a text ends with something other than white space.
func EndsWord(text string) bool {
	return text != "" && strings.TrimRightFunc(text, unicode.IsSpace) == text
}
