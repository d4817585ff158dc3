package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A module is the type-checked Go code of a checkout, without tests.
type module struct {
	dir      string
	packages []*packages.Package
}

func load(dir string) (*module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	const mode = packages.LoadSyntax | packages.NeedModule
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, "./...")
	if err == nil && packages.PrintErrors(all) > 0 {
		err = fmt.Errorf("the code does not compile")
	}
	return &module{dir, all}, err
}

func folder(p *packages.Package) string {
	return strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/")
}

// file returns the path of the file that n is in, relative to the module; files that cgo made do not count.
func (m *module) file(p *packages.Package, n interface{ Pos() token.Pos }) string {
	name, err := filepath.Rel(m.dir, p.Fset.Position(n.Pos()).Filename)
	if err != nil || strings.HasPrefix(name, "..") {
		return ""
	}
	return name
}

// functions counts long functions, and the exported functions, methods and types that have a doc comment.
func (m *module) functions() []figure {
	var all, long, exported, documented, named, namedDocumented int
	for _, p := range m.packages {
		for _, f := range p.Syntax {
			if m.file(p, f) == "" {
				continue
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					all++
					if p.Fset.Position(d.End()).Line-p.Fset.Position(d.Pos()).Line >= maxFunction {
						long++
					}
					if d.Name.IsExported() {
						exported++
						if d.Doc != nil {
							documented++
						}
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
							named++
							if s.Doc != nil || d.Doc != nil && len(d.Specs) == 1 {
								namedDocumented++
							}
						}
					}
				}
			}
		}
	}
	return []figure{
		{fmt.Sprintf("functions over %d lines", maxFunction), share(long, all)},
		{"exported functions with a doc comment", share(documented, exported)},
		{"exported types with a doc comment", share(namedDocumented, named)},
	}
}

// campaignType measures the type Campaign and the functions that a suspected hang passes through.
func (m *module) campaignType() []figure {
	for _, p := range m.packages {
		object := p.Types.Scope().Lookup("Campaign")
		if folder(p) != "campaign" || object == nil {
			continue
		}
		named := object.Type().(*types.Named)
		files := map[string]bool{}
		for method := range named.Methods() {
			files[m.file(p, method)] = true
		}
		stops, in, returns := m.walk()
		return []figure{
			{"fields of Campaign", fmt.Sprint(named.Underlying().(*types.Struct).NumFields())},
			{"methods of Campaign", fmt.Sprintf("%d in %d files", named.NumMethods(), len(files))},
			{"walk of a suspected hang", fmt.Sprintf("%d stops in %d files, %d returns", stops, in, returns)},
		}
	}
	return nil
}

func (m *module) eachFunction(visit func(*packages.Package, *ast.FuncDecl, *types.Func)) {
	for _, p := range m.packages {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && m.file(p, d) != "" {
					if f, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
						visit(p, d, f)
					}
				}
			}
		}
	}
}

// The least number of common field names that makes two structs look copied.
const commonFields = 8

// copies lists the structs that have many field names in common with another one.
func (m *module) copies() figure {
	type structure struct {
		name   string
		fields []string
	}
	var seen []structure
	var alike []string
	for _, p := range m.packages {
		for _, name := range p.Types.Scope().Names() {
			object, isType := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !isType || strings.HasPrefix(name, "_Ctype_") {
				continue
			}
			t, ok := object.Type().Underlying().(*types.Struct)
			if !ok {
				continue
			}
			s := structure{name: folder(p) + "." + name}
			for field := range t.Fields() {
				s.fields = append(s.fields, strings.ToLower(field.Name()))
			}
			for _, other := range seen {
				common := 0
				for _, field := range s.fields {
					if slices.Contains(other.fields, field) {
						common++
					}
				}
				if common >= commonFields {
					alike = append(alike, fmt.Sprintf("%s and %s (%d)", other.name, s.name, common))
				}
			}
			seen = append(seen, s)
		}
	}
	return figure{fmt.Sprintf("pairs of structs with %d or more equal field names", commonFields),
		fmt.Sprintf("%d: %s", len(alike), strings.Join(alike, ", "))}
}

// exports counts the exported functions, types, variables and constants that nothing outside tests refers to, in
// packages that something outside tests imports.
func (m *module) exports() figure {
	used, imported := map[string]bool{}, map[string]bool{}
	for _, p := range m.packages {
		for path := range p.Imports {
			imported[path] = true
		}
		for _, object := range p.TypesInfo.Uses {
			if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
				used[object.Pkg().Path()+"."+object.Name()] = true
			}
		}
	}
	var unused []string
	all := 0
	for _, p := range m.packages {
		for _, name := range p.Types.Scope().Names() {
			if ast.IsExported(name) && imported[p.PkgPath] {
				all++
				if !used[p.PkgPath+"."+name] {
					unused = append(unused, folder(p)+"."+name)
				}
			}
		}
	}
	return figure{"exported definitions that at most tests use",
		fmt.Sprintf("%d of %s: %s", len(unused), thousands(all), strings.Join(unused, ", "))}
}

// arrows counts the arrows between the files of the package in name, and those that point up.
func (m *module) arrows(name string) (all, up int) {
	type arrow struct{ from, to string }
	arrows := map[arrow]bool{}
	for _, p := range m.packages {
		if folder(p) != name {
			continue
		}
		for id, object := range p.TypesInfo.Uses {
			f, isFunc := object.(*types.Func)
			if object.Pkg() != p.Types || object.Parent() != p.Types.Scope() && (!isFunc || f.Signature().Recv() == nil) {
				continue
			}
			if from, to := m.file(p, id), m.file(p, object); from != to && from != "" && to != "" {
				arrows[arrow{from, to}] = true
			}
		}
	}
	out, in := map[string][]string{}, map[string][]string{}
	for a := range arrows {
		out[a.from] = append(out[a.from], a.to)
		in[a.to] = append(in[a.to], a.from)
	}
	position := layers(out, in)
	for a := range arrows {
		if position[a.to] < position[a.from] {
			up++
		}
	}
	return len(arrows), up
}

// layers orders files so that most arrows lead from an earlier file to a later one, by the heuristic of Eades, Lin
// and Smyth, and gives the position of each.
func layers(out, in map[string][]string) map[string]int {
	var files []string
	for f := range out {
		files = append(files, f)
	}
	for f := range in {
		files = append(files, f)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	position := map[string]int{}
	remaining := func(ends []string) (n int) {
		for _, f := range ends {
			if _, placed := position[f]; !placed {
				n++
			}
		}
		return n
	}
	for first, last := 0, len(files)-1; len(files) > 0; {
		uses := func(f string) bool { return remaining(out[f]) > 0 }
		used := func(f string) bool { return remaining(in[f]) > 0 }
		surplus := func(f string) int { return remaining(out[f]) - remaining(in[f]) }
		at := slices.IndexFunc(files, func(f string) bool { return !uses(f) })
		if at >= 0 {
			position[files[at]] = last
			last--
		} else {
			if at = slices.IndexFunc(files, func(f string) bool { return !used(f) }); at < 0 {
				at = 0
				for i, f := range files {
					if surplus(f) > surplus(files[at]) {
						at = i
					}
				}
			}
			position[files[at]] = first
			first++
		}
		files = slices.Delete(files, at, at+1)
	}
	return position
}
