// Package help gives commands, arguments and flags their help, and words mistakes on the command line.
package help

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// helpText has a section for each command, with its help and that of its arguments and
// flags, and one for the flags that commands share. ${name} stands for a variable.
//
//go:embed help.txt
var helpText string

// Sections are the texts by section and name. The text of the section itself has the name "".
type Sections map[string]map[string]string

// Shared is the section of the flags that commands share.
const Shared = "any command"

// Set sets the help of the commands, arguments and flags below a node.
func (h Sections) Set(node *kong.Node, path string) error {
	set := func(help *string, name string) error {
		if *help = h[path][name]; *help == "" {
			*help = h[Shared][name]
		}
		if *help == "" {
			return fmt.Errorf("help.txt: the section [%s] lacks %q", path, name)
		}
		return nil
	}
	if err := set(&node.Help, ""); err != nil {
		return err
	}
	for _, argument := range node.Positional {
		if err := set(&argument.Help, "<"+argument.Name+">"); err != nil {
			return err
		}
	}
	for _, flag := range node.Flags {
		if flag.Name != "help" { // the parser describes it
			if err := set(&flag.Help, "--"+flag.Name); err != nil {
				return err
			}
		}
	}
	for _, child := range node.Children {
		if err := h.Set(child, strings.TrimPrefix(path+" "+child.Name, " ")); err != nil {
			return err
		}
	}
	return nil
}

// Parse reads help.txt. A line that begins with "[" begins a section; one that begins with "--" or "<"
// begins the text of a flag or an argument. The lines of a text are joined into one.
func Parse(vars kong.Vars) Sections {
	var values []string
	for name, value := range vars {
		values = append(values, "${"+name+"}", value)
	}
	sections := make(Sections)
	section, name := "", ""
	for line := range strings.Lines(strings.NewReplacer(values...).Replace(helpText)) {
		switch {
		case strings.HasPrefix(line, "["):
			section, name = strings.Trim(line, "[]\n"), ""
			sections[section] = make(map[string]string)
			continue
		case strings.HasPrefix(line, "--"), strings.HasPrefix(line, "<"):
			name, line, _ = strings.Cut(line, " ")
		}
		before := sections[section][name]
		if name == "" { // the text of a section keeps its lines
			sections[section][name] = before + line
		} else {
			sections[section][name] = strings.TrimSpace(before + " " + strings.TrimSpace(line))
		}
	}
	for _, section := range sections {
		section[""] = strings.TrimSpace(section[""])
	}
	return sections
}

// PrintUsageError prints what is wrong with the command line and which help to read.
func PrintUsageError(out io.Writer, model *kong.Application, err error) {
	command := model.Node
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil && parse.Context.Selected() != nil {
		command = parse.Context.Selected()
	}
	message := plainMessage(err.Error())
	if strings.HasPrefix(message, "unknown flag --target,") && takesTarget(command) {
		message = "unknown flag --target: this command takes the target without it"
	}
	if command == model.Node {
		message = strings.NewReplacer("unexpected argument", "unknown command").Replace(message)
		if strings.HasPrefix(message, "expected one of") {
			message = "no command was given"
		}
		if strings.Contains(message, "command") && !strings.Contains(message, "did you mean") {
			message += "; the commands are " + strings.Join(commandNames(model.Node), ", ")
		}
	}
	fmt.Fprintf(out, "ipafuzz: %s\nTry '%s --help'.\n", printable.Text(message), command.FullPath())
}

// takesTarget reports whether a command takes a target as its argument. Most have a flag.
func takesTarget(command *kong.Node) bool {
	return slices.ContainsFunc(command.Positional, func(v *kong.Value) bool { return v.Name == "target" })
}

// An Error reports a help text that could not be written.
type Error struct{ error }

// Print prints the help of a command.
func Print(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return Error{err}
	}
	return nil
}

func commandNames(root *kong.Node) []string {
	var names []string
	for _, command := range root.Children {
		names = append(names, command.Name)
	}
	return names
}

// unclear has unclear messages of the parser of command lines, with better ones.
var unclear = []struct {
	message *regexp.Regexp
	plain   string
}{
	{regexp.MustCompile(`^(--[\w-]+): expected .* value but got "EOL" \(<EOL>\)$`), "$1 needs a value"},
	{regexp.MustCompile(`^(--[\w-]+): missing value, expecting .*$`), "$1 needs a value"},
	{regexp.MustCompile(`^(--[\w-]+): expected .* value but got "(-\d[^"]*)" \(.* flag\).*$`),
		`$1: a value cannot be negative, got "$2"`},
	{regexp.MustCompile(`^(--[\w-]+): expected .* value but got "([^"]*)" \(.* flag\).*$`),
		"$1 needs a value; $2 is another flag"},
	{regexp.MustCompile(`^(--[\w-]+: (?:.*:\d+: )?)expected a valid 64 bit uint but got (".*?")(?: \(string\))?$`),
		"${1}want a number, 0 or above, got $2"},
	{regexp.MustCompile(`^expected "<trace>"$`), "which trace? Name a file, or - for standard input"},
	{regexp.MustCompile(`^expected "<traces> \.\.\."$`), "which trace? Name one or more files, or - for standard input"},
}

func plainMessage(message string) string {
	for _, u := range unclear {
		message = u.message.ReplaceAllString(message, u.plain)
	}
	return message
}
