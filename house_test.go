package plimsoll_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/plimsoll/plimsoll"

// edges says what each package may import of our own and of others' modules,
// beside the standard library. A package imports only what stands below it; a new
// edge is a decision and belongs into docs/design.md. Commands (cmd/…, generators
// under internal/gen…) may import what they need.
var edges = map[string][]string{
	".":                               {"internal/rawjson", "internal/recent", "internal/share"},
	"model":                           {"."},
	"store":                           {".", "github.com/klauspost/compress"},
	"store/sqlite":                    {".", "store", "modernc.org/sqlite"},
	"internal/storetest":              {".", "store", "github.com/google/go-cmp"},
	"store/postgres":                  {".", "store", "github.com/jackc/pgx/v5"},
	"expand":                          {".", "store"},
	"internal/serve/mcpserver":        {".", "expand", "store", "github.com/modelcontextprotocol/go-sdk"},
	"fit/rent":                        {".", "model"},
	"internal/lab/replay":             {".", "internal/transcript", "model", "fit/rent", "preset", "rung", "token", "wire", "wire/dialects"},
	"rung":                            {".", "internal/needle", "internal/rawjson", "summary"},
	"summary":                         {"."},
	"summary/remote":                  {".", "internal/rawjson", "model", "summary", "wire", "wire/dialects"},
	"preset":                          {".", "model", "fit/rent", "rung", "summary", "token"},
	"internal/serve/proxy":            {".", "wire/dialects"},
	"internal/prune":                  {".", "preset", "token"},
	"internal/serve/telemetry":        {".", "model", "transport", "github.com/prometheus/client_golang"},
	"internal/serve/telemetry/redact": {},
	"internal/serve/telemetry/traces": {".", "internal/serve/telemetry", "internal/serve/telemetry/redact", "transport", "go.opentelemetry.io/otel"},
	"token":                           {".", "internal/recent", "internal/share", "model", "token/bpe", "token/hf", "github.com/zeebo/xxh3"},
	"transport":                       {".", "expand", "internal/coding", "internal/rawjson", "internal/recent", "internal/sse", "model", "fit/rent", "preset", "rung", "store", "token", "wire", "wire/dialects", "wire/responses"},
	"token/bpe":                       {"token/internal/split", "golang.org/x/sys"},
	"token/hf":                        {"token/internal/split", "golang.org/x/text"},
	"token/internal/split":            {"golang.org/x/sys"},
	"internal/serve/api":              {".", "internal/embedding", "expand", "internal/rawjson", "internal/prune", "internal/report", "store", "token", "trim", "wire", "wire/dialects"},
	"internal/embedding":              {".", "golang.org/x/text"},
	"internal/chat":                   {".", "expand", "internal/sse", "model", "store", "transport", "wire", "wire/dialects"},
	"internal/chat/plain":             {".", "internal/chat", "internal/bar"},
	"internal/config":                 {".", "model", "github.com/goccy/go-yaml"},
	"internal/lab/demo":               {".", "expand", "internal/scripted", "internal/sse", "transport", "wire", "wire/dialects", "wire/openai"},
	"examples":                        {},
	"hook":                            {".", "internal/process"},
	"internal/bar":                    {"golang.org/x/text"},
	"internal/coding":                 {"github.com/andybalholm/brotli", "github.com/klauspost/compress"},
	"internal/pgtest":                 {"github.com/jackc/pgx/v5"},
	"internal/garbage":                {},
	"internal/needle":                 {"golang.org/x/sys"},
	"internal/process":                {},
	"internal/rawjson":                {"golang.org/x/sys"},
	"internal/recent":                 {},
	"internal/share":                  {},
	"internal/sse":                    {},
	"internal/scripted":               {".", "internal/coding", "internal/sse", "token", "wire", "wire/dialects", "wire/responses"},
	"internal/transcript":             {".", "wire/dialects"},
	"internal/corpora":                {".", "internal/transcript"},
	"internal/survival":               {".", "internal/transcript"},
	"internal/report":                 {".", "model", "token"},
	"trim":                            {".", "internal/rawjson", "model", "rung", "token", "wire/openai"},
	"internal/serve/dashboard":        {".", "expand", "model", "internal/report", "store", "token", "transport"},
	"wire":                            {".", "internal/rawjson", "internal/sse", "github.com/zeebo/xxh3"},
	"wire/openai":                     {".", "internal/rawjson", "internal/sse", "wire"},
	"wire/responses":                  {".", "internal/rawjson", "internal/sse", "wire"},
	"wire/anthropic":                  {".", "internal/rawjson", "internal/sse", "wire"},
	"wire/gemini":                     {".", "internal/rawjson", "internal/sse", "wire"},
	"wire/dialects":                   {".", "internal/rawjson", "wire", "wire/openai", "wire/responses", "wire/anthropic", "wire/gemini"},
	"internal/wiretest":               {".", "examples", "internal/corpora", "internal/rawjson", "internal/transcript", "wire", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal"},
	"internal/replytest":              {".", "internal/sse", "wire", "github.com/google/go-cmp", "pgregory.net/rapid"},

	"internal/chat/terminal":          {".", "internal/chat", "internal/chat/terminal/markdown", "charm.land/bubbles/v2", "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"},
	"internal/chat/toolbox":           {".", "internal/chat", "internal/process", "github.com/modelcontextprotocol/go-sdk"},
	"internal/chat/terminal/markdown": {"internal/bar", "charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/yuin/goldmark"},
}

// source is the product code of one package.
type source struct {
	dir     string
	doc     string
	imports []string
	files   []string
	command bool
}

func TestEveryPackageSaysWhyItExists(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		want := "Package " + path.Base(s.dir) + " "
		switch {
		case s.dir == ".":
			want = "Package plimsoll "
		case s.command:
			want = "Command " + path.Base(s.dir) + " "
		}
		if got := strings.ReplaceAll(s.doc, "\n", " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: the package comment must begin with %q, and is %.60q", s.dir, want, got)
		}
	}
}

