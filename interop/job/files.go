package job

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// marks is how many marks a file has: in its first line, in the middle and in its
// last one.
const marks = 3

// mark matches the marks of all files.
var mark = regexp.MustCompile(`MARK-\d{3}-\d`)

// Marks returns the marks that stand in a text.
func Marks(text []byte) Set {
	found := Set{}
	for _, m := range mark.FindAll(text, -1) {
		found[string(m)] = true
	}
	return found
}

// Set is a set of marks.
type Set map[string]bool

// Add puts the marks of another set into this one.
func (s Set) Add(other Set) {
	for m := range other {
		s[m] = true
	}
}

// Without returns the marks that none of the others has.
func (s Set) Without(others ...Set) Set {
	left := Set{}
	for m := range s {
		left[m] = true
	}
	for _, other := range others {
		for m := range other {
			delete(left, m)
		}
	}
	return left
}

// writeFiles makes the files that are to be read.
func writeFiles(dir string, n, lines int) error {
	for i := 1; i <= n; i++ {
		if err := os.WriteFile(filepath.Join(dir, fileName(i)), []byte(content(i, lines)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func fileName(i int) string { return fmt.Sprintf("berth-%03d.txt", i) }

// content is what a harbour master might write down: no two files and no two lines
// are alike, so that nothing is taken for something that stands there already.
func content(file, lines int) string {
	cargo := []string{"timber", "salt", "barley", "iron ore", "tar", "wool", "copper", "coal", "slate", "hemp"}
	state := []string{"waits for the tide", "is being unloaded", "has its papers in order", "lacks a pilot", "was moved to the roads"}
	var b strings.Builder
	seed := uint32(file)*2654435761 + 12345
	for line := 1; line <= lines; line++ {
		switch line {
		case 1, lines/2 + 1, lines:
			fmt.Fprintf(&b, "MARK-%03d-%d ", file, 1+(line-1)*(marks-1)/max(1, lines-1))
		}
		seed = seed*1664525 + 1013904223
		a, c, d := seed>>8%97, seed>>16%uint32(len(cargo)), seed>>24%uint32(len(state))
		fmt.Fprintf(&b, "ship %d-%d with %d tons of %s %s, draught %d.%d m, berth %d\n",
			file, line, 40+a*7, cargo[c], state[d], 3+a%6, a%10, seed>>12%60)
	}
	return b.String()
}
