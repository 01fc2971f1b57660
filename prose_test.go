package plimsoll_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// unclear are words that hide who acts or that a reader must translate. CONTRIBUTING.md
// says how to write instead.
var unclear = regexp.MustCompile(`(?i)\b(anew|lately|whoever|of ours|as (it|they) came|stands? behind|in the place of|` +
	`(is|are|was|were) told|at hand|for ever|though it be|kin|nobody|somebody)\b`)

func TestDocumentsSayWhoActs(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t) {
		skip := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "<!-- written by ") { // code, figures of bench
				skip = !skip
			}
			if word := unclear.FindString(line); word != "" && !skip {
				t.Errorf("%s:%d: write it without %q", name, i+1, word)
			}
		}
	}
}

func TestCommentsAndHelpTextsSayWhoActs(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, name := range s.files {
			for _, p := range proseOf(t, name) {
				if word := unclear.FindString(p.text); word != "" {
					t.Errorf("%s:%d: write it without %q", name, p.line, word)
				}
			}
		}
	}
}

// prose is a comment or a help text of a source file.
type prose struct {
	line int
	text string
	help bool
}

// proseOf returns the comments and the help texts of a file, each on one line.
func proseOf(t *testing.T, name string) []prose {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.FromSlash(name), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var found []prose
	add := func(at token.Pos, text string, help bool) {
		found = append(found, prose{files.Position(at).Line, strings.Join(strings.Fields(text), " "), help})
	}
	for _, group := range file.Comments {
		add(group.Pos(), group.Text(), false)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				tag := reflect.StructTag(strings.Trim(n.Tag.Value, "`"))
				add(n.Pos(), tag.Get("help")+" "+tag.Get("jsonschema"), true)
			}
		case *ast.FuncDecl: // a command describes itself in a method
			if n.Name.Name == "Help" {
				add(n.Pos(), textOf(n.Body), true)
			}
		}
		return true
	})
	return found
}

// textOf returns the texts in a function.
func textOf(body *ast.BlockStmt) string {
	var all []string
	ast.Inspect(body, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			all = append(all, text.Value)
		}
		return true
	})
	return strings.Join(all, " ")
}

// TestDocumentsNameFilesThatExist checks links between documents, and the paths of Go
// files that they name.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	source := regexp.MustCompile("`((?:[a-z0-9_]+/)*[a-z0-9_]+\\.go)`")
	for name, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if target := filepath.Join(filepath.Dir(name), filepath.FromSlash(found[1])); !exists(target) {
				t.Errorf("%s links to %s, which does not exist", name, found[1])
			}
		}
		for _, found := range source.FindAllStringSubmatch(text, -1) {
			if source := filepath.FromSlash(found[1]); !exists(source) && !exists(filepath.Join(filepath.Dir(name), source)) {
				t.Errorf("%s names %s, which does not exist", name, found[1])
			}
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// documents returns the texts of all documents, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(name string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/agent/README.md", "internal/bpe/INTERNALS.md"} {
		read(name)
	}
	err := filepath.WalkDir("docs", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			read(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
