package main

import (
	"bytes"
	"fmt"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// annotatedLog is the log of a run with every finding behind its call.
func annotatedLog(t *trace.Trace, run *trace.Run, findings []oracle.Finding) []byte {
	var out []byte
	faults := func(here func(call int) bool) {
		for i := range findings {
			if f := &findings[i]; here(f.Call) {
				out = fmt.Appendf(out, "# FAULT %s\n", faultTitle(f))
			}
		}
	}
	const magic = -1
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

// faultTitle names what is wrong: the class and, where it says more, the detail.
func faultTitle(f *oracle.Finding) string {
	title := fmt.Sprintf("%s %s", f.Class, f.Class.Info().Name)
	if f.Detail != "" && f.Detail != f.Class.Info().Name {
		title += ": " + f.Detail
	}
	return title
}

// faultPlace says where in a trace of so many calls a finding is, as people count.
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
