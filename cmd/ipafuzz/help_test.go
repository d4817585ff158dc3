package main

import (
	"testing"

	"github.com/alecthomas/kong"
)

// TestHelpHasNothingElse checks that every text of help.txt belongs to a command, an argument or a flag.
// When it starts, ipafuzz itself checks that each of those has a text.
func TestHelpHasNothingElse(t *testing.T) {
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	used := helpSections{sharedHelp: {"": ""}}
	var use func(node *kong.Node, path string)
	use = func(node *kong.Node, path string) {
		names := map[string]string{"": ""}
		used[path] = names
		for _, argument := range node.Positional {
			names["<"+argument.Name+">"] = ""
		}
		for _, flag := range node.Flags {
			names["--"+flag.Name], used[sharedHelp]["--"+flag.Name] = "", ""
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
	for section, texts := range parseHelp(nil) {
		for name := range texts {
			if _, ok := used[section][name]; !ok {
				t.Errorf("help.txt: nothing is [%s] %s", section, name)
			}
		}
	}
}
