package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A place is a function of the campaign.
type place struct {
	file   string
	calls  []string // full names, in the order of the source
	inHand bool     // its receiver, a parameter or a result is the finding, or a struct that has it
	toDisk bool     // it writes a file, or calls a function that does
}

var writing = []string{"os.Rename", "os.WriteFile", "os.CreateTemp"}

// walk walks from confirmHang to the disk, as a reader does who follows the finding: through the functions below
// campaign/ that have the finding in hand and lead to a written file, each once and in the order of the calls. A return
// is a step to a file already left.
func (m *module) walk() (stops, files, returns int) {
	places := map[string]*place{} // by full name: a package that another one imports has other objects
	start, finding := "", m.finding()
	m.eachFunction(func(p *packages.Package, d *ast.FuncDecl, f *types.Func) {
		if at := folder(p); !strings.HasPrefix(at, "campaign") && !strings.HasPrefix(at, "internal/") {
			return
		}
		places[f.FullName()] = &place{file: m.file(p, d), calls: m.calls(p, d), inHand: has(f.Signature(), finding)}
		if f.Name() == "confirmHang" {
			start = f.FullName()
		}
	})
	for again := true; again; {
		again = false
		for _, at := range places {
			if at.toDisk {
				continue
			}
			at.toDisk = slices.ContainsFunc(at.calls, func(callee string) bool {
				return slices.Contains(writing, callee) || places[callee] != nil && places[callee].toDisk
			})
			again = again || at.toDisk
		}
	}
	left, last := map[string]bool{}, ""
	var visit func(string)
	visit = func(name string) {
		at := places[name]
		if at == nil || !at.inHand || !at.toDisk {
			return
		}
		delete(places, name)
		stops++
		if at.file != last && left[at.file] {
			returns++
		}
		left[at.file], last = true, at.file
		for _, callee := range at.calls {
			visit(callee)
		}
	}
	visit(start)
	return stops, len(left), returns
}

// calls returns what a function calls, except in functions that it stores for another time. For a method of an
// interface these are the methods that implement it.
func (m *module) calls(p *packages.Package, d *ast.FuncDecl) []string {
	var calls []string
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if _, later := n.Value.(*ast.FuncLit); later {
				return false
			}
		case *ast.Ident:
			callee, ok := p.TypesInfo.Uses[n].(*types.Func)
			if !ok {
				break
			}
			calls = append(calls, callee.Origin().FullName())
			if recv := callee.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				calls = append(calls, m.implementing(callee)...)
			}
		}
		return true
	})
	return calls
}

// implementing returns the full names of the methods with the name of an interface's method and as many parameters.
func (m *module) implementing(method *types.Func) []string {
	var names []string
	m.eachFunction(func(_ *packages.Package, _ *ast.FuncDecl, f *types.Func) {
		signature := f.Signature()
		if f.Name() == method.Name() && signature.Recv() != nil &&
			signature.Params().Len() == method.Signature().Params().Len() {
			names = append(names, f.FullName())
		}
	})
	return names
}

// finding returns the name of the type that holds a finding: what campaign.Config.OnFinding takes.
func (m *module) finding() string {
	for _, p := range m.packages {
		config := p.Types.Scope().Lookup("Config")
		if folder(p) != "campaign" || config == nil {
			continue
		}
		fields, _ := config.Type().Underlying().(*types.Struct)
		for field := range fields.Fields() {
			if callback, ok := field.Type().(*types.Signature); ok && field.Name() == "OnFinding" {
				return callback.Params().At(0).Type().String()
			}
		}
	}
	return ""
}

// has reports whether a function's receiver, parameters or results are a finding, or a struct that has one.
func has(f *types.Signature, finding string) bool {
	var in []*types.Var
	if f.Recv() != nil {
		in = append(in, f.Recv())
	}
	in = slices.AppendSeq(slices.AppendSeq(in, f.Params().Variables()), f.Results().Variables())
	return slices.ContainsFunc(in, func(v *types.Var) bool {
		t := v.Type()
		if t.String() == finding {
			return true
		}
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		for field := range s.Fields() {
			if field.Type().String() == finding {
				return true
			}
		}
		return false
	})
}
