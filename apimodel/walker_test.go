package apimodel

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// walk makes calls written as "name", "@1 name" for instance 1, "add-" for a clause left open and "solve=20" for an
// expected answer, and returns the first error.
func walk(m *Model, text string) error {
	w := NewWalker(m)
	instance := uint16(0)
	for word := range strings.FieldsSeq(text) {
		if rest, ok := strings.CutPrefix(word, "@"); ok {
			n, _ := strconv.Atoi(rest)
			instance = uint16(n)
			continue
		}
		var o Outcome
		name, answer, stated := strings.Cut(word, "=")
		if stated {
			o.HasStatus = true
			o.Status, _ = strconv.Atoi(answer)
		}
		name, o.Open = strings.CutSuffix(name, "-")
		if err := w.Step(instance, m.CallNamed(name).Op, o); err != nil {
			return err
		}
		instance = 0
	}
	return nil
}

func TestWalker(t *testing.T) {
	tests := []struct {
		model *Model
		calls string
		want  string // the error, "" for a legal sequence
	}{
		{IPASIR, "", ""},
		{IPASIR, "solve", ""},
		{IPASIR, "init solve", ""},
		{IPASIR, "signature init solve", ""},
		{IPASIR, "add solve val failed model core", ""},
		{IPASIR, "add add- add- add solve", ""},
		{IPASIR, "add-", ""},
		{IPASIR, "add solve release init solve", ""},
		{IPASIR, "solve=10 val model val", ""},
		{IPASIR, "solve=20 failed core", ""},
		{IPASIR, "solve terminate val learn failed havoc option val", ""},
		{IPASIR, "add @1 solve @1 val assume", ""},
		{IPASIR, "release signature", ""},
		{IPAMIR, "hard soft assume solve obj val model", ""},
		{IPAMIR, "solve=30 obj", ""},
		{IPAMIR, "solve=10 obj", ""},
		{IPAMIR, "solve=40 release", ""},
		{IPAMIR, "solve=0 solve", ""},

		{IPASIR, "val", "val is not legal here: the solver is in state START, the call needs SAT"},
		{IPASIR, "add val", "val is not legal here: the solver is in state INPUT, the call needs SAT"},
		{IPASIR, "add solve assume failed", "failed is not legal here: the solver is in state INPUT, the call needs UNSAT"},
		{IPASIR, "add- solve",
			"solve is not legal here: the solver is in state CLAUSE, the call needs START or INPUT or SAT or UNSAT"},
		{IPASIR, "add- release",
			"release is not legal here: the solver is in state CLAUSE, the call needs START or INPUT or SAT or UNSAT"},
		{IPASIR, "solve add- val", "val is not legal here: the solver is in state CLAUSE, the call needs SAT"},
		{IPASIR, "solve=20 val", "val is not legal here: the solver is in state UNSAT, the call needs SAT"},
		{IPASIR, "solve=0 val", "val is not legal here: the solver is in state INPUT, the call needs SAT"},
		{IPASIR, "solve=30", "solve cannot answer 30"},
		{IPASIR, "solve=7", "solve cannot answer 7"},
		{IPASIR, "init init", "init is not legal here: the solver is in state START, the call needs NONE"},
		{IPASIR, "release add",
			"add is not legal here: the solver is in state NONE, the call needs START or INPUT or CLAUSE or SAT or UNSAT"},
		{IPASIR, "add @1 val", "val is not legal here: the solver is in state START, the call needs SAT"},
		{IPASIR, "solve @1 add val @1 val", "val is not legal here: the solver is in state INPUT, the call needs SAT"},
		{IPAMIR, "soft obj", "obj is not legal here: the solver is in state INPUT, the call needs SAT or OPTIMAL"},
		{IPAMIR, "solve=20 obj", "obj is not legal here: the solver is in state UNSAT, the call needs SAT or OPTIMAL"},
		{IPAMIR, "solve=40 solve",
			"solve is not legal here: the solver is in state ERROR, the call needs START or INPUT or SAT or UNSAT or OPTIMAL"},
	}
	for _, test := range tests {
		t.Run(test.model.Name+" "+test.calls, func(t *testing.T) {
			err := walk(test.model, test.calls)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || err.Error() != test.want):
				t.Errorf("got error %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestWalkerSets(t *testing.T) {
	w := NewWalker(IPAMIR)
	step := func(name string, o Outcome) {
		t.Helper()
		if err := w.Step(0, IPAMIR.CallNamed(name).Op, o); err != nil {
			t.Fatal(err)
		}
	}
	states := func(want States) {
		t.Helper()
		if got := w.States(0); got != want {
			t.Errorf("the states are %v, want %v", got, want)
		}
	}
	states(Set(None))
	if !w.Fresh(0) {
		t.Error("Fresh returns false before the first call")
	}
	step("signature", Outcome{})
	if !w.Fresh(0) {
		t.Error("Fresh returns false after signature, which needs no solver")
	}
	step("option", Outcome{})
	states(Set(Start))
	step("solve", Outcome{})
	states(Set(Input, Sat, Unsat, Optimal, Error))
	step("obj", Outcome{}) // the executor withholds it in states that do not allow it
	states(Set(Input, Sat, Unsat, Optimal, Error))
	step("solve", Outcome{HasStatus: true, Status: 30})
	states(Set(Optimal, Error)) // in ERROR, the executor withholds the solve
	step("assume", Outcome{})
	states(Set(Input, Error))
	step("release", Outcome{})
	states(Set(None))
	if w.Fresh(0) {
		t.Error("Fresh returns true after a release, so that a call would imply init")
	}

	before := w.States(0)
	err := w.Step(0, OpObj, Outcome{})
	var illegal *IllegalCall
	if !errors.As(err, &illegal) || illegal.Met != before || illegal.Needs != Set(Sat, Optimal) {
		t.Errorf("got %v", err)
	}
	if w.States(0) != before {
		t.Error("a refused call changed the state")
	}
	if err := w.Step(0, OpCore, Outcome{}); err == nil || !strings.Contains(err.Error(), "model ipamir has no such call") {
		t.Errorf("got %v", err)
	}
	w.Reset(IPASIR)
	if !w.Fresh(0) {
		t.Error("Fresh returns false after Reset")
	}
}
