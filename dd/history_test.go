package dd

import (
	"context"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHopeless: a search that proves nothing leaves out what lacks something of a candidate that did not fail. A
// search that proves something leaves out nothing.
func TestHopeless(t *testing.T) {
	const did = "hard 1 2 3 0\nsoft 1 4\nhard -1 2 0\nsolve\nmodel\n" // not fail
	fewerCalls, fewerLiterals := "hard 1 2 3 0\nsolve\nmodel\n", "hard 1 3 0\nsoft 1 4\nsolve\nmodel\n"
	const renamed = "hard -7 5 9 0\nsoft -7 4\nhard 7 5 0\nsolve\nmodel\n"
	for _, c := range []struct {
		name      string
		pass      pass
		unproven  bool
		candidate string
		want      bool
	}{
		{"fewer calls in a quick pass", pass{quick: true}, true, fewerCalls, true},
		{"fewer literals in a quick pass", pass{quick: true}, true, fewerLiterals, true},
		{"fewer calls in a pass that proves nothing yet", pass{}, true, fewerCalls, true},
		{"fewer literals in a pass that proves nothing yet", pass{}, true, fewerLiterals, false},
		{"a proof", pass{}, false, fewerCalls, false},
		{"the same with other names in a pass that proves nothing yet", pass{}, true, renamed, true},
		{"the same with other names in a proof", pass{}, false, renamed, false},
		{"the same with other names in a pass that renames", pass{quick: true, renames: true}, true, renamed, false},
		{"the same with other names in a pass that shuffles", pass{quick: true, shuffles: true}, true, renamed, false},
		{"one sign changed", pass{}, true, "hard 1 2 3 0\nsoft 1 4\nhard 1 2 0\nsolve\nmodel\n", false},
		{"other names", pass{quick: true, renames: true}, true, fewerCalls, false},
		{"other weights", pass{quick: true, weighs: true}, true, fewerCalls, false},
		{"another order", pass{quick: true}, true, "hard -1 2 0\nhard 1 2 3 0\nsolve\n", false},
		{"another literal", pass{quick: true}, true, "hard 1 4 0\nsolve\n", false},
		{"another weight", pass{quick: true}, true, "soft 1 5\nsolve\n", false},
		{"an empty clause", pass{quick: true}, true, "hard 0\nsolve\n", false},
		{"an expectation", pass{quick: true}, true, "hard 1 2 3 0\nsolve = 20\n", false},
	} {
		parse := func(text string) *reducer {
			return newReducer(context.Background(), testtrace.Parse(t, "ipafuzz 1 ipamir\n"+text), nil, Config{})
		}
		r := parse(did)
		r.running, r.unproven = &c.pass, c.unproven
		r.history.add(r.best)
		if got := r.hopeless(parse(c.candidate).best); got != c.want {
			t.Errorf("%s: hopeless %v, want %v", c.name, got, c.want)
		}
	}
}

// TestProvedBefore: what a search has shown in passing is not tested again, after a renaming or otherwise.
func TestProvedBefore(t *testing.T) {
	short := 0
	result, err := Minimize(context.Background(), testtrace.Parse(t, "ipafuzz 1 ipasir\nadd -58 57 -58 0\nsolve\n"),
		TestFunc(func(_ context.Context, _ int, candidate *trace.Trace) (Verdict, error) {
			clauses := clausesOf(candidate)
			if len(candidate.Calls) < 2 || len(clauses) == 0 {
				return Verdict{}, nil
			}
			clause := clauses[0]
			if len(clause) == 1 && clause[0] != 57 {
				short++
			}
			return Verdict{Same: len(clause) > 1 && clause[0] == clause[len(clause)-1], Call: -1}, nil
		}), Config{})
	if err != nil || short != 1 || !result.Minimal {
		t.Errorf("%d tests of a clause with one literal, want 1; minimal: %v, %v\n%s", short, result.Minimal, err,
			result.Trace)
	}
}

// TestProofsLeaveNothingOut checks that only a search that proves nothing may leave out candidates that seem hopeless.
func TestProofsLeaveNothingOut(t *testing.T) {
	for method, want := range map[engine.Method]bool{engine.Unproven: true, engine.Learned: false} {
		r := newReducer(t.Context(), testtrace.Parse(t, "ipafuzz 1 ipasir\nadd 1 0\nadd 2 0\nsolve\n"),
			TestFunc(func(context.Context, int, *trace.Trace) (Verdict, error) { return Verdict{}, nil }), Config{})
		defer r.lab.Close()
		r.running = &pass{search: method}
		var seen []bool
		err := r.items(2, func(*trace.Trace, []bool) *trace.Trace {
			seen = append(seen, r.unproven)
			return nil
		})
		if err != nil || len(seen) == 0 || slices.Contains(seen, true) != want || r.unproven {
			t.Errorf("%s: %v; it proves nothing: %v, afterwards %t", method, err, seen, r.unproven)
		}
	}
}
