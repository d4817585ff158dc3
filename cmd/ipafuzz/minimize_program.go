package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// writeProgram writes the result as a C program beside its file and returns its
// name, "" when there is none: for a result that goes to standard output, for a
// failure that no program can show, and where a file of that name is there that
// ipafuzz did not write.
func writeProgram(out string, result *shrink.Reduction, m *shrink.Reducer) (string, error) {
	const longest = 10000 // calls; nobody reads a longer program
	if out == "-" || result.After.Failed == 0 || len(result.Trace.Calls) > longest {
		return "", nil
	}
	name := strings.TrimSuffix(out, ".trace") + ".c"
	if there, err := os.ReadFile(name); err == nil {
		if title, _, _ := bytes.Cut(there, []byte("\n")); !bytes.HasSuffix(title, []byte(", as a program of its own.")) {
			return "", nil
		}
	}
	bare := result.Trace.Clone()
	bare.Notes = nil
	p, err := campaign.ProgramOf(bare, export.LanguageNamed("c"), name, m.Target, m.Description, result.Key, m.Limits, result.Right)
	if err != nil {
		return "", nil // some failures cannot be shown by a program
	}
	return name, writeFile(name, p.Text)
}
