package replay

import (
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Kind says where a target's functions come from.
type Kind string

// The kinds of targets.
const (
	BuiltIn Kind = "built-in" // the reference library, part of this program
	Library Kind = "library"  // a shared library, opened by dlopen
	Static  Kind = "static"   // a static library, or a directory with one in the official layout, linked with the executor
	Pipe    Kind = "pipe"     // a program that speaks docs/protocol.md on its stdin and stdout
	File    Kind = "file"     // a program that reads a file with a formula and prints an answer
)

// A Target is a solver under test, with the options that the user chose.
type Target struct {
	Name     string // as the user gave it; part of a finding's key
	Kind     Kind
	Driver   Driver
	Path     string // of a library or of a directory
	Model    *apimodel.Model
	Settings []Setting
	Policies map[string]string
	Lacks    []string // capabilities that the target lacks according to the user
	Bounds   apimodel.Bounds
	Setter   Setter
	Describe string   // what the targets file adds to the target's description of itself
	Command  []string // of a pipe or file target
	Dir      string   // the working directory of the command; "" is the current one
	// Uncontained exempts the target from containment.
	Uncontained bool
}

// A Setter is a function outside of the interface that sets a library's options by name. The
// targets file names it.
type Setter struct {
	Function string
	Takes    string // "int" or "string"
}

// A Setting is an option with its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Program returns the path of the command's program. It looks in PATH or, if the name has a
// slash, in Dir.
func (t *Target) Program() (string, error) {
	program := t.Command[0]
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = "." + string(filepath.Separator) + filepath.Join(t.Dir, program)
		if filepath.IsAbs(t.Dir) {
			program = filepath.Join(t.Dir, t.Command[0])
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
