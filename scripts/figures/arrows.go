package main

import (
	"go/ast"
	"go/types"
	"sort"
)

const definitions = `
Lines are counted as wc -l does; a tab is one column. Functions include methods; tests are left out unless a row says
otherwise. An arrow leads from one file of a package to another that declares a function, method, type, variable or
constant that the first file uses. An arrow points up if it runs against the order of files that the heuristic of Eades,
Lin and Smyth finds (repeatedly: put a file that uses no remaining file last, a file that no remaining file uses first,
otherwise first the file with the largest surplus of outgoing arrows; ties go to the first by name). An arrow is in a
cycle if its head reaches its tail. A lock site is a call of Lock or RLock. The walk of a suspected hang visits every
function below campaign/ that confirmHang (or the function that -hang names) reaches by calls, in the order of the
source; a return is a step to a file already left.
`

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
