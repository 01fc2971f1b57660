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
	"regexp"
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
		"internal/bar", "internal/coding", "internal/golden", "internal/lru", "internal/pattern", "internal/pgtest", "internal/process", "internal/refname",
		"internal/rawjson", "internal/sse", "internal/serve/telemetry/redact", "internal/examples",
	},
	{".", "internal/lang", "internal/split", "internal/chat/terminal/markdown"},
	{"account", "internal/bpe", "internal/hf", "internal/passage", "wire/internal/layout"},
	{"model", "summary", "wire", "internal/embedding", "internal/testkit"},
	{"wire/internal/build"},
	{"fit", "token", "wire/internal/openai", "wire/internal/responses", "wire/internal/anthropic", "wire/internal/gemini", "wire/internal/ollama", "wire/internal/converse"},
	{"fit/rent", "hook", "internal/config", "rung", "store", "wire/dialects"},
	{"summary/remote"},
	{"expand", "preset", "store/sqlite", "store/postgres", "trim", "internal/storetest", "internal/transcript", "transport/internal/breaker", "transport/internal/limit", "internal/modelserver"},
	{"transport/internal/answer", "transport/internal/history", "internal/corpora", "internal/prune", "internal/report", "internal/scripted", "internal/survival", "internal/serve/mcpserver", "internal/serve/proxy"},
	{"transport"},
	{
		"internal/chat", "internal/lab/demo", "internal/lab/replay", "internal/serve/api", "internal/serve/dashboard", "internal/serve/telemetry",
		"internal/replytest", "internal/wiretest",
	},
	{"internal/chat/plain", "internal/chat/terminal", "internal/chat/toolbox", "internal/serve/telemetry/traces"},
}

// modules lists the modules of others that a package may import.
var modules = map[string][]string{
	"internal/replytest":              {"github.com/google/go-cmp", "pgregory.net/rapid"},
	"internal/bar":                    {"golang.org/x/text"},
	"internal/chat/terminal":          {"charm.land/bubbles/v2", "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"},
	"internal/chat/terminal/markdown": {"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/yuin/goldmark"},
	"internal/chat/toolbox":           {"github.com/modelcontextprotocol/go-sdk"},
	"internal/coding":                 {"github.com/andybalholm/brotli", "github.com/klauspost/compress"},
	"internal/config":                 {"github.com/goccy/go-yaml"},
	"internal/embedding":              {"golang.org/x/text"},
	"internal/lang":                   {"golang.org/x/text"},
	"internal/pgtest":                 {"github.com/jackc/pgx/v5"},
	"internal/rawjson":                {"golang.org/x/sys"},
	"internal/serve/api":              {"github.com/google/jsonschema-go"},
	"internal/serve/mcpserver":        {"github.com/modelcontextprotocol/go-sdk"},
	"internal/serve/telemetry":        {"github.com/prometheus/client_golang"},
	"internal/serve/telemetry/traces": {"go.opentelemetry.io/otel"},
	"internal/storetest":              {"github.com/anishathalye/porcupine", "github.com/google/go-cmp"},
	"internal/testkit":                {"pgregory.net/rapid"},
	"internal/wiretest":               {"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"},
	"store":                           {"github.com/klauspost/compress"},
	"store/postgres":                  {"github.com/jackc/pgx/v5"},
	"store/sqlite":                    {"modernc.org/sqlite"},
	"token":                           {"github.com/zeebo/xxh3"},
	"internal/bpe":                    {"golang.org/x/sys"},
	"internal/hf":                     {"golang.org/x/text"},
	"internal/split":                  {"golang.org/x/sys"},
	"transport/internal/history":      {"github.com/zeebo/xxh3"},
	"wire/internal/layout":            {"github.com/zeebo/xxh3"},
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

// TestTheRootStaysADictionary holds the root package to its size, and to the standard
// library.
func TestTheRootStaysADictionary(t *testing.T) {
	t.Parallel()
	const limit = 2000
	imports := map[string][]string{}
	lines := 0
	for _, s := range sources(t) {
		imports[s.dir] = s.imports
		for _, name := range s.files {
			if s.dir == "." {
				lines += lineCount(t, name)
			}
		}
	}
	if lines > limit {
		t.Errorf("the root package has %d lines, want at most %d", lines, limit)
	}
	queue := []string{"."}
	for seen := map[string]bool{}; len(queue) > 0; queue = queue[1:] {
		if dir := queue[0]; !seen[dir] {
			seen[dir] = true
			for _, imported := range imports[dir] {
				below, own := ownPackage(imported)
				if !own {
					t.Errorf("the root needs %s, by %s", imported, dir)
				}
				queue = append(queue, below)
			}
		}
	}
}

// TestPublicNamesStayFew holds the number of packages and names that a program of
// another module can use. Lower the limits when names go; raise them only for what such
// a program needs.
func TestPublicNamesStayFew(t *testing.T) {
	t.Parallel()
	const (
		mostPackages = 19
		mostNames    = 700
	)
	packages, names := 0, 0
	for _, s := range sources(t) {
		if s.command || slices.Contains(strings.Split(s.dir, "/"), "internal") {
			continue
		}
		packages++
		for _, name := range s.files {
			names += exportedNames(t, name)
		}
	}
	if packages > mostPackages || names > mostNames {
		t.Errorf("%d public packages with %d names, want at most %d with %d", packages, names, mostPackages, mostNames)
	}
}

// exportedNames counts the exported types, functions, methods of exported types,
// constants and variables of a file. Generated files are passed over.
func exportedNames(t *testing.T, name string) int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(file) {
		return 0
	}
	n := 0
	count := func(exported bool) {
		if exported {
			n++
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			count(d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					count(spec.Name.IsExported())
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						count(id.IsExported())
					}
				}
			}
		}
	}
	return n
}

