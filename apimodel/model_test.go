package apimodel

import (
	"strings"
	"testing"
)

func TestNewRejects(t *testing.T) {
	initCall := Call{Op: OpInit, Name: "init", Does: Renews, Legal: Set(None), Steps: []Step{{Always, Start}}}
	release := Call{Op: OpRelease, Name: "release", Does: Renews, Legal: Set(Start), Steps: []Step{{Always, None}}}
	tests := []struct {
		name  string
		calls []Call
		want  string // part of the error
	}{
		{"no operation number", []Call{{Name: "x", Does: Asks, Legal: Set(None)}}, `call "x": it has no operation number`},
		{"operation beyond the last", []Call{{Op: NumOps, Name: "x", Legal: Set(None)}}, "no operation number"},
		{"operation twice", []Call{initCall, {Op: OpInit, Name: "new", Does: Renews, Legal: Set(None)}},
			`"init" and "new" have the same operation number`},
		{"name twice", []Call{initCall, {Op: OpSolve, Name: "init", Does: Clears, Legal: Set(Start)}},
			`two calls are named "init"`},
		{"legal nowhere", []Call{initCall, release, {Op: OpSolve, Name: "solve"}}, `call "solve": it is legal nowhere`},
		{"no effect", []Call{{Op: OpSolve, Name: "solve", Legal: Set(Start)}}, "no effect"},
		{"a query that changes", []Call{{Op: OpVal, Name: "val", Does: Asks | Poses, Reply: ReplyLit, Legal: Set(Start)}},
			"it asks"},
		{"a query without answer", []Call{{Op: OpVal, Name: "val", Does: Asks, Legal: Set(Start)}}, "it asks"},
		{"a query with a step", []Call{{Op: OpVal, Name: "val", Does: Asks, Reply: ReplyLit, Legal: Set(Start),
			Steps: []Step{{Always, Start}}}}, "it asks"},
		{"a hint without literal", []Call{{Op: OpFreeze, Name: "freeze", Does: Hints, Legal: Set(Start)}},
			"a hint names one literal"},
		{"arguments without form", []Call{{Op: OpSoft, Name: "soft", Does: Poses, Args: []Arg{ArgLit, ArgLit},
			Legal: Set(Start)}}, "no form"},
		{"no such capability", []Call{{Op: OpHavoc, Name: "havoc", Does: Steers, Optional: "magic", Legal: Set(Start)}},
			`unknown capability "magic"`},
		{"unreachable state", []Call{initCall, release,
			{Op: OpVal, Name: "val", Does: Asks, Reply: ReplyLit, Legal: Set(Start, Sat)}}, "no call sequence reaches SAT"},
		{"call legal only in unreachable states", []Call{initCall, release,
			{Op: OpVal, Name: "val", Does: Hints, Args: []Arg{ArgLit}, Legal: Set(Sat), Steps: []Step{{Always, Start}}}},
			"no call sequence reaches SAT"},
		{"stuck state", []Call{initCall, release,
			{Op: OpSolve, Name: "solve", Does: Clears, Legal: Set(Start), Steps: []Step{{Answered40, Error}, {Answered10,
				Start}}}},
			"no call sequence leads from ERROR to a release"},
		{"stuck pair of states", []Call{initCall, release,
			{Op: OpSolve, Name: "solve", Does: Clears, Legal: Set(Start, Unsat), Steps: []Step{{Always, Sat}}},
			{Op: OpAssume, Name: "assume", Does: Poses, Legal: Set(Sat), Steps: []Step{{Always, Unsat}}}},
			"no call sequence leads from SAT or UNSAT to a release"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(Model{Name: "m", Calls: test.calls})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
	weight := Call{Op: OpEnumerate, Name: "weight", Does: Asks, Reply: ReplyWeight, Legal: Set(Start)}
	if _, err := New(Model{Name: "m", Extends: IPASIR, Calls: []Call{initCall, release, weight}}); err == nil ||
		!strings.Contains(err.Error(), "the executor has no shape") {
		t.Errorf("a call that the executor cannot make: %v", err)
	}
	if _, err := New(Model{Name: "m", Calls: []Call{initCall, release}}); err != nil {
		t.Errorf("the smallest model is refused: %v", err)
	}
}

func TestLookUps(t *testing.T) {
	for _, m := range Models() {
		if ByName(m.Name) != m || ByID(m.ID) != m {
			t.Errorf("model %s is not found by its name or number", m.Name)
		}
		for i, name := range m.CallNames() {
			if m.CallNamed(name) != &m.Calls[i] || m.Call(m.Calls[i].Op) != &m.Calls[i] {
				t.Errorf("call %s of %s is not found by its name or number", name, m.Name)
			}
		}
		for _, call := range m.Calls {
			if call.Doc == "" {
				t.Errorf("%s %s: no documentation", m.Name, call.Name)
			}
		}
	}
	if ByName("ipasat") != nil || ByID(0) != nil || IPASIR.Call(OpSoft) != nil || IPASIR.Call(200) != nil {
		t.Error("a lookup finds a model or call that does not exist")
	}
	for op := OpInit; op < NumOps; op++ {
		if op.String() == "" {
			t.Errorf("operation %d has no name", op)
		}
	}
	if got := IPAMIR.Call(OpSoft).Usage(); got != "soft LITERAL WEIGHT" {
		t.Errorf("usage is %q", got)
	}
}

func TestLeads(t *testing.T) {
	solve := IPAMIR.Call(OpSolve)
	for status, want := range map[int]State{0: Input, 10: Sat, 20: Unsat, 30: Optimal, 40: Error} {
		c, known := AnswerCondition(status)
		if got, ok := solve.Leads(Start, c); !known || !ok || got != want {
			t.Errorf("solve = %d leads to %v, want %v", status, got, want)
		}
	}
	if _, known := AnswerCondition(15); known {
		t.Error("15 counts as an answer")
	}
	if _, ok := IPASIR.Call(OpSolve).Leads(Start, Answered30); ok {
		t.Error("an IPASIR solver may answer 30")
	}
	if got, ok := IPASIR.Call(OpVal).Leads(Sat, Always); !ok || got != Sat {
		t.Errorf("val leads to %v", got)
	}
}
