package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// source counts what the syntax shows.
func source(module string, product, all, root []*pkg) []Figure {
	public, exported := 0, 0
	for _, p := range all {
		if p.public() {
			public++
			exported += p.exported()
		}
	}
	outside := 0
	for _, p := range root {
		if !p.Standard && p.ImportPath != module {
			outside++
		}
	}
	unsafe, assembly := 0, 0
	types := map[string]int{}
	var own *pkg
	for _, p := range product {
		if slices.Contains(p.Imports, "unsafe") {
			unsafe++
		}
		assembly += len(p.SFiles)
		for name := range p.types() {
			if name != "Options" {
				types[name]++
			}
		}
		if p.ImportPath == module {
			own = p
		}
	}
	shared := []string{}
	for name, n := range types {
		if n >= 3 {
			shared = append(shared, name)
		}
	}
	slices.Sort(shared)
	asserted := assertions(module, product)
	return []Figure{
		{Name: "public packages; exported identifiers", Value: fmt.Sprintf("%d; %d", public, exported)},
		{Name: "lines of the root; packages outside the standard library that it needs", Value: fmt.Sprintf("%d; %d", own.lines(), outside)},
		{Name: "packages that import unsafe; assembly files", Value: fmt.Sprintf("%d; %d", unsafe, assembly)},
		{Name: "interfaces found by type assertion", Value: fmt.Sprint(len(asserted)), Detail: strings.Join(asserted, " ")},
		{Name: "type names in three or more packages", Value: fmt.Sprint(len(shared)), Detail: strings.Join(shared, " ")},
		{Name: "settings", Value: fmt.Sprint(settings(product))},
	}
}

// exported counts exported types, functions, methods of exported types, constants and
// variables.
func (p *pkg) exported() int {
	n := 0
	for _, f := range p.files {
		if ast.IsGenerated(f) {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					n++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							n++
						}
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if name.IsExported() {
								n++
							}
						}
					}
				}
			}
		}
	}
	return n
}

// types are those that a package declares outside functions.
func (p *pkg) types() map[string]ast.Expr {
	found := map[string]ast.Expr{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						found[s.Name.Name] = s.Type
					}
				}
			}
		}
	}
	return found
}

// assertions lists the interfaces of the root, of the wire and of whatever the engine
// is in that some package looks for by a type assertion.
func assertions(module string, product []*pkg) []string {
	interfaces := map[string]bool{}
	for _, p := range product {
		if rest := strings.TrimPrefix(p.ImportPath, module); rest != "" && rest != "/wire" && rest != "/fit" {
			continue
		}
		for name, t := range p.types() {
			if _, ok := t.(*ast.InterfaceType); ok {
				interfaces[p.Name+"."+name] = true
			}
		}
	}
	found := map[string]bool{}
	for _, p := range product {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				a, ok := n.(*ast.TypeAssertExpr)
				if !ok {
					return true
				}
				name := ""
				switch t := a.Type.(type) {
				case *ast.Ident:
					name = p.Name + "." + t.Name
				case *ast.SelectorExpr:
					if x, ok := t.X.(*ast.Ident); ok {
						name = x.Name + "." + t.Sel.Name
					}
				}
				if interfaces[name] {
					found[name] = true
				}
				return true
			})
		}
	}
	all := []string{}
	for name := range found {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// settings counts the fields of config.Settings, those of its sections each.
func settings(product []*pkg) int {
	for _, p := range product {
		if types := p.types(); p.Name == "config" && types["Settings"] != nil {
			return fields(types["Settings"], types)
		}
	}
	return 0
}

func fields(t ast.Expr, types map[string]ast.Expr) int {
	s, ok := t.(*ast.StructType)
	if !ok {
		return 0
	}
	n := 0
	for _, f := range s.Fields.List {
		section := f.Type
		if id, ok := section.(*ast.Ident); ok && types[id.Name] != nil {
			section = types[id.Name]
		}
		if in := fields(section, types); in > 0 {
			n += in
			continue
		}
		n += max(1, len(f.Names))
	}
	return n
}
