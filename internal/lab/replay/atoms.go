package replay

import "strings"

// Atoms are the identifiers of a text: a path, a dotted file name, a word in snake or
// camel case, or an id of letters and digits, of 6 to 120 characters. They stand for
// the facts that a model must be able to see: it cannot name a file that it does not
// know of.
const (
	minAtom = 6
	maxAtom = 120
)

// eachAtom calls yield for the atoms of a text, in order, some more than once.
func eachAtom(text string, yield func(string)) {
	for i := 0; i < len(text); {
		if kinds[text[i]]&inWord == 0 {
			i++
			continue
		}
		end, last := i, i
		for ; end < len(text) && kinds[text[end]] != 0; end++ {
			if kinds[text[end]]&inWord != 0 {
				last = end
			}
		}
		if word := text[i : last+1]; len(word) >= minAtom && len(word) <= maxAtom && isAtom(word) {
			yield(word)
		}
		i = end
	}
}

// What a byte may be of an atom.
const (
	inWord = 1 << iota
	inside
	upper
	digit
	letter
)

var kinds = func() (c [256]byte) {
	for b := range c {
		switch {
		case b >= 'a' && b <= 'z':
			c[b] = inWord | letter
		case b >= 'A' && b <= 'Z':
			c[b] = inWord | letter | upper
		case b >= '0' && b <= '9':
			c[b] = inWord | digit
		case b == '_':
			c[b] = inWord
		case b == '.' || b == '/' || b == '-':
			c[b] = inside
		}
	}
	return c
}()

func isAtom(word string) bool {
	has, hump, lower := byte(0), false, false
	for i := range len(word) {
		b := word[i]
		if b == '/' || b == '_' {
			return true
		}
		c := kinds[b]
		has |= c
		hump = hump || i > 0 && c&upper != 0
		lower = lower || c&letter != 0 && c&upper == 0
	}
	if hump && lower || has&digit != 0 && has&letter != 0 {
		return true
	}
	dot := strings.LastIndexByte(word, '.')
	return dot >= 0 && isExtension(word[dot+1:])
}

// isExtension reports whether it is what file names end with: up to five small
// letters.
func isExtension(text string) bool {
	if len(text) == 0 || len(text) > 5 {
		return false
	}
	for i := range len(text) {
		if text[i] < 'a' || text[i] > 'z' {
			return false
		}
	}
	return true
}

// baseName is the last element of a path.
func baseName(atom string) string {
	atom = strings.TrimRight(atom, "/.-")
	return atom[strings.LastIndexByte(atom, '/')+1:]
}

// atom is an identifier by its number in a session.
type atom int32

// names numbers the identifiers of a session.
type names struct {
	numbers map[string]atom
	// bases groups identifiers with the same base name.
	groups map[string]int32
	base   []int32
	alike  [][]atom
}

func newNames() *names { return &names{numbers: map[string]atom{}, groups: map[string]int32{}} }

// of returns the number of an identifier.
func (n *names) of(text string) atom {
	if a, ok := n.numbers[text]; ok {
		return a
	}
	text = strings.Clone(text) // it would hold the whole message
	a := atom(len(n.base))
	n.numbers[text] = a
	name := baseName(text)
	group, ok := n.groups[name]
	if !ok {
		group = int32(len(n.alike))
		n.groups[name] = group
		n.alike = append(n.alike, nil)
	}
	n.base = append(n.base, group)
	n.alike[group] = append(n.alike[group], a)
	return a
}

// in returns the identifiers of texts, each once, in the order in which they stand.
func (n *names) in(texts ...string) []atom {
	var found []atom
	seen := map[atom]bool{}
	for _, text := range texts {
		eachAtom(text, func(word string) {
			if a := n.of(word); !seen[a] {
				seen[a] = true
				found = append(found, a)
			}
		})
	}
	return found
}

// sameBase returns the identifiers with the base name of one, itself among them.
func (n *names) sameBase(a atom) []atom { return n.alike[n.base[a]] }