func TestPackagesImportOnlyWhatStandsBelowThem(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[s.dir] = true
		if s.command {
			continue
		}
		allowed, known := edges[s.dir]
		if !known {
			t.Errorf("%s is not in the import graph; add it to edges and to docs/design.md", s.dir)
			continue
		}
		for _, imported := range s.imports {
			if !slices.ContainsFunc(allowed, func(a string) bool { return covers(a, imported) }) {
				t.Errorf("%s imports %s, which the import graph does not allow", s.dir, imported)
			}
		}
	}
	for dir := range edges {
		if !seen[dir] {
			t.Errorf("the import graph names %s, which does not exist", dir)
		}
	}
}

// covers compares our own packages exactly and others by module.
func covers(allowed, imported string) bool {
	if imported == module {
		return allowed == "."
	}
	if own, ok := strings.CutPrefix(imported, module+"/"); ok {
		return own == allowed
	}
	return imported == allowed || strings.HasPrefix(imported, allowed+"/")
}

func TestFilesStayReadable(t *testing.T) {
	t.Parallel()
	const limit = 500
	for _, s := range sources(t) {
		for _, name := range s.files {
			data, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(data), "\n"); lines > limit && !isGenerated(string(data)) {
				t.Errorf("%s has %d lines, want at most %d: split it by noun", name, lines, limit)
			}
		}
	}
}

func isGenerated(text string) bool {
	head, _, _ := strings.Cut(text, "\npackage ")
	return strings.Contains(head, "DO NOT EDIT")
}

// sources reads the product code of the module. Other modules in the tree and
// test data are passed over.
func sources(t *testing.T) []*source {
	t.Helper()
	found := map[string]*source{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(name, d.Name())
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			return read(found, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b *source) int { return strings.Compare(a.dir, b.dir) })
	return all
}

func skipDir(name, base string) error {
	if name != "." && (base == "testdata" || strings.HasPrefix(base, ".")) {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
		return filepath.SkipDir
	}
	return nil
}

func read(found map[string]*source, name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	if ignored(file) {
		return nil
	}
	dir := path.Dir(name)
	s, ok := found[dir]
	if !ok {
		s = &source{dir: dir}
		found[dir] = s
	}
	s.files = append(s.files, name)
	s.command = s.command || file.Name.Name == "main"
	if file.Doc != nil {
		s.doc = file.Doc.Text()
	}
	for _, i := range file.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		if strings.Contains(strings.Split(imported, "/")[0], ".") {
			s.imports = append(s.imports, imported)
		}
	}
	return nil
}

// ignored reports a file that is only run by go generate.
func ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}