// receiver returns the name of the type that a method belongs to.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func lineCount(t *testing.T, name string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// ofOneAPI lists the product files outside wire that name one of the APIs, with what no
// codec can know for them. OpenAI's is not counted: lists of messages that no API has
// sent are written in its form.
var ofOneAPI = map[string]string{
	"token/framing.go":                  "measured weights of messages and tools",
	"token/media.go":                    "measured weights of pictures",
	"summary/remote/spec.go":            "addresses and keys of those that write summaries",
	"summary/remote/body.go":            "how a summary is asked for",
	"summary/remote/settle.go":          "how a summary is asked for",
	"summary/remote/model.go":           "models of Gemini that write summaries",
	"summary/remote/count.go":           "Gemini's endpoint that counts",
	"transport/fit.go":                  "Gemini's endpoint that counts",
	"rung/reasoning.go":                 "items of Responses that need the reasoning before them",
	"rung/output.go":                    "outputs of Responses that must be a picture",
	"transport/line.go":                 "a beta of Anthropic's that gives a larger window",
	"transport/endpoint.go":             "Claude at Bedrock",
	"internal/modelserver/count.go":     "endpoints of llama.cpp",
	"internal/serve/proxy/upstreams.go": "addresses, and paths without a conversation",
	"internal/transcript/transcript.go": "files that name no API",
	"internal/transcript/wire.go":       "files that name Anthropic's",
	"internal/transcript/session.go":    "sessions of Claude Code",
	"internal/chat/participant.go":      "addresses and keys of those that chat",
	"internal/chat/request.go":          "how a chat asks",
	"internal/lab/demo/body.go":         "how the demonstration asks",
	"internal/lab/replay/track.go":      "what recorded sessions leave out",
	"internal/lab/replay/run.go":        "who says a result",
	"internal/scripted/answer.go":       "a model for tests",
	"internal/scripted/exchange.go":     "a model for tests",
	"internal/scripted/side.go":         "a model for tests",
	"internal/scripted/voice.go":        "a model for tests",
}

// TestOnlyWireKnowsOneAPI holds what docs/adding-an-api.md promises: an API is a folder
// below wire and a line in wire/dialects.
func TestOnlyWireKnowsOneAPI(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`plimsoll\.(Responses|Anthropic|Gemini|Ollama|Converse)\b`)
	for _, s := range sources(t) {
		if s.dir == "wire" || strings.HasPrefix(s.dir, "wire/") {
			continue
		}
		for _, name := range s.files {
			data, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				t.Fatal(err)
			}
			if names, allowed := named.Match(data), ofOneAPI[name] != ""; names && !allowed {
				t.Errorf("%s names an API: ask its codec, or say in ofOneAPI what no codec can know", name)
			} else if !names && allowed {
				t.Errorf("ofOneAPI lists %s, which names no API", name)
			}
		}
	}
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
