package texts

import (
	"fmt"
	"strings"
)

// minified writes JavaScript as a minifier leaves it: one-letter variables, no
// blanks, but the property names and messages of real programs.
type minified struct {
	random
	words []string
}

func newMinified(words []string) *minified { return &minified{random: 3, words: words} }

func (m *minified) statement() string {
	switch m.below(6) {
	case 0:
		return fmt.Sprintf("function %s(%s,%s){%s}", m.name(), m.name(), m.name(), m.body(3))
	case 1:
		return fmt.Sprintf("const %s=(%s,%s)=>%s;", m.name(), m.name(), m.name(), m.expression(3))
	case 2:
		return fmt.Sprintf("if(%s)%s;else{%s}", m.expression(2), m.expression(2), m.body(2))
	case 3:
		return fmt.Sprintf("%s.prototype.%s=function(%s){%s};", m.name(), m.property(), m.name(), m.body(2))
	case 4:
		return fmt.Sprintf("for(let %s=0;%s<%s.length;%s++)%s;", m.name(), m.name(), m.name(), m.name(), m.expression(2))
	}
	return fmt.Sprintf("var %s=%s,%s=%s;", m.name(), m.expression(3), m.name(), m.expression(2))
}

func (m *minified) body(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s=%s;", m.name(), m.expression(2))
	}
	return b.String() + "return " + m.expression(2)
}

func (m *minified) expression(depth int) string {
	if depth == 0 {
		return m.leaf()
	}
	a, b := m.expression(depth-1), m.leaf()
	switch m.below(8) {
	case 0:
		return fmt.Sprintf("%s.%s(%s)", m.name(), m.property(), a)
	case 1:
		return fmt.Sprintf("%s?%s:%s", m.name(), a, b)
	case 2:
		return fmt.Sprintf("{%s:%s,%s:%s}", m.property(), a, m.property(), b)
	case 3:
		return fmt.Sprintf("(%s&&%s)", a, b)
	case 4:
		return fmt.Sprintf("[%s,%s]", a, b)
	case 5:
		return fmt.Sprintf("%s[%s]", m.name(), b)
	case 6:
		return fmt.Sprintf("(0,%s.%s)(%s,%s)", m.name(), m.property(), a, b)
	}
	return a + pick(&m.random, []string{"+", "-", "===", "!==", "||", "<", ">>>", "*"}) + b
}

func (m *minified) leaf() string {
	switch m.below(7) {
	case 0:
		return fmt.Sprint(m.below(4096))
	case 1:
		return fmt.Sprintf("%q", pick(&m.random, m.words))
	case 2:
		return fmt.Sprintf("%s.%s", m.name(), m.property())
	case 3:
		return pick(&m.random, []string{"!0", "!1", "void 0", "null", "this", "1e3", ".5", "/^[a-z]+$/gi"})
	}
	return m.name()
}

func (m *minified) name() string { return m.letters(lower, 1) }

func (m *minified) property() string {
	first := pick(&m.random, m.words)
	if m.chance(40) {
		second := pick(&m.random, m.words)
		return first + strings.ToUpper(second[:1]) + second[1:]
	}
	return first
}
