package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A module is the type-checked Go code of a checkout, without tests.
type module struct {
	tree     *tree
	path     string
	info     *types.Info
	packages map[string]*types.Package // by folder
	files    map[string][]*file        // by folder
}

// checkModule type-checks the packages of the tree in the order of their imports. It reads the packages of others from
// the export data that go list makes.
func checkModule(dir string, t *tree) (*module, error) {
	m := &module{
		tree:     t,
		info:     &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		packages: map[string]*types.Package{},
		files:    map[string][]*file{},
	}
	listed, err := goList(dir, "-m")
	if err != nil {
		return nil, err
	}
	m.path = listed[0]
	const format = `{{.ImportPath}}{{"\t"}}{{join .GoFiles " "}} {{join .CgoFiles " "}}`
	deps, err := goList(dir, "-deps", "-f", format, "./...")
	if err != nil {
		return nil, err
	}
	var ours [][]string
	others := []string{"-export", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, line := range deps {
		fields := strings.Split(line, "\t")
		switch {
		case fields[0] == m.path || strings.HasPrefix(fields[0], m.path+"/"):
			ours = append(ours, fields)
		case fields[0] != "unsafe":
			others = append(others, fields[0])
		}
	}
	exported, err := goList(dir, others...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, line := range exported {
		importPath, export, _ := strings.Cut(line, "\t")
		exports[importPath] = export
	}
	foreign := importer.ForCompiler(t.fset, "gc", func(importPath string) (io.ReadCloser, error) {
		data, err := os.ReadFile(exports[importPath])
		return io.NopCloser(bytes.NewReader(data)), err
	})
	for _, fields := range ours {
		folder := strings.TrimPrefix(strings.TrimPrefix(fields[0], m.path), "/")
		m.check(folder, fields[0], strings.Fields(fields[1]), foreign)
	}
	return m, nil
}

func goList(dir string, args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

type importFunc func(string) (*types.Package, error)

func (f importFunc) Import(importPath string) (*types.Package, error) { return f(importPath) }

func (m *module) check(folder, importPath string, names []string, foreign types.Importer) {
	var syntax []*ast.File
	for _, f := range m.tree.files {
		if path.Dir(f.path) != folder || !f.isGo() {
			continue
		}
		for _, name := range names {
			if path.Base(f.path) == name {
				m.files[folder] = append(m.files[folder], f)
				syntax = append(syntax, f.ast)
			}
		}
	}
	config := types.Config{
		FakeImportC: true,
		Error:       func(error) {}, // cgo's names are unknown
		Importer: importFunc(func(importPath string) (*types.Package, error) {
			if importPath == "unsafe" {
				return types.Unsafe, nil
			}
			if ours, ok := m.packages[strings.TrimPrefix(importPath, m.path+"/")]; ok {
				return ours, nil
			}
			return foreign.Import(importPath)
		}),
	}
	m.packages[folder], _ = config.Check(importPath, m.tree.fset, syntax, m.info)
}

// file gives the path of the file that declares object, relative to the tree.
func (m *module) file(object types.Object) string {
	name, err := filepath.Rel(m.tree.dir, m.tree.fset.Position(object.Pos()).Filename)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(name)
}

// types gives the package-level types of the module, sorted by package and name.
func (m *module) types() []*types.TypeName {
	var all []*types.TypeName
	for _, folder := range slices.Sorted(maps.Keys(m.packages)) {
		scope := m.packages[folder].Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
				all = append(all, t)
			}
		}
	}
	return all
}

// The least number of common field names that makes two structs look copied.
const commonFields = 8

// copies lists the structs that have many field names in common with another one.
func (m *module) copies() []figure {
	fields := map[string]map[string]bool{}
	var names []string
	for _, t := range m.types() {
		s, ok := t.Type().Underlying().(*types.Struct)
		if !ok || s.NumFields() < commonFields {
			continue
		}
		name := strings.TrimPrefix(t.Pkg().Path(), m.path+"/") + "." + t.Name()
		names = append(names, name)
		fields[name] = map[string]bool{}
		for i := range s.NumFields() {
			fields[name][strings.ToLower(s.Field(i).Name())] = true
		}
	}
	var alike []string
	for i, a := range names {
		for _, b := range names[:i] {
			common := 0
			for field := range fields[a] {
				if fields[b][field] {
					common++
				}
			}
			if common >= commonFields {
				alike = append(alike, fmt.Sprintf("%s and %s (%d)", b, a, common))
			}
		}
	}
	label := fmt.Sprintf("pairs of structs with %d or more equal field names", commonFields)
	return []figure{{label, fmt.Sprintf("%d: %s", len(alike), strings.Join(alike, ", "))}}
}

// campaignType measures the type Campaign, wherever it is declared.
func (m *module) campaignType() []figure {
	for _, name := range m.types() {
		named, ok := name.Type().(*types.Named)
		if !ok || name.Name() != "Campaign" {
			continue
		}
		fields, ok := named.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		files := map[string]bool{}
		for i := range named.NumMethods() {
			files[m.file(named.Method(i))] = true
		}
		sites, lockFiles := m.locksOf(fields)
		return []figure{
			{"fields of Campaign", fmt.Sprint(fields.NumFields())},
			{"methods of Campaign", fmt.Sprintf("%d in %d files", named.NumMethods(), len(files))},
			{"lock sites of Campaign's mutexes", fmt.Sprintf("%d in %d files", sites, lockFiles)},
		}
	}
	return nil
}

// locksOf counts the places that lock a mutex among the fields of a struct.
func (m *module) locksOf(fields *types.Struct) (sites, files int) {
	mutexes := map[types.Object]bool{}
	for i := range fields.NumFields() {
		switch fields.Field(i).Type().String() {
		case "sync.Mutex", "sync.RWMutex":
			mutexes[fields.Field(i)] = true
		}
	}
	in := map[string]bool{}
	for _, list := range m.files {
		for _, f := range list {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				method, ok := n.(*ast.SelectorExpr)
				if !ok || method.Sel.Name != "Lock" && method.Sel.Name != "RLock" {
					return true
				}
				if field, ok := method.X.(*ast.SelectorExpr); ok && mutexes[m.info.Uses[field.Sel]] {
					sites++
					in[f.path] = true
				}
				return true
			})
		}
	}
	return sites, len(in)
}

// exports counts the exported functions, types, variables and constants that nothing outside tests refers to.
func (m *module) exports() []figure {
	used := map[types.Object]bool{}
	for _, object := range m.info.Uses {
		used[object] = true
	}
	var unused []string
	all := 0
	for folder, p := range m.packages {
		for _, name := range p.Scope().Names() {
			object := p.Scope().Lookup(name)
			if !object.Exported() || strings.HasPrefix(folder, "bindings") {
				continue
			}
			all++
			if !used[object] {
				unused = append(unused, folder+"."+name)
			}
		}
	}
	sort.Strings(unused)
	value := fmt.Sprintf("%d of %s: %s", len(unused), thousands(all), strings.Join(unused, ", "))
	return []figure{{"exported definitions that at most tests use", value}}
}
