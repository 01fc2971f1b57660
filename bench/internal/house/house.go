// Package house measures what a reader of Plimsoll's source must hold in the head: how
// much one request runs through, how much is public, how often one name means several
// things. It finds packages and functions by itself, so that they may move.
package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// command is the package that everything in the product is built for.
const command = "./cmd/plimsoll"

// Options say what to measure.
type Options struct {
	// Root of the module, Bench of the module of benchmarks.
	Root, Bench string
	// Log is where the output of commands goes that fail.
	Log io.Writer
}

// Figure is one line of the result.
type Figure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Detail says what was counted; empty if the name says it.
	Detail string `json:"detail,omitempty"`
}

// pkg is a package as go list describes it, with its syntax.
type pkg struct {
	ImportPath, Dir, Name string
	Standard              bool
	GoFiles, SFiles       []string
	Imports               []string
	Module                *struct{ Path string }

	files []*ast.File
}

// Measure returns the figures in the order in which they are shown.
func Measure(o Options) ([]Figure, error) {
	product, err := o.list(o.Root, "-deps", command)
	if err != nil {
		return nil, err
	}
	all, err := o.list(o.Root, "./...")
	if err != nil {
		return nil, err
	}
	root, err := o.list(o.Root, "-deps", ".")
	if err != nil {
		return nil, err
	}
	module := root[len(root)-1].ImportPath
	product = slices.DeleteFunc(product, func(p *pkg) bool { return p.Module == nil || p.Module.Path != module })
	set := token.NewFileSet()
	for _, p := range slices.Concat(product, all) {
		if err := p.parse(set); err != nil {
			return nil, err
		}
	}
	figures, err := o.hops(product, set)
	if err != nil {
		return nil, err
	}
	return append(figures, source(module, product, all, root)...), nil
}

// list runs go list in a module.
func (o Options) list(dir string, args ...string) ([]*pkg, error) {
	out, err := o.run(dir, append([]string{"go", "list", "-json"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []*pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		p := &pkg{}
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (o Options) run(dir string, args ...string) ([]byte, error) {
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Stderr = dir, o.Log
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(args[:min(3, len(args))], " "), err)
	}
	return out, nil
}

func (p *pkg) parse(set *token.FileSet) error {
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
	}
	return nil
}

// lines counts the lines of a package.
func (p *pkg) lines() int {
	n := 0
	for _, name := range p.GoFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err == nil {
			n += strings.Count(string(data), "\n")
		}
	}
	return n
}

// public reports whether other modules can import a package.
func (p *pkg) public() bool {
	return p.Name != "main" && !slices.Contains(strings.Split(p.ImportPath, "/"), "internal")
}
