package texts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// codePackages have handwritten code of many kinds and little data.
var codePackages = []string{"net/http", "encoding/json", "go/types", "database/sql", "text/template", "runtime", "os", "crypto/tls"}

var errNoSources = errors.New("no Go sources found; is GOROOT complete?")

// goCode joins source files of the standard library.
func goCode(root string, n int) (string, error) {
	var b strings.Builder
	for _, pkg := range codePackages {
		err := eachSource(filepath.Join(root, "src", pkg), func(source string) bool {
			b.WriteString(source)
			return b.Len() < n
		})
		if err != nil {
			return "", err
		}
	}
	if b.Len() == 0 {
		return "", errNoSources
	}
	return Cut(b.String(), n), nil
}

// goProse joins the longer comments of the standard library without their marks.
func goProse(root string, n int) (string, error) {
	var b strings.Builder
	err := eachSource(filepath.Join(root, "src"), func(source string) bool {
		for _, c := range comments(source) {
			b.WriteString(c)
			b.WriteByte('\n')
		}
		return b.Len() < n
	})
	if err == nil && b.Len() == 0 {
		err = errNoSources
	}
	return Cut(b.String(), n), err
}

// comments returns the line comments of a file that read like prose: three lines
// or more, and no licence.
func comments(source string) []string {
	var found []string
	var block []string
	end := func() {
		text := strings.Join(block, "\n") + "\n"
		if len(block) >= 3 && !strings.Contains(text, "Copyright") {
			found = append(found, text)
		}
		block = nil
	}
	for line := range strings.Lines(source) {
		text, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		switch {
		case !isComment:
			end()
		case text == "" || text[0] == ' ' || text[0] == '\t':
			block = append(block, strings.TrimPrefix(text, " "))
		}
	}
	end()
	return found
}

// eachSource calls do for every Go file below a folder in the order of their
// names, until do has enough.
func eachSource(dir string, do func(source string) bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || generated(d.Name()):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !do(string(source)) {
			return fs.SkipAll
		}
		return nil
	})
}

// generated reports whether a file holds tables rather than code.
func generated(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "z") || strings.Contains(name, "tables")
}

// wordsOf returns the words of a text as often as they occur, so that picking
// one at random keeps the frequencies of the language.
func wordsOf(prose string) []string {
	var words []string
	for w := range strings.FieldsSeq(prose) {
		w = strings.Trim(w, ".,:;!?()[]{}\"'`*#-=/<>")
		if len(w) > 1 && len(w) < 16 && strings.IndexFunc(w, notLetter) < 0 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		words = []string{"word"}
	}
	return words
}

func notLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
