package survival

import (
	"regexp"
	"strings"
)

var (
	atomPattern      = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_./\-]{4,}[A-Za-z0-9_]`)
	extensionPattern = regexp.MustCompile(`\.[a-z]{1,5}$`)
)

// maxAtom is the most bytes of an atom.
const maxAtom = 120

// Atoms returns the identifiers of a text as the research defines them: a path, a
// dotted file name, a word in snake or camel case, or an id of letters and digits, of
// 6 to 120 characters.
func Atoms(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range atomPattern.FindAllString(text, -1) {
		if len(m) <= maxAtom && isAtom(m) {
			found[m] = true
		}
	}
	return found
}

func isAtom(m string) bool {
	return strings.ContainsAny(m, "/_") ||
		m[1:] != strings.ToLower(m[1:]) && m != strings.ToUpper(m) ||
		strings.ContainsAny(m, "0123456789") && strings.ToLower(m) != strings.ToUpper(m) ||
		extensionPattern.MatchString(m)
}

// base is the last element of a path.
func base(atom string) string {
	atom = strings.TrimRight(atom, "/.-")
	return atom[strings.LastIndexByte(atom, '/')+1:]
}
