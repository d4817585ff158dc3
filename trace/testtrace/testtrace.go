// Package testtrace parses and prints traces in tests.
package testtrace

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Parse parses the text of a trace. It ends the test if the text is not a legal trace.
func Parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Calls returns the text of a trace without its header.
func Calls(t *trace.Trace) string {
	bare := t.Clone()
	bare.Notes = nil
	_, calls, _ := strings.Cut(bare.String(), "\n")
	return calls
}
