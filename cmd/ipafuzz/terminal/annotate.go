package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// AnnotatedLog returns the log of a run with each finding after its call.
func AnnotatedLog(t *trace.Trace, run *trace.Run, findings []oracle.Finding) []byte {
	var out []byte
	faults := func(here func(call int) bool) {
		for i := range findings {
			if f := &findings[i]; here(f.Call) {
				out = fmt.Appendf(out, "# FAULT %s\n", f.Title())
			}
		}
	}
	const magic = -1 // the first line has the magic number, not a call
	call := magic
	for line := range bytes.Lines(t.AppendLog(nil, run)) {
		out = append(out, line...)
		if line[0] == '#' {
			continue
		}
		if call != magic {
			faults(func(c int) bool { return c == call })
		}
		call++
	}
	faults(func(c int) bool { return c >= len(t.Calls) })
	return out
}

// Comments returns lines of text as comments of a trace.
func Comments(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("# " + line)
	}
	return out.String()
}

// WriteFinding prints a finding in a trace with that many calls. The text begins with of.
func WriteFinding(out io.Writer, what string, f *oracle.Finding, calls int) {
	fmt.Fprintf(out, "%s: %s: fault %s\n  observed  %s\n  expected  %s\n  known by  %s\n", what, faultPlace(f.Call, calls),
		f.Title(), f.Observed, f.Expected, f.Known)
}

// faultPlace names the call of a finding, counted from 1.
func faultPlace(call, calls int) string {
	if call >= calls {
		return "the final release"
	}
	return fmt.Sprintf("call %d", call+1)
}

func indented(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(append(out, "    "...), line...)
	}
	return out
}
