package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/help"
)

// TestHelpHasNothingElse checks that every text of help.txt belongs to a command, an argument or a flag.
// When it starts, ipafuzz itself checks that each of those has a text.
func TestHelpHasNothingElse(t *testing.T) {
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	used := help.Sections{help.Shared: {"": ""}}
	var use func(node *kong.Node, path string)
	use = func(node *kong.Node, path string) {
		names := map[string]string{"": ""}
		used[path] = names
		for _, argument := range node.Positional {
			names["<"+argument.Name+">"] = ""
		}
		for _, flag := range node.Flags {
			names["--"+flag.Name], used[help.Shared]["--"+flag.Name] = "", ""
		}
		for _, child := range node.Children {
			below := child.Name
			if path != "" {
				below = path + " " + below
			}
			use(child, below)
		}
	}
	use(parser.Model.Node, "")
	for section, texts := range help.Parse(nil) {
		for name := range texts {
			if _, ok := used[section][name]; !ok {
				t.Errorf("help.txt: nothing is [%s] %s", section, name)
			}
		}
	}
}

// TestPagesNameEveryFlag: the README or a page of docs says what a flag is for.
func TestPagesNameEveryFlag(t *testing.T) {
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	measured, _ := filepath.Glob("../../docs/measured/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	text := readPage(t, "../../README.md")
	for _, page := range append(pages, measured...) {
		text += readPage(t, page)
	}
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.Name != "help" &&
			!regexp.MustCompile("--(no-)?"+flag.Name+`\b[^-]`).MatchString(text) {
			t.Errorf("no page names --%s", flag.Name)
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}
