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

// layers lists the packages from the bottom to the top. A package imports only what is
// in a lower layer. Commands (cmd/…, generators under internal/gen…) may import what
// they need.
var layers = [][]string{
	{
		"internal/bar", "internal/coding", "internal/golden", "internal/lru", "internal/needle", "internal/pgtest", "internal/process",
		"internal/rawjson", "internal/sse", "internal/serve/telemetry/redact", "examples", "token/internal/split",
	},
	{".", "token/bpe", "token/hf", "internal/chat/terminal/markdown"},
	{"account", "model", "summary", "wire", "internal/embedding", "internal/testkit"},
	{"fit", "token", "wire/openai", "wire/responses", "wire/anthropic", "wire/gemini"},
	{"fit/rent", "hook", "internal/config", "rung", "store", "wire/dialects", "wire/weave", "internal/report"},
	{"expand", "preset", "store/sqlite", "store/postgres", "summary/remote", "trim", "internal/storetest", "internal/transcript", "transport/internal/breaker", "transport/internal/limit"},
	{"transport/internal/answer", "transport/internal/history", "internal/corpora", "internal/prune", "internal/scripted", "internal/survival", "internal/serve/mcpserver", "internal/serve/proxy"},
	{"transport"},
	{
		"internal/chat", "internal/lab/demo", "internal/lab/replay", "internal/serve/api", "internal/serve/dashboard", "internal/serve/telemetry",
		"internal/wiretest",
	},
	{"internal/chat/plain", "internal/chat/terminal", "internal/chat/toolbox", "internal/serve/telemetry/traces"},
}

// modules lists the modules of others that a package may import.
var modules = map[string][]string{
	"internal/bar":                    {"golang.org/x/text"},
	"internal/chat/terminal":          {"charm.land/bubbles/v2", "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"},
	"internal/chat/terminal/markdown": {"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/yuin/goldmark"},
	"internal/chat/toolbox":           {"github.com/modelcontextprotocol/go-sdk"},
	"internal/coding":                 {"github.com/andybalholm/brotli", "github.com/klauspost/compress"},
	"internal/config":                 {"github.com/goccy/go-yaml"},
	"internal/embedding":              {"golang.org/x/text"},
	"internal/needle":                 {"golang.org/x/sys"},
	"internal/pgtest":                 {"github.com/jackc/pgx/v5"},
	"internal/rawjson":                {"golang.org/x/sys"},
	"internal/serve/api":              {"github.com/google/jsonschema-go"},
	"internal/serve/mcpserver":        {"github.com/modelcontextprotocol/go-sdk"},
	"internal/serve/telemetry":        {"github.com/prometheus/client_golang"},
	"internal/serve/telemetry/traces": {"go.opentelemetry.io/otel"},
	"internal/storetest":              {"github.com/google/go-cmp"},
	"internal/testkit":                {"pgregory.net/rapid"},
	"internal/wiretest":               {"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"},
	"store":                           {"github.com/klauspost/compress"},
	"store/postgres":                  {"github.com/jackc/pgx/v5"},
	"store/sqlite":                    {"modernc.org/sqlite"},
	"token":                           {"github.com/zeebo/xxh3"},
	"token/bpe":                       {"golang.org/x/sys"},
	"token/hf":                        {"golang.org/x/text"},
	"token/internal/split":            {"golang.org/x/sys"},
	"wire":                            {"github.com/zeebo/xxh3"},
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

func TestPackagesImportOnlyWhatIsBelowThem(t *testing.T) {
	t.Parallel()
	height := map[string]int{}
	for i, layer := range layers {
		for _, dir := range layer {
			height[dir] = i
		}
	}
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[s.dir] = true
		if s.command {
			continue
		}
		own, known := height[s.dir]
		if !known {
			t.Errorf("%s is in no layer; add it to layers and to docs/design.md", s.dir)
			continue
		}
		for _, imported := range s.imports {
			dir, isOwn := ownPackage(imported)
			if isOwn && height[dir] >= own {
				t.Errorf("%s imports %s, which is not below it", s.dir, dir)
			}
			if !isOwn && !slices.ContainsFunc(modules[s.dir], func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") }) {
				t.Errorf("%s imports %s, which modules does not allow", s.dir, imported)
			}
		}
	}
	for dir := range height {
		if !seen[dir] {
			t.Errorf("layers names %s, which does not exist", dir)
		}
	}
}

// ownPackage returns the folder of a package of this module.
func ownPackage(imported string) (dir string, own bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
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
