// Package testtrace reads traces in tests, and says what calls they have.
package testtrace

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Parse returns the trace that a text says.
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
