package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"path"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// eachFunction calls visit with every function and method outside tests.
func (t *tree) eachFunction(visit func(*file, *ast.FuncDecl)) {
	for _, f := range t.files {
		if !f.isCode() {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				visit(f, fn)
			}
		}
	}
}

func (t *tree) length(n ast.Node) int {
	return t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
}

func (t *tree) functions() []figure {
	all, long := 0, 0
	t.eachFunction(func(_ *file, fn *ast.FuncDecl) {
		all++
		if t.length(fn) > maxFunction {
			long++
		}
	})
	return []figure{{fmt.Sprintf("functions over %d lines", maxFunction), share(long, all)}}
}

// documentation counts the exported functions, methods and types that have a doc comment.
func (t *tree) documentation() []figure {
	var functions, documented, types, documentedTypes int
	t.eachFunction(func(_ *file, fn *ast.FuncDecl) {
		if !fn.Name.IsExported() {
			return
		}
		functions++
		if fn.Doc != nil {
			documented++
		}
	})
	for _, f := range t.files {
		if !f.isCode() {
			continue
		}
		for _, d := range f.ast.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.TypeSpec)
				if !spec.Name.IsExported() {
					continue
				}
				types++
				if spec.Doc != nil || decl.Doc != nil && len(decl.Specs) == 1 {
					documentedTypes++
				}
			}
		}
	}
	return []figure{
		{"exported functions with a doc comment", share(documented, functions)},
		{"exported types with a doc comment", share(documentedTypes, types)},
	}
}

func (t *tree) longLines() []figure {
	row := func(name string, include func(*file) bool) figure {
		all, over, longest := 0, 0, 0
		for _, f := range t.files {
			if !include(f) {
				continue
			}
			for _, line := range f.lines {
				all++
				n := utf8.RuneCountInString(line)
				if n > maxColumns {
					over++
				}
				longest = max(longest, n)
			}
		}
		return figure{
			fmt.Sprintf("lines over %d columns, %s", maxColumns, name),
			fmt.Sprintf("%s, longest %d", share(over, all), longest),
		}
	}
	return []figure{
		row("Go", (*file).isCode),
		row("Go tests", (*file).isTest),
		row("C and C++", (*file).isC),
	}
}

var caseOp = regexp.MustCompile(`case apimodel\.Op`)

// patterns counts places where facts about calls are restated.
func (t *tree) patterns() []figure {
	sites, files := 0, 0
	for _, f := range t.files {
		if !f.isCode() {
			continue
		}
		before := sites
		for _, line := range f.lines {
			if caseOp.MatchString(line) {
				sites++
			}
		}
		if sites > before {
			files++
		}
	}
	return []figure{{"`case apimodel.Op` lines", fmt.Sprintf("%d in %d files", sites, files)}}
}

// locks counts the calls of Lock and RLock in the package in folder.
func (t *tree) locks(folder string) (sites, files int) {
	for _, f := range t.files {
		if !f.isCode() || path.Dir(f.path) != folder {
			continue
		}
		before := sites
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 0 {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Lock" || s.Sel.Name == "RLock") {
					sites++
				}
			}
			return true
		})
		if sites > before {
			files++
		}
	}
	return sites, files
}

// duplicates counts definitions of which one would do.
func (t *tree) duplicates() []figure {
	var printers, quoters, writers []string
	bodies := map[string][]string{}
	t.eachFunction(func(f *file, fn *ast.FuncDecl) {
		where := path.Dir(f.path) + "." + fn.Name.Name
		name := strings.ToLower(fn.Name.Name)
		if name == "printable" {
			printers = append(printers, where)
		}
		if strings.Contains(name, "quote") && !strings.Contains(name, "unquote") || strings.Contains(name, "shellword") {
			quoters = append(quoters, where)
		}
		if t.calls(fn, "os", "Rename") {
			writers = append(writers, where)
		}
		if fn.Body != nil && t.length(fn.Body) >= 5 {
			var text bytes.Buffer
			printer.Fprint(&text, t.fset, fn.Body)
			bodies[text.String()] = append(bodies[text.String()], where)
		}
	})
	var same []string
	for _, places := range bodies {
		if len(places) > 1 {
			same = append(same, strings.Join(places, " = "))
		}
	}
	sort.Strings(same)
	list := func(places []string) string {
		sort.Strings(places)
		return strings.TrimSuffix(fmt.Sprintf("%d: %s", len(places), strings.Join(places, ", ")), ": ")
	}
	return []figure{
		{"functions named printable", list(printers)},
		{"functions that quote", list(quoters)},
		{"functions that call os.Rename (atomic writers)", list(writers)},
		{"groups of functions with the same body", list(same)},
	}
}

// calls tells whether fn calls the function name of the package pkg.
func (t *tree) calls(fn *ast.FuncDecl, pkg, name string) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg {
				found = true
			}
		}
		return !found
	})
	return found
}

// The vocabularies of house.md: several words for one thing.
var vocabularies = []struct {
	meaning string
	words   []string
}{
	{"to reduce", []string{"shrink", "minimize", "make small", "made small", "make smaller", "come down", "comes down"}},
	{"a target", []string{"subject", "party", "parties", "who", "place"}},
	{"to judge", []string{"referee", "examiner", "confirmer", "panel", "decider"}},
}

// vocabulary counts the words other than the glossary's term for one thing in Go code, comments included.
func (t *tree) vocabulary() []figure {
	var rows []figure
	for _, v := range vocabularies {
		var uses []string
		for _, word := range v.words {
			pattern := regexp.MustCompile(`(?i)\b` + word + `(s|r|rs|d|n)?\b`)
			n := 0
			for _, f := range t.files {
				if !f.isCode() || strings.HasPrefix(f.path, "scripts/") {
					continue
				}
				for _, line := range f.lines {
					n += len(pattern.FindAllString(line, -1))
				}
			}
			if n > 0 {
				uses = append(uses, fmt.Sprintf("%s %d", word, n))
			}
		}
		value := fmt.Sprintf("%d: %s", len(uses), strings.Join(uses, ", "))
		rows = append(rows, figure{"other words for " + v.meaning, value})
	}
	return rows
}
