package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

const text = `package p

type Settings struct {
	Model string
	Low, High float64
	Serve Serve
}

type Serve struct{ Port int }

func (Settings) Check() {
	if true {
		run()
	}
}

func run() {}
`

func parsed(t *testing.T) (*pkg, *token.FileSet) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &pkg{ImportPath: "m/p", Name: "config", GoFiles: []string{"p.go"}, files: []*ast.File{f}}, set
}

func TestAFunctionWasCalledAsOftenAsItsFirstBlockRan(t *testing.T) {
	t.Parallel()
	p, set := parsed(t)
	profile := "mode: atomic\nm/p/p.go:12.10,14.3 1 7\nm/p/p.go:11.25,12.10 1 3\nm/p/p.go:17.12,17.12 0 0\n"
	got, err := calls([]byte(profile), functions([]*pkg{p}, set))
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, error %v", got, err)
	}
	for f, n := range got {
		if f.receiver != "Settings" || f.name != "Check" || n != 3 {
			t.Errorf("%s.%s was called %d times, want Settings.Check 3 times", f.receiver, f.name, n)
		}
	}
}

func TestSectionsOfSettingsCountByTheirFields(t *testing.T) {
	t.Parallel()
	p, _ := parsed(t)
	if got := settings([]*pkg{p}); got != 4 {
		t.Errorf("%d settings, want 4", got)
	}
	if got := p.exported(); got != 3 {
		t.Errorf("%d exported identifiers, want Settings, Serve and Check", got)
	}
}
