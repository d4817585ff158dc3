// Package flagrules refuses command lines that the parser accepts although a part of them would have no effect: a flag
// that is given twice, or one that means nothing beside the other flags. The table in rules.go lists the latter.
package flagrules

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Check returns an error for the first flag of the parsed command line that would have no effect.
func Check(ctx *kong.Context) error {
	l := lineOf(ctx)
	if l.twice != "" {
		return fmt.Errorf("--%s is given twice, and takes one value", l.twice)
	}
	for i := range rules {
		r := &rules[i]
		if !slices.Contains(strings.Fields(r.commands), l.command) || !r.when.holds(l) {
			continue
		}
		for _, name := range l.order {
			if r.refuses(name) {
				return fmt.Errorf("%s %s: %s", display(name), r.when.text, r.why)
			}
		}
	}
	return nil
}

// A line is a parsed command line.
type line struct {
	command string                   // such as "gen", or "targets-list"
	values  map[string]reflect.Value // of all flags and arguments of the command
	given   map[string]bool          // flags and arguments on the command line, or in the file of --config
	order   []string                 // the same in the order in which they are given
	twice   string                   // a flag that is given twice and holds one value
}

func lineOf(ctx *kong.Context) *line {
	l := &line{values: make(map[string]reflect.Value), given: make(map[string]bool)}
	l.command = strings.Join(commandPath(ctx), "-")
	onLine := make(map[string]bool)
	for _, path := range ctx.Path {
		for _, flag := range path.Flags {
			l.values[flag.Name] = flag.Target
		}
		if node := path.Node(); node != nil {
			for _, argument := range node.Positional {
				l.values[argumentName(argument)] = argument.Target
			}
		}
		switch {
		case path.Flag != nil:
			name := path.Flag.Name
			if onLine[name] && path.Flag.Target.Kind() != reflect.Slice && l.twice == "" {
				l.twice = name
			}
			onLine[name] = true
			l.give(name)
		case path.Positional != nil:
			l.give(argumentName(path.Positional))
		}
	}
	return l
}

func (l *line) give(name string) {
	if !l.given[name] {
		l.given[name] = true
		l.order = append(l.order, name)
	}
}

// commandPath returns the names of the selected command and those above it.
func commandPath(ctx *kong.Context) (names []string) {
	for node := ctx.Selected(); node != nil && node.Type == kong.CommandNode; node = node.Parent {
		names = slices.Insert(names, 0, node.Name)
	}
	return names
}

func argumentName(argument *kong.Value) string { return "<" + argument.Name + ">" }

// display returns a flag or an argument as messages name it.
func display(name string) string {
	if strings.HasPrefix(name, "<") {
		return name
	}
	return "--" + name
}

// words returns the values of a flag or argument, which may be repeated.
func (l *line) words(name string) []string {
	v := l.values[name]
	if v.Kind() != reflect.Slice {
		return []string{l.word(name)}
	}
	var words []string
	for i := range v.Len() {
		words = append(words, fmt.Sprint(v.Index(i).Interface()))
	}
	return words
}

// A condition says when a rule applies.
type condition struct {
	text  string // continues a sentence that begins with the refused flag
	holds func(*line) bool
}

func with(flag string) condition {
	return condition{"is not for " + display(flag), func(l *line) bool { return l.given[flag] }}
}

func without(flags ...string) condition {
	return condition{"needs --" + strings.Join(flags, " or --"), func(l *line) bool {
		return !slices.ContainsFunc(flags, func(flag string) bool { return l.given[flag] })
	}}
}

// holding is a condition about the value of a flag, which may be the default.
func holding(flag string, values ...string) condition {
	return condition{"is not for --" + flag + " " + strings.Join(values, " or "), func(l *line) bool {
		return slices.Contains(values, l.word(flag))
	}}
}

// zero is a condition about a flag whose default is 0.
func zero(flag string) condition {
	return condition{"cannot be 0", func(l *line) bool { return l.word(flag) == "0" }}
}

// fewerThan is a condition about the number of targets that some flags name.
func fewerThan(n int, flags ...string) condition {
	return condition{fmt.Sprintf("needs %d or more of --%s", n, strings.Join(flags, " and --")), func(l *line) bool {
		count := 0
		for _, flag := range flags {
			count += len(l.words(flag))
		}
		return count < n
	}}
}

// several is a condition about a flag that may be repeated.
func several(flag string) condition {
	return condition{"is not for several --" + flag, func(l *line) bool { return len(l.words(flag)) > 1 }}
}

// onCampaigns is a condition about an argument.
func onCampaigns(argument string) condition {
	return condition{"is not for campaign directories", func(l *line) bool { return AreCampaigns(l.words(argument)) }}
}

// not is the opposite of a condition.
func not(text string, c condition) condition {
	return condition{text, func(l *line) bool { return !c.holds(l) }}
}

// AreCampaigns reports whether all paths are campaign directories, and there is one.
func AreCampaigns(paths []string) bool {
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(path, "campaign.json")); err != nil {
			return false
		}
	}
	return len(paths) > 0
}

// A rule refuses flags that a command would ignore under a condition.
type rule struct {
	commands string // separated by blanks
	when     condition
	refused  string // flags and <arguments> separated by blanks; or "all but" the following
	why      string
}

func (r *rule) refuses(name string) bool {
	if allowed, inverted := strings.CutPrefix(r.refused, allBut); inverted {
		return !slices.Contains(strings.Fields(allowed), name)
	}
	return slices.Contains(strings.Fields(r.refused), name)
}

const allBut = "all but "

// Unknown returns the names in the table that the commands below root do not have.
func Unknown(root *kong.Node) (unknown []string) {
	known := make(map[string]map[string]bool)
	var visit func(node *kong.Node, path string)
	visit = func(node *kong.Node, path string) {
		names := make(map[string]bool)
		for _, flags := range node.AllFlags(false) {
			for _, flag := range flags {
				names[flag.Name] = true
			}
		}
		for _, argument := range node.Positional {
			names[argumentName(argument)] = true
		}
		known[path] = names
		for _, child := range node.Children {
			visit(child, strings.TrimPrefix(path+"-"+child.Name, "-"))
		}
	}
	visit(root, "")
	for i := range rules {
		for _, command := range strings.Fields(rules[i].commands) {
			for _, name := range strings.Fields(strings.TrimPrefix(rules[i].refused, allBut)) {
				if !known[command][name] {
					unknown = append(unknown, command+" "+name)
				}
			}
		}
	}
	return unknown
}
