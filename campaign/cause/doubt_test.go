package cause

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestNeedsBoth checks that a failure that needs the rare inputs of two others does not join them: it may need both of
// their faults.
func TestNeedsBoth(t *testing.T) {
	one := mistaken("no-soft", parse(t, "hard 1 0\nsolve\n"), FalseSolution)
	other := mistaken("second-instance", parse(t, "soft 1 1\n@1 soft -1 1\nsolve\n@1 solve\n"), WrongModel)
	both := mistaken("no-soft + second-instance", parse(t, "hard 1 0\n@1 hard 1 0\nsolve\n@1 solve\n"), FalseSolution)
	for _, f := range []*Failure{one, other} {
		if got := Compare(f, both); got != Same {
			t.Fatalf("%s and %s are %s", f.Cause, both.Cause, got)
		}
	}
	joinsOnly(t, both, one, other)
	direct := mistaken("no-soft + second-instance", parse(t, "hard 1 0\n@1 hard 1 0\nsolve\n@1 solve\n"), WrongModel)
	if faults := Group([]*Failure{both, one, direct}); len(faults) != 1 {
		t.Errorf("%d faults, want 1", len(faults))
	}
}

// joinsOnly checks that a failure joins one of two others, in any order, and that the groups are possibly the same.
func joinsOnly(t *testing.T, f, one, other *Failure) {
	t.Helper()
	failures := []*Failure{f, one, other}
	for range 3 {
		failures = append(failures[1:], failures[0])
		faults := Group(failures)
		if len(faults) != 2 || len(faults[0].Possibly) != 1 || len(faults[1].Possibly) != 1 {
			t.Fatalf("%d faults, want 2 that are possibly the same: %+v", len(faults), faults)
		}
		with := faults[slices.IndexFunc(faults, func(f Fault) bool { return len(f.Failures) == 2 })]
		if !slices.ContainsFunc(with.Failures, func(i int) bool { return failures[i] == one }) {
			t.Errorf("%s has joined %s: %+v", f.Cause, other.Cause, faults)
		}
	}
}

// TestNeedsAnotherSolver checks that a failure with a released solver may have the fault of one with a second solver.
func TestNeedsAnotherSolver(t *testing.T) {
	one := mistaken("last-assumption + second-instance", nil, FalseSolution)
	other := mistaken("earlier-assumption + late-clause", nil, FalseSolution)
	for _, row := range []struct {
		needs Cause
		want  bool
	}{
		{"last-assumption + earlier-assumption + earlier-life + late-clause", true},
		{"last-assumption + earlier-assumption + late-clause", false},
		{"last-assumption + earlier-life", false},
	} {
		if got := mistaken(row.needs, nil, FalseSolution).needsBoth(one, other); got != row.want {
			t.Errorf("%s needs both: %v", row.needs, got)
		}
	}
}

// TestOddValues checks that a failure does not join odd values to a wrong answer that no value shows.
func TestOddValues(t *testing.T) {
	odd := mistaken("unused-variable", parse(t, "solve\nval 1\n"), OddValues)
	value := seenBy("unused-variable + last-assumption", parse(t, "assume -1\nsolve\nval 1\n"), "last-assumption").
		by(FalseSolution)
	status := mistaken("unused-variable + last-assumption", parse(t, "assume -1\nhard 1 0\nsolve\n"), FalseSolution)
	for _, f := range []*Failure{odd, status} {
		if got := Compare(f, value); got != Same {
			t.Fatalf("%s and %s are %s", f.Cause, value.Cause, got)
		}
	}
	if faults := Group([]*Failure{odd, value}); len(faults) != 1 {
		t.Errorf("%d faults without a wrong status", len(faults))
	}
	joinsOnly(t, value, status, odd)
}

// TestWrongProofs checks that a right answer with a wrong proof joins a wrong answer that needs the same.
func TestWrongProofs(t *testing.T) {
	calls := parse(t, "assume 1\nsolve\nproof\n")
	for _, row := range []struct {
		class         oracle.Class
		proof, answer Cause
		want          Relation
	}{
		{oracle.ProofWrong, "last-assumption + option", "last-assumption", Same},
		{oracle.ProofWrong, "option", Nothing, Different},
		{oracle.ProofWrong, "late-clause + option", "late-clause + earlier-assumption", Possibly},
		{oracle.ProofOfOther, "last-assumption + option", "last-assumption", Possibly},
		{oracle.ProofOfOther, "earlier-assumption + late-clause + option", "late-clause + earlier-assumption", Same},
		{oracle.ProofOfOther, "repeated-clause + late-clause + option", "late-clause + earlier-assumption", Same},
		{oracle.ProofOfOther, "repeated-clause + option", "late-clause", Different},
	} {
		proof := mistaken(row.proof, calls, "").askedFor("option")
		proof.Symptom = row.class.Info().Name
		answer := mistaken(row.answer, parse(t, "assume 1\nhard 1 0\nsolve\n"), FalseSolution)
		answer.Symptom = wrongAnswer
		if got, back := Compare(proof, answer), Compare(answer, proof); got != row.want || back != row.want {
			t.Errorf("%s, needs %s and %s: %s, the other way round %s, want %s", proof.Symptom, row.proof, row.answer, got,
				back, row.want)
		}
	}
}
