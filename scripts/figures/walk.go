package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A walk visits the functions below campaign/ that one function calls, directly or not, each once and in the order of
// the calls, as a reader does who follows them.
type walk struct {
	module *module
	calls  map[*types.Func][]*types.Func
	seen   map[*types.Func]bool
	stops  []*types.Func
}

// hangWalk follows a suspected hang from the function called name. A return is a step to a file already left.
func (m *module) hangWalk(name string) []figure {
	w := &walk{module: m, calls: m.callGraph(), seen: map[*types.Func]bool{}}
	var starts []*types.Func
	for caller := range w.calls {
		if slices.Contains(strings.Split(name, ","), caller.Name()) {
			starts = append(starts, caller)
		}
	}
	slices.SortFunc(starts, func(a, b *types.Func) int { return strings.Compare(a.FullName(), b.FullName()) })
	for _, start := range starts {
		w.visit(start)
	}
	if len(w.stops) == 0 {
		return nil
	}
	returns, last := 0, ""
	files := map[string]bool{}
	for _, f := range w.stops {
		file := m.file(f)
		if file != last && files[file] {
			returns++
		}
		files[file] = true
		last = file
	}
	return []figure{{
		"walk of a suspected hang",
		fmt.Sprintf("%d stops in %d files, %d returns", len(w.stops), len(files), returns),
	}}
}

func (w *walk) visit(f *types.Func) {
	if w.seen[f] || !strings.HasPrefix(w.module.file(f), "campaign/") {
		return
	}
	w.seen[f] = true
	w.stops = append(w.stops, f)
	for _, callee := range w.calls[f] {
		w.visit(callee)
	}
}

// callGraph gives the functions of the module that each function refers to, in the order of the source. A method of an
// interface stands for the methods that implement it.
func (m *module) callGraph() map[*types.Func][]*types.Func {
	var named []types.Type
	for _, t := range m.types() {
		if !types.IsInterface(t.Type()) {
			named = append(named, t.Type())
		}
	}
	implementations := map[*types.Func][]*types.Func{}
	of := func(f *types.Func) []*types.Func {
		recv := f.Signature().Recv()
		if recv == nil || !types.IsInterface(recv.Type()) {
			return []*types.Func{f.Origin()}
		}
		if known, ok := implementations[f]; ok {
			return known
		}
		found := []*types.Func{}
		face := recv.Type().Underlying().(*types.Interface)
		for _, t := range named {
			if pointer := types.NewPointer(t); types.Implements(pointer, face) {
				object, _, _ := types.LookupFieldOrMethod(pointer, true, f.Pkg(), f.Name())
				if method, ok := object.(*types.Func); ok {
					found = append(found, method.Origin())
				}
			}
		}
		implementations[f] = found
		return found
	}
	graph := map[*types.Func][]*types.Func{}
	for _, files := range m.files {
		for _, f := range files {
			for _, d := range f.ast.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				caller, ok := m.info.Defs[decl.Name].(*types.Func)
				if !ok {
					continue
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if callee, ok := m.info.Uses[id].(*types.Func); ok && callee.Pkg() != nil {
							graph[caller] = append(graph[caller], of(callee)...)
						}
					}
					return true
				})
			}
		}
	}
	return graph
}
