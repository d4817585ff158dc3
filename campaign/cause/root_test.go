package cause

import (
	"context"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// rooted returns a failure with a known root.
func rooted(why Cause, mistake Mistake, minimal, root *trace.Trace, order bool) *Failure {
	return &Failure{Symptom: "x", Cause: why, Mistake: mistake, Minimal: minimal, Root: root, Order: order}
}

func (f *Failure) askedFor(needs Cause) *Failure {
	f.Asked = needs
	return f
}

// TestCompareRoots checks that failures have one fault if they have the same root, or if the search goes
// astray.
func TestCompareRoots(t *testing.T) {
	short := parse(t, "hard 1 0\nsolve\n")
	chain := parse(t, "hard 1 2 0\nhard -2 3 0\nsolve\n")
	merged := parse(t, "hard 1 2 0\nhard -2 1 0\nsolve\n")
	assumed := parse(t, "hard 1 2 0\nassume 1\nsolve\n")
	level := parse(t, "hard 2 3 0\nhard -2 3 0\nassume 1\nsolve\n")
	set := parse(t, "option a 1\nhard 1 2 0\nsolve\n")
	late, later := parse(t, "solve\nhard 1 0\nsolve\n"), parse(t, "hard 1 0\nsolve\nhard 1 0\nsolve\n")
	again := parse(t, "solve\nsolve\n")
	one, other := parse(t, "soft 1 1\nsoft 2 1\nsolve\n"), parse(t, "assume 1\nassume 2\nassume 3\nsolve\n")
	for _, row := range []struct {
		what string
		a, b *Failure
		want Relation
	}{
		{"the same root", rooted(Nothing, FalseSolution, one, short, false),
			rooted("option", FalseSolution, other, short, false), Same},
		{"two variables are one", rooted(Nothing, FalseSolution, one, chain, false),
			rooted("option", FalseSolution, other, merged, false), Same},
		{"other mistakes", rooted(Nothing, FalseSolution, one, short, false),
			rooted("option", MissedSolution, other, short, false), Different},
		{"other roots", rooted(Nothing, FalseSolution, one, short, false),
			rooted("option", FalseSolution, other, chain, false), Different},
		{"the search goes astray", rooted(Nothing, FalseSolution, one, short, true),
			rooted("option", FalseSolution, other, set, true), Same},
		{"with other mistakes", rooted(Nothing, FalseSolution, one, short, true),
			rooted("option", MissedSolution, other, set, true), Same},
		{"one does not depend on the order", rooted(Nothing, FalseSolution, one, short, true),
			rooted("option", FalseSolution, other, set, false), Different},
		{"the root needs no assumption", rooted(Nothing, MissedSolution, one, short, true),
			rooted("assumption", FalseSolution, other, chain, true), Same},
		{"the root needs an assumption", rooted(Nothing, MissedSolution, one, short, true),
			rooted("assumption", FalseSolution, other, assumed, true), Possibly},
		{"a search meets an unused variable", rooted("option", MissedSolution, one, set, false),
			rooted("unused-variable + option", MissedSolution, other, chain, true), Same},
		{"an unused variable without a search", rooted("option", MissedSolution, one, set, false),
			rooted("unused-variable + option", MissedSolution, other, chain, false), Different},
		{"an option chooses another optimisation", rooted(Nothing, MissedSolution, one, short, true),
			rooted("option", MissedSolution, other, set, true), Possibly},
		{"only seen by an assumption, other roots", rooted(Nothing, FalseSolution, short, chain, false),
			rooted("last-assumption", FalseSolution, assumed, assumed, false).askedFor("last-assumption"), Possibly},
		{"only seen by an assumption, one root", rooted(Nothing, FalseSolution, short, short, false),
			rooted("last-assumption", FalseSolution, assumed, short, false).askedFor("last-assumption"), Same},
		{"only seen by a query", rooted("negative-query", OddValues, short, nil, false).askedFor("negative-query"),
			rooted("unused-variable + negative-query", OddValues, again, nil, false).askedFor("negative-query"), Different},
		{"only seen by a query, other traces", rooted("negative-query", OddValues, one, nil, false).
			askedFor("negative-query"), rooted("negative-query", OddValues, other, nil, false).askedFor("negative-query"),
			Possibly},
		{"one sees it without the query", rooted("negative-query", OddValues, short, nil, false).
			askedFor("negative-query"), rooted("unused-variable + negative-query", OddValues, again, nil, false), Same},
		{"one need, other mistakes and roots", rooted("late-clause", FalseSolution, late, short, false),
			rooted("late-clause", MissedSolution, later, again, false), Possibly},
		{"one need, other mistakes, one root", rooted("late-clause", FalseSolution, late, short, false),
			rooted("late-clause", MissedSolution, later, short, false), Same},
		{"roots with one need", rooted("earlier-assumption + incremental", MissedSolution, again, assumed, false),
			rooted("last-assumption", MissedSolution, other, level, false), Same},
		{"roots with one need, other mistakes", rooted("earlier-assumption + incremental", FalseSolution, again, assumed,
			false), rooted("last-assumption", MissedSolution, other, level, false), Different},
		{"a root with what both need, in one solve", rooted("last-assumption + earlier-assumption + incremental",
			FalseSolution, again, assumed, false), rooted("last-assumption", FalseSolution, other, assumed, false), Same},
		{"a root without anything that the failure needs", rooted("incremental", FalseSolution, again, short, false),
			rooted(Nothing, FalseSolution, other, short, false), Different},
		{"roots with other needs", rooted("incremental", MissedSolution, again, late, false),
			rooted("last-assumption", MissedSolution, other, level, false), Different},
		{"other inputs", rooted("tautology", FalseSolution, one, nil, true),
			rooted("repeated-soft", FalseSolution, other, nil, true), Possibly},
		{"the cause is unknown", rooted("", FalseSolution, one, nil, true),
			rooted(Nothing, MissedSolution, other, nil, true), Possibly},
	} {
		if got, back := Compare(row.a, row.b), Compare(row.b, row.a); got != row.want || back != row.want {
			t.Errorf("%s: %s, the other way round %s, want %s", row.what, got, back, row.want)
		}
	}
}

func TestHasRoot(t *testing.T) {
	for _, row := range []struct {
		Diagnosis
		want bool
	}{
		{Diagnosis{Cause: Nothing, Mistake: FalseSolution}, true},
		{Diagnosis{Cause: "both-polarities + incremental", Mistake: NoAnswer}, false},
		{Diagnosis{Cause: "incremental", Mistake: NoAnswer}, true},
		{Diagnosis{Cause: "earlier-assumption + contradicting-assumptions", Mistake: FalseSolution}, true},
		{Diagnosis{Cause: "tautology", Mistake: FalseSolution}, false},
		{Diagnosis{Cause: Nothing, Mistake: WrongObjective}, false},
		{Diagnosis{Cause: Nothing}, false},
	} {
		if got := row.HasRoot(); got != row.want {
			t.Errorf("%s, %s: %v", row.Cause, row.Mistake, got)
		}
	}
	if got := (&Diagnosis{Root: "ipafuzz 1 ipamir\nsolve\n"}).RootTrace(); got == nil || len(got.Calls) != 1 {
		t.Errorf("the root is %v", got)
	}
	if (&Diagnosis{}).RootTrace() != nil || (&Diagnosis{Root: "x"}).RootTrace() != nil {
		t.Error("no trace is a root")
	}
}

func TestAddsCalls(t *testing.T) {
	given := parse(t, "assume 1\nsoft 1 1\nsolve\n")
	for calls, want := range map[string]bool{
		"assume 1\nsolve\n": false,
		"solve\n":           false,
		"hard 1 0\nsolve\n": true,
	} {
		if got := AddsCalls(given, parse(t, calls)); got != want {
			t.Errorf("%q: %v", calls, got)
		}
	}
}

// TestAddsInput checks which inputs a trace adds, and which of these any reduction may add.
func TestAddsInput(t *testing.T) {
	given := parse(t, "hard 1 0\nhard -1 2 0\nsoft 1 1\nassume 1\nassume 3\nsolve\n")
	for calls, want := range map[string]bool{
		"hard 0\nsolve\n":                        true,
		"hard 1 0\nhard -1 0\nsolve\n":           false, // without soft literals
		"hard 1 -1 0\nsolve\n":                   true,
		"hard 1 1 2 0\nsolve\n":                  true,
		"hard 1 4 0\nsolve\nval 9\n":             false, // other calls named the variables between
		"soft 1 1\nassume 1\nsolve\n":            false,
		"hard 1 0\nassume -1\nassume 1\nsolve\n": true,
	} {
		if got := AddsMore(given, parse(t, calls)); got != want {
			t.Errorf("%q: %v", calls, got)
		}
		if strict := AddsInput(given, parse(t, calls)); want && !strict {
			t.Errorf("%q adds an input, and nothing that counts for a root", calls)
		}
	}
}

// TestReordered checks that other orders mean the same: literals stay in their clauses, and a soft literal
// that is declared again keeps its last weight.
func TestReordered(t *testing.T) {
	one := parse(t, "hard 1 2 3 0\nhard 4 5 0\nsoft 1 1\nsoft 1 2\nassume 1\nassume 2\nsolve\nhard 6 7 0\nsolve\n")
	versions := reordered(one)
	if len(versions) != mostOrders {
		t.Fatalf("%d versions", len(versions))
	}
	was := rightOf(one)
	for i, n := range versions {
		if err := trace.Check(n); err != nil || slices.ContainsFunc(versions[:i], func(m *trace.Trace) bool {
			return trace.Equal(m, n)
		}) || trace.Equal(n, one) {
			t.Fatalf("illegal or not new: %v\n%s", err, n)
		}
		for k, right := range rightOf(n) {
			if was[k].feasible != right.feasible || was[k].cost != right.cost {
				t.Errorf("call %d has another answer:\n%s", k, n)
			}
		}
	}
	if !slices.ContainsFunc(versions, func(n *trace.Trace) bool { return n.Calls[0].Len == 2 }) {
		t.Error("the clauses stay in their order")
	}
	if again := reordered(one); !slices.EqualFunc(again, versions, trace.Equal) {
		t.Error("the second time the orders are others")
	}
	if got := reordered(parse(t, "hard 1 0\nsoft 1 1\nsoft 1 2\nassume 1\nassume 2\nsolve\n")); len(got) > 0 {
		t.Errorf("another order of\n%s", got[0])
	}
}

// TestTryOrders checks that the experiments end with the first order that passes.
func TestTryOrders(t *testing.T) {
	root := parse(t, "hard 1 2 0\nhard 2 3 0\nsolve\n")
	runs := 0
	always := func(context.Context, *trace.Trace) (bool, error) { runs++; return true, nil }
	d := &Diagnosis{Cause: Nothing, Sentence: "s"}
	if err := d.TryOrders(t.Context(), root, always, nil); err != nil || d.DependsOnOrder() || d.Sentence != "s" ||
		runs < 2 {
		t.Errorf("%d runs, %v: %+v", runs, err, d)
	}
	never := func(context.Context, *trace.Trace) (bool, error) { return false, nil }
	d = &Diagnosis{Cause: Nothing, Sentence: "s"}
	if err := d.TryOrders(t.Context(), root, never, nil); err != nil || !d.DependsOnOrder() || len(d.Experiments) != 1 ||
		d.Sentence == "s" {
		t.Errorf("%v: %+v", err, d)
	}
}

// TestNeedsMore checks that a root is rejected if it needs an input that the failure does not need.
func TestNeedsMore(t *testing.T) {
	for _, row := range []struct {
		failure, root Cause
		want          bool
	}{
		{"earlier-assumption + late-clause", "unused-variable + last-assumption", true},
		{"unused-variable + last-assumption", "unused-variable + last-assumption", false},
		{"earlier-assumption + late-clause", Nothing, false},
		{"late-clause", "last-assumption", true},
		{"earlier-assumption", "last-assumption", false},
		{Nothing, "option", false},
		{Nothing, "incremental", false},
		{Nothing, "tautology", true},
		{"", "tautology", true},
	} {
		d := Diagnosis{Cause: row.failure}
		if got := d.NeedsMore(row.root); got != row.want {
			t.Errorf("%s with the root %s: %v, want %v", row.failure, row.root, got, row.want)
		}
	}
}
