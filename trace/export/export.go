// Package export turns a trace into a program that runs without ipafuzz. The program makes the
// same calls, and reports whether the target fails.
package export

import (
	"fmt"
	"io"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Language is a language in which export can write programs.
type Language struct {
	Name   string
	Suffix string // suffix of the file's name
	Doc    string
	isC    bool
	more   func(m *apimodel.Model, op apimodel.Op) bool // reports whether programs can make a call of an extension
	write  func(w io.Writer, t *trace.Trace, o Options) error
}

// Languages lists all languages.
var Languages = []Language{
	{"c", ".c", "a program in C that needs the library alone", true, inC, writeC},
	{"c++", ".cc", "the same program, as C++", true, inC, writeC},
	{"python", ".py", "a program for PySAT, or with weights for hermax", false, inNone, writePython},
	{"java", ".java", "a program for Sat4j", false, inJava, writeJava},
	{"qdpll", ".c", "a program in C for DepQBF, by its own interface", true, inNone, writeQdpll},
}

// LanguageNamed returns the language of that name, or nil.
func LanguageNamed(name string) *Language {
	for i := range Languages {
		if Languages[i].Name == name {
			return &Languages[i]
		}
	}
	return nil
}

// Options say what a program does besides the calls, and what its comments tell.
type Options struct {
	Name     string            // name of the trace, for the reader
	Failure  Failure           // what to look for; the zero Failure: any wrong answer
	Right    map[int]Right     // right answers that are not in the trace, by index of the solve
	Settings []Setting         // options that every new solver gets
	Setter   Setter            // the function that sets options; the zero one: ipafuzz_set_option
	Policies map[string]string // policies of the target; those that are missing have their default
	Target   string            // name of the target, for the reader
	Build    string            // command line that builds the program
	Limits   Limits
}

// A Setter is a C function of the library that sets an option by its name.
type Setter struct {
	Function string
	Int      bool // values are ints; otherwise, they are texts
}

// A Setting is an option of the library.
type Setting struct{ Name, Value string }

// Limits bound the run, if the program checks limits.
type Limits struct {
	Seconds int    // CPU time; 0 means 10
	Bytes   uint64 // memory; 0 means 1 GiB
}

// A Right is the right answer to a solve.
type Right struct {
	Status    int32
	Objective uint64  // cost of an optimum
	Model     []int32 // a solution with that cost; may be empty
}

// Write writes the program. If the language cannot express the trace, the error is a
// *CannotSayError that says why.
func (l *Language) Write(w io.Writer, t *trace.Trace, o Options) error {
	if t.Model.Quantified() && !l.isC {
		return fmt.Errorf("%s: %w", l.Name, cannotSay("its solvers know no quantifiers"))
	}
	t, err := l.standard(t)
	if err == nil && !l.isC && StartsThreads(t) {
		err = cannotSay("the calls are made in several threads, which only programs in C and C++ do")
	}
	if err == nil {
		err = l.write(w, t, o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name, err)
	}
	return nil
}

// standard returns a trace that uses no call of an extension as one of the interface that its model
// extends. It returns an error if the trace uses a call that the language cannot express.
func (l *Language) standard(t *trace.Trace) (*trace.Trace, error) {
	m := t.Model
	if m.Extends == nil {
		return t, nil
	}
	own := m == apimodel.IPASIR2 && (l.Name == "c" || l.Name == "c++") // IPASIR-2 has functions of its own
	for i := range t.Calls {
		if call := m.Call(t.Calls[i].Op); call != nil && m.Own(call) {
			if own = true; !l.more(m, call.Op) {
				return nil, cannotSay("call %d is %s, which is not of %s", i+1, call.Name, m.Extends.Name)
			}
		}
	}
	if own {
		return t, nil
	}
	plain := *t
	plain.Model = m.Extends
	return &plain, nil
}

// A Failure is a part of a finding's key: its class and detail.
type Failure struct {
	Class  string // "2.1"
	Detail string
}

// A CannotSayError reports a trace that a language, or any program, cannot express.
type CannotSayError struct{ What string }

// Error returns the message.
func (e *CannotSayError) Error() string { return e.What }

func cannotSay(format string, args ...any) error {
	return &CannotSayError{fmt.Sprintf(format, args...)}
}
