package cause

import (
	"runtime"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func of(location, symptom string, why Cause, minimal *trace.Trace) *Failure {
	return &Failure{Location: location, Symptom: symptom, Cause: why, Minimal: minimal}
}

func mistaken(why Cause, mistake Mistake) *Failure {
	return &Failure{Symptom: wrongAnswer, Cause: why, Mistake: mistake}
}

func keyed(why Cause, key string) *Failure { return &Failure{Symptom: "x", Cause: why, Key: key} }

func TestCompare(t *testing.T) {
	at := func(location string, why Cause) *Failure { return of(location, crash, why, nil) }
	for _, row := range []struct {
		a, b *Failure
		want Relation
	}{
		// A place decides.
		{at("f.c:1", "tautology"), at("f.c:1", "no-soft"), Same},
		{at("f.c:1", ""), at("f.c:1", "no-soft"), Same},
		{at("f.c:1", "no-soft"), at("f.c:2", "no-soft"), Possibly},
		{at("f.c:1", "no-soft + late-soft"), at("f.c:2", "late-soft"), Possibly},
		{at("f.c:1", "no-soft + late-soft"), at("", "late-soft"), Possibly}, // a damaged heap has no place
		{at("f.c:1", "no-soft"), at("f.c:2", "tautology"), Different},
		{at("f.c:1", "unequal-weights"), at("f.c:2", "unequal-weights"), Different},
		{at("f.c:1", Nothing), at("f.c:2", Nothing), Different},
		{at("f.c:1", ""), at("f.c:2", ""), Different},

		// Rare inputs.
		{mistaken("tautology", FalseSolution), mistaken("tautology + option", MissedSolution), Same},
		{mistaken("tautology", FalseSolution), keyed("tautology", "k"), Possibly}, // another symptom
		{at("", "tautology"), at("", "tautology + option"), Same},
		{mistaken("tautology", FalseSolution), at("", "tautology"), Different},
		{mistaken("tautology", FalseSolution), mistaken("tautology + zero-weight", FalseSolution), Possibly},
		{mistaken("tautology", FalseSolution), mistaken("zero-weight", FalseSolution), Different},
		{mistaken("tautology + option", FalseSolution), mistaken("zero-weight + option", FalseSolution), Different},

		// The same mistake and needs.
		{mistaken(Nothing, FalseSolution), mistaken(Nothing, FalseSolution), Same},
		{mistaken("unequal-weights + option", FalseSolution), mistaken("option", FalseSolution), Same},
		{mistaken("late-soft", ""), mistaken("late-soft", ""), Same},
		{at("", "late-soft"), at("", "late-soft"), Same},
		{mistaken("late-soft", FalseSolution), mistaken("late-soft", MissedSolution), Possibly},
		{mistaken("late-soft", ""), keyed("late-soft", "k"), Possibly}, // another symptom

		// Unknown causes.
		{keyed("", "k"), keyed("", "k"), Same},
		{keyed("", "k"), keyed("", "l"), Different},
		{keyed("", "k"), keyed(Nothing, "k"), Different},
		{keyed("", "k"), keyed("tautology", "k"), Different},

		// Crashes and other failures.
		{at("f.c:1", "late-soft"), mistaken("late-soft", FalseSolution), Different},
		{at("", "late-soft"), mistaken("late-soft", ""), Different},

		// All others.
		{mistaken(Nothing, FalseSolution), mistaken("tautology", FalseSolution), Possibly},
		{mistaken("late-clause", FalseSolution), mistaken("option", FalseSolution), Possibly},
		{mistaken("late-clause", FalseSolution), mistaken("option", MissedSolution), Different},
		{mistaken("late-clause", FalseSolution), mistaken("late-clause + option", MissedSolution), Possibly},
		{mistaken("late-clause + option", FalseSolution), mistaken("late-clause + learn", MissedSolution), Different},
		{mistaken(Nothing, FalseSolution), mistaken(Nothing, MissedSolution), Different},
		{mistaken(Nothing, ""), mistaken("tautology", ""), Different},
	} {
		if got := Compare(row.a, row.b); got != row.want {
			t.Errorf("%+v and %+v are %s, want %s", row.a, row.b, got, row.want)
		}
		if got := Compare(row.b, row.a); got != row.want {
			t.Errorf("%+v and %+v are %s the other way round, want %s", row.a, row.b, got, row.want)
		}
	}
}

// TestMayBe checks which failures with the key of another one are found beside it.
func TestMayBe(t *testing.T) {
	for _, row := range []struct {
		f, other Cause
		want     bool
	}{
		{"tautology + incremental", "tautology", true},
		{"option + tautology", "tautology", true},
		{"option", Nothing, true},
		{"", "tautology", true},
		{"tautology", "", true},
		{"zero-weight", "tautology", false},
		{"zero-weight", Nothing, false},
		{"late-clause", "late-soft", false},
		{"option", "option + incremental", false},
		{"unequal-weights", Nothing, true},
	} {
		if got := of("", "x", row.f, nil).MayBe(of("", "x", row.other, nil)); got != row.want {
			t.Errorf("%q may be %q: %v", row.f, row.other, got)
		}
	}
	if of("f.c:1", "x", "option", nil).MayBe(of("f.c:2", "x", Nothing, nil)) {
		t.Error("crashes at two places may have one fault")
	}
}

// TestSkeletonOfLongTrace checks that the text that names a long trace is made in one go. Its time grew with
// the square of the length: a minute for a history of some thousand traces.
func TestSkeletonOfLongTrace(t *testing.T) {
	f := of("", "x", "", parse(t, strings.Repeat("hard 1 2 3 0\n", 20_000)+"solve\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := uint64(len(f.skeleton()))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 20*n {
		t.Errorf("%d bytes are allocated for a text of %d", took, n)
	}
}
