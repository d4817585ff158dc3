package main

import (
	"fmt"
	"os"
	"strings"
)

// A solverFault is what this program panics with when the solver does something wrong.
type solverFault struct{ err error }

func (f solverFault) String() string { return f.err.Error() }

// mistakeCode is the exit code after a mistake of this program.
const mistakeCode = 70

// endIfOurs ends this program with the line that says so (docs/protocol.md) if the panic is a mistake of this program.
// stack begins with the function that panicked.
func endIfOurs(thrown any, stack string) {
	if _, ok := thrown.(solverFault); !ok && isOurs(stack) {
		fmt.Fprintf(os.Stderr, "\nipafuzz-mistake: panic: %v\n\n%s", thrown, stack)
		os.Exit(mistakeCode)
	}
}

// isOurs reports whether the innermost function of the stack is one of this program. Functions of Go's own library do
// not count: they panic because their caller passed something wrong.
func isOurs(stack string) bool {
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		name, _, _ := strings.Cut(line, "(")
		slash := strings.LastIndex(name, "/") + 1
		base, _, _ := strings.Cut(name[slash:], ".")
		path := name[:slash] + base
		if path == "main" {
			return true
		}
		if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") {
			return false
		}
	}
	return true
}

// must returns the value of what cannot fail, because ipafuzz sends only legal calls.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
