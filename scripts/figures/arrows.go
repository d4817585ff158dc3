package main

import (
	"go/ast"
	"go/types"
	"sort"
)

type arrow struct{ from, to string }

// arrows counts the arrows between the files of the package in folder, those that point up, and those in cycles.
func (m *module) arrows(folder string) (all, up, cyclic int) {
	p := m.packages[folder]
	if p == nil {
		return 0, 0, 0
	}
	var files []string
	arrows := map[arrow]bool{}
	for _, f := range m.files[folder] {
		files = append(files, f.path)
		ast.Inspect(f.ast, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			object := m.info.Uses[id]
			if object == nil || object.Pkg() != p || !isDefinition(p, object) {
				return true
			}
			if to := m.file(object); to != f.path {
				arrows[arrow{f.path, to}] = true
			}
			return true
		})
	}
	sort.Strings(files)
	position := map[string]int{}
	for i, name := range layers(files, arrows) {
		position[name] = i
	}
	reached := closure(files, arrows)
	for a := range arrows {
		if position[a.to] < position[a.from] {
			up++
		}
		if reached[arrow{a.to, a.from}] {
			cyclic++
		}
	}
	return len(arrows), up, cyclic
}

// isDefinition tells whether object is declared at the top level of p, or is a method.
func isDefinition(p *types.Package, object types.Object) bool {
	if object.Parent() == p.Scope() {
		return true
	}
	f, ok := object.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

// layers orders files so that most arrows lead from an earlier file to a later one.
func layers(files []string, arrows map[arrow]bool) []string {
	var first, last []string
	left := map[string]bool{}
	for _, f := range files {
		left[f] = true
	}
	for len(left) > 0 {
		in, out := map[string]int{}, map[string]int{}
		for a := range arrows {
			if left[a.from] && left[a.to] {
				out[a.from]++
				in[a.to]++
			}
		}
		sink, source, best := "", "", ""
		for _, f := range files {
			if !left[f] {
				continue
			}
			if sink == "" && out[f] == 0 {
				sink = f
			}
			if source == "" && in[f] == 0 {
				source = f
			}
			if best == "" || out[f]-in[f] > out[best]-in[best] {
				best = f
			}
		}
		switch {
		case sink != "":
			last = append(last, sink)
			delete(left, sink)
		case source != "":
			first = append(first, source)
			delete(left, source)
		default:
			first = append(first, best)
			delete(left, best)
		}
	}
	for i := len(last) - 1; i >= 0; i-- {
		first = append(first, last[i])
	}
	return first
}

// closure gives every pair of files of which the first reaches the second.
func closure(files []string, arrows map[arrow]bool) map[arrow]bool {
	next := map[string][]string{}
	for a := range arrows {
		next[a.from] = append(next[a.from], a.to)
	}
	reached := map[arrow]bool{}
	for _, from := range files {
		pending := []string{from}
		for len(pending) > 0 {
			f := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			for _, to := range next[f] {
				if !reached[arrow{from, to}] {
					reached[arrow{from, to}] = true
					pending = append(pending, to)
				}
			}
		}
	}
	return reached
}
