package summary

import (
	"encoding/json"
	"strings"
)

// Bounds of an atom in bytes.
const (
	minAtom = 6
	maxAtom = 120
)

// atom is an identifier in a text: a path, a file name, a word in snake or camel
// case, an id of letters and digits.
type atom struct {
	// text is what makes two atoms the same.
	text string
	// lead is what belongs to the text and comes before it: the slash of a path, the
	// scheme of an address, or the backslash of an escape.
	lead string
}

// escapeLead is the lead of an atom whose first letter belongs to an escape.
const escapeLead = `\`

// Classes of bytes.
const (
	wordByte  = 1 << iota // letters, digits, underscore
	innerByte             // what stands between words of an atom
	upperByte
	lowerByte
	digitByte
)

var classOf = func() (table [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		table[c] = wordByte | lowerByte
	}
	for c := byte('A'); c <= 'Z'; c++ {
		table[c] = wordByte | upperByte
	}
	for c := byte('0'); c <= '9'; c++ {
		table[c] = wordByte | digitByte
	}
	table['_'] = wordByte
	table['.'], table['/'], table['-'] = innerByte, innerByte, innerByte
	return table
}()

// eachAtom visits the atoms of a text in order.
func eachAtom(text string, visit func(atom)) { scanAtoms(text, false, visit) }

// eachArgument visits the atoms of a call's arguments. Arguments are JSON, so a name may
// follow the letter of an escape directly, as in \tname. The atom then begins with that
// letter, and its lead is the backslash.
func eachArgument(arguments string, visit func(atom)) {
	scanAtoms(plainEscapes(arguments), true, visit)
}

// plainEscapes writes JSON with only the escapes that JSON requires.
func plainEscapes(arguments string) string {
	if !strings.Contains(arguments, `\u`) && !strings.Contains(arguments, `\/`) {
		return arguments
	}
	var value any
	if json.Unmarshal([]byte(arguments), &value) != nil {
		return arguments
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return arguments
	}
	return b.String()
}

func scanAtoms(text string, escaped bool, visit func(atom)) {
	for i := 0; i < len(text); {
		if classOf[text[i]] == 0 {
			i++
			continue
		}
		start := i
		for i < len(text) && classOf[text[i]] != 0 {
			i++
		}
		first, last := start, i
		for first < last && classOf[text[first]] == innerByte {
			first++
		}
		for last > first && classOf[text[last-1]] == innerByte {
			last--
		}
		if n := last - first; n < minAtom || n > maxAtom || !identifies(text[first:last]) {
			continue
		}
		visit(atom{text: text[first:last], lead: leadOf(text, start, first, escaped)})
	}
}

// identifies reports whether a word is an identifier. It has a slash, an underscore,
// capital letters inside, letters with digits, or an extension.
func identifies(s string) bool {
	var all byte
	capital := false
	for i := range len(s) {
		switch s[i] {
		case '/', '_':
			return true
		}
		class := classOf[s[i]]
		all |= class
		capital = capital || i > 0 && class&upperByte != 0
	}
	letters := all&(upperByte|lowerByte) != 0
	return capital && all&lowerByte != 0 || letters && all&digitByte != 0 || hasExtension(s)
}

func hasExtension(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 || len(s)-dot-1 > 5 {
		return false
	}
	for _, c := range []byte(s[dot+1:]) {
		if classOf[c]&lowerByte == 0 {
			return false
		}
	}
	return dot < len(s)-1
}

func leadOf(text string, start, first int, escaped bool) string {
	if escaped && start == first && isEscape(text, first) {
		return escapeLead
	}
	switch lead := text[start:first]; lead {
	case "/", "./", "../", ".", "/.":
		return lead
	case "//":
		for _, scheme := range [...]string{"https://", "http://"} {
			if strings.HasSuffix(text[:first], scheme) {
				return scheme
			}
		}
	}
	return ""
}

// isEscape reports whether byte i is the letter of an escape.
func isEscape(text string, i int) bool {
	n := 0
	for n < i && text[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
