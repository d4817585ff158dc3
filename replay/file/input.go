package file

import (
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// Input returns the file that the program of a target gets for the only solve of a trace, and the extension of its
// name. The text is nil if the trace has other solves, or the program cannot read the formula.
func Input(t *replay.Target, tr *trace.Trace) (text []byte, extension string) {
	d := t.Driver.(*driver)
	formulas := format.Solves(tr)
	if tr.Solves() != 1 || d.misreads(formulas[0]) != "" {
		return nil, ""
	}
	text, _, err := d.text(formulas[0], tr)
	if err != nil {
		return nil, ""
	}
	return text, d.extension()
}

// CommandLine returns the command that runs the program of a target on a file, in the directory of the file.
func CommandLine(t *replay.Target, name string) string {
	program, err := t.Program()
	if err != nil {
		program = t.Command[0]
	}
	words := []string{program}
	isNamed := false
	for _, arg := range t.Command[1:] {
		isNamed = isNamed || strings.Contains(arg, placeFile)
		words = append(words, strings.NewReplacer(placeFile, name, placeOut, "out", placeProof, "proof", placeDir, ".").
			Replace(arg))
	}
	command := shell.Join(words...)
	if !isNamed {
		command += " < " + shell.QuotePath(filepath.Base(name))
	}
	return command
}
