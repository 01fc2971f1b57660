package survival

import "strings"

// Bounds of an atom in bytes.
const (
	minAtom = 6
	maxAtom = 120
)

// Atoms returns the identifiers of a text as the research defines them: a path, a
// dotted file name, a word in snake or camel case, or an id of letters and digits, of
// 6 to 120 characters.
func Atoms(text string) map[string]bool {
	found := map[string]bool{}
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("./-", r) }) {
		m := strings.Trim(run, "./-")
		if len(m) >= minAtom && len(m) <= maxAtom && isAtom(m) {
			found[m] = true
		}
	}
	return found
}

func isWord(r rune) bool { return isLetter(r) || isDigit(r) || r == '_' }

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isAtom(m string) bool {
	return strings.ContainsAny(m, "/_") ||
		m[1:] != strings.ToLower(m[1:]) && m != strings.ToUpper(m) ||
		strings.ContainsFunc(m, isDigit) && strings.ContainsFunc(m, isLetter) ||
		hasExtension(m)
}

// hasExtension reports whether a name ends in a dot and one to five small letters.
func hasExtension(m string) bool {
	dot := strings.LastIndexByte(m, '.')
	ending := m[dot+1:]
	return dot >= 0 && len(ending) >= 1 && len(ending) <= 5 && strings.Trim(ending, "abcdefghijklmnopqrstuvwxyz") == ""
}

// base is the last element of a path.
func base(atom string) string {
	atom = strings.TrimRight(atom, "/.-")
	return atom[strings.LastIndexByte(atom, '/')+1:]
}
