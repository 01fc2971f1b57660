// Package pattern tells what regular expressions of users cost before they cost anything.
// They take no more than linear time, but each byte of a text may cost as much as the
// expression has instructions, and a short one such as \w{1000} has many.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// most is how many instructions an expression may have that is compared with whole
// conversations: then a megabyte takes less than a second.
const most = 200

// Compile compiles an expression that is compared with whole conversations, unless it
// costs too much.
func Compile(source string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if Size(tree, most) > most {
		return nil, fmt.Errorf("the pattern is too costly: it would need more than %d instructions", most)
	}
	return regexp.Compile(source)
}

// Size estimates the instructions of a regular expression, up to a little more than the
// limit.
func Size(re *syntax.Regexp, limit int) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpAlternate, syntax.OpConcat:
		size = len(re.Sub)
	}
	for _, sub := range re.Sub {
		size = min(size+Size(sub, limit), limit+1)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Min, re.Max, 1), limit+1)
	}
	return size
}
