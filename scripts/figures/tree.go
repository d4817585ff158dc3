package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// The limits of the house rules.
const (
	maxFiles        = 25
	maxPackageLines = 4500
	maxFunction     = 60
	maxColumns      = 120
	maxSubject      = 72
)

// A tree is the tracked files of a checkout.
type tree struct {
	dir   string
	fset  *token.FileSet
	files []*file // in the order of git ls-files
}

// A file is one tracked text file.
type file struct {
	path  string // with slashes, relative to the tree
	lines []string
	ast   *ast.File // of Go files
}

func (f *file) isGo() bool   { return path.Ext(f.path) == ".go" }
func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) isCode() bool { return f.isGo() && !f.isTest() }

func (f *file) isC() bool {
	switch path.Ext(f.path) {
	case ".c", ".h", ".cc", ".cpp", ".hpp":
		return true
	}
	return false
}

func readTree(dir string) (*tree, error) {
	names, err := git(dir, "ls-files")
	if err != nil {
		return nil, err
	}
	t := &tree{dir: dir, fset: token.NewFileSet()}
	for _, name := range names {
		f := &file{path: name}
		if !f.isGo() && !f.isC() && path.Ext(name) != ".md" {
			t.files = append(t.files, f)
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if os.IsNotExist(err) { // deleted, but not yet committed
			continue
		}
		if err != nil {
			return nil, err
		}
		f.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if f.isGo() {
			f.ast, err = parser.ParseFile(t.fset, filepath.Join(dir, filepath.FromSlash(name)), text, parser.ParseComments)
			if err != nil {
				return nil, err
			}
		}
		t.files = append(t.files, f)
	}
	return t, nil
}

// git runs git in dir and returns the lines it prints.
func git(dir string, args ...string) ([]string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	text := strings.TrimSuffix(string(out), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

func (t *tree) count(include func(*file) bool) (files, lines int) {
	for _, f := range t.files {
		if include(f) {
			files++
			lines += len(f.lines)
		}
	}
	return files, lines
}

func (t *tree) sizes() []figure {
	lines := func(include func(*file) bool) string {
		files, lines := t.count(include)
		return fmt.Sprintf("%s in %d files", thousands(lines), files)
	}
	words := func(include func(*file) bool) string {
		n := 0
		for _, f := range t.files {
			if include(f) {
				for _, line := range f.lines {
					n += len(strings.Fields(line))
				}
			}
		}
		return thousands(n)
	}
	folders := map[string]bool{}
	for _, f := range t.files {
		if folder, _, ok := strings.Cut(f.path, "/"); ok && !strings.HasPrefix(folder, ".") {
			folders[folder] = true
		}
	}
	return []figure{
		{"Go lines without tests", lines((*file).isCode)},
		{"Go lines of tests", lines((*file).isTest)},
		{"C and C++ lines", lines((*file).isC)},
		{"top-level folders", fmt.Sprint(len(folders))},
		{"words in docs/", words(func(f *file) bool { return strings.HasPrefix(f.path, "docs/") })},
		{"words in README.md", words(func(f *file) bool { return f.path == "README.md" })},
	}
}
