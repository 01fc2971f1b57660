package house

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// function is one that a request may run through.
type function struct {
	pkg, file, receiver, name string
	from, to                  token.Position
}

// hops counts what one request runs through: what a process that sends it covers, and
// one that sends none does not.
func (o Options) hops(product []*pkg, set *token.FileSet) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "house")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	needed, err := o.list(o.Bench, "-deps", "./peers/hops")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range needed {
		own := func(q *pkg) bool { return q.ImportPath == p.ImportPath }
		if p.Name == "main" || slices.ContainsFunc(product, own) { // without main nothing is written
			paths = append(paths, p.ImportPath)
		}
	}
	probe := filepath.Join(dir, "hops")
	if _, err := o.run(o.Bench, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(paths, ","), "-o", probe, "./peers/hops"); err != nil {
		return nil, err
	}
	all := functions(product, set)
	var figures []Figure
	for _, way := range []struct {
		name   string
		window int
	}{{"nothing to cut", 200_000}, {"cut", 9000}} {
		var calls [2]map[function]int
		for n := range calls {
			if calls[n], err = o.covered(dir, probe, way.window, n, all); err != nil {
				return nil, err
			}
		}
		figures = append(figures, summary(way.name, calls)...)
	}
	return figures, nil
}

// summary says what the second of two runs covers and the first does not.
func summary(name string, calls [2]map[function]int) []Figure {
	files, packages, n := map[string]bool{}, map[string]bool{}, 0
	times := map[string]int{}
	for f, count := range calls[1] {
		switch {
		case f.receiver == "Codec" && f.name == "Decode":
			times["decode"] += count - calls[0][f]
		case f.receiver == "Request" && f.name == "Encode":
			times["encode"] += count - calls[0][f]
		case f.name == "newPairing":
			times["pair"] += count - calls[0][f]
		}
		if calls[0][f] == 0 {
			n++
			files[f.file], packages[f.pkg] = true, true
		}
	}
	return []Figure{
		{Name: "functions / files / packages per request, " + name, Value: fmt.Sprintf("%d / %d / %d", n, len(files), len(packages))},
		{Name: "decode, encode, pair per request, " + name, Value: fmt.Sprintf("%d, %d, %d", times["decode"], times["encode"], times["pair"])},
	}
}

// functions are those of all packages. Of a function literal its function counts.
func functions(product []*pkg, set *token.FileSet) map[string][]function {
	all := map[string][]function{}
	for _, p := range product {
		for i, f := range p.files {
			name := path.Join(p.ImportPath, p.GoFiles[i])
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					all[name] = append(all[name], function{
						pkg: p.ImportPath, file: name, receiver: receiver(d), name: d.Name.Name,
						from: set.Position(d.Body.Pos()), to: set.Position(d.Body.End()),
					})
				}
			}
		}
	}
	return all
}

// receiver is the name of the type whose method a function is; empty if it is none.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch g := t.(type) {
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// covered runs the probe and returns how often each function that ran was called.
func (o Options) covered(dir, probe string, window, requests int, all map[string][]function) (map[function]int, error) {
	data := filepath.Join(dir, fmt.Sprintf("%d-%d", window, requests))
	if err := os.Mkdir(data, 0o755); err != nil {
		return nil, err
	}
	if _, err := o.run(dir, "env", "GOCOVERDIR="+data, probe, fmt.Sprint(window), fmt.Sprint(requests)); err != nil {
		return nil, err
	}
	profile := data + ".txt"
	if _, err := o.run(o.Root, "go", "tool", "covdata", "textfmt", "-i="+data, "-o="+profile); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return calls(text, all)
}

// calls reads a profile. A function that ran was called as often as its first block.
func calls(profile []byte, all map[string][]function) (map[function]int, error) {
	found, first := map[function]int{}, map[function]int{}
	lines := bufio.NewScanner(bytes.NewReader(profile))
	for lines.Scan() {
		file, rest, ok := strings.Cut(lines.Text(), ".go:")
		if !ok {
			continue
		}
		var line, column, toLine, toColumn, statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &line, &column, &toLine, &toColumn, &statements, &count); err != nil {
			return nil, fmt.Errorf("profile: %q: %w", lines.Text(), err)
		}
		if count == 0 {
			continue
		}
		for _, f := range all[file+".go"] {
			if line < f.from.Line || toLine > f.to.Line || line == f.from.Line && column < f.from.Column || toLine == f.to.Line && toColumn > f.to.Column {
				continue
			}
			at := line<<10 + column
			if was, seen := first[f]; !seen || at < was {
				first[f], found[f] = at, count
			}
		}
	}
	return found, lines.Err()
}
