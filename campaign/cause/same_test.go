package cause

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestEmbeds(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"soft 1 1\nsolve\n", "soft 1 1\nsolve\nobj\n", true},
		{"soft 1 1\nsolve\nobj\n", "soft -7 900\nsolve\nmodel\n", true}, // names, polarity, weights, queries
		{"soft 1 1\nsolve\n", "soft 1 0\nsolve\n", false},               // a weight of 0 is special
		{"soft 1 1\nsoft 1 2\nsolve\n", "soft 1 1\nsoft 2 2\nsolve\n", false},
		{"soft 1 1\nsoft 2 2\nsolve\n", "soft 1 1\nsoft 1 2\nsolve\n", true},
		{"soft 1 1\nsoft -1 2\nsolve\n", "soft 4 1\nhard 1 0\nsoft -4 2\nsolve\n", true},
		{"soft 1 1\nsoft -1 2\nsolve\n", "soft 4 1\nsoft 4 2\nsolve\n", false},
		{"hard 1 2 0\nsoft 1 1\nsolve\n", "soft 2 1\nhard -3 -2 0\nsolve\n", false}, // of the wrong polarity
		{"hard 1 2 0\nsoft 1 1\nsolve\n", "soft -2 1\nhard -3 -2 0\nsolve\n", true},
		{"hard 1 0\nsolve\n", "hard 1 2 0\nsolve\n", false},
		{"hard 1 2 1 0\nsolve\n", "hard 1 1 2 0\nsolve\n", true},
		{"solve\nhard 1 0\nsolve\n", "hard 1 0\nsolve\nsolve\n", false}, // order
		{"solve\nhard 1 0\nsolve\n", "solve\nsolve\nassume 2\nhard 1 0\nsolve\n", true},
		{"hard 1 0\nhard 2 0\nsolve\n", "hard 1 0\nsolve\nhard 2 0\nsolve\n", true},
		{"solve\n", "solve\nhard 1 0\n", false}, // the last calls differ
		{"hard 1 0\n@1 solve\n", "@3 hard 1 0\n@2 solve\n", true},
		{"hard 1 0\n@1 solve\n", "hard 1 0\nsolve\n", false},
		{"terminate 1\nsolve\n", "terminate 3\nsolve\n", true},
		{"terminate 1\nsolve\n", "terminate off\nsolve\n", false},
		{"option a 1\nsolve\n", "option a 2\nsolve\n", false},
		{"option proof drat\nsolve\n", "option proof lrat\nsolve\n", true},
		{"option proof none\nsolve\n", "option proof lrat\nsolve\n", false},
		{"ipafuzz 1 ipasir\nadd 1 0\nsolve\n", "hard 1 0\nsolve\n", false},
		{"ipafuzz 1 ipasir\nadd 1 0\nsolve\n", "ipafuzz 1 ipasir+cadical\nadd 1 0\nsolve\n", true},
	} {
		if got := Embeds(parse(t, row.a), parse(t, row.b)); got != row.want {
			t.Errorf("%q in %q: %v, want %v", row.a, row.b, got, row.want)
		}
	}
}

// TestEmbedsIsBounded checks that traces with many ways to embed take no time.
func TestEmbedsIsBounded(t *testing.T) {
	a, b := &strings.Builder{}, &strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(a, "hard %d %d %d 0\n", 1+i, 1+(7*i)%60, -1-(i+1)%60)
		fmt.Fprintf(b, "hard %d %d %d 0\n", 1+i, 1+(11*i)%60, -1-(i+2)%60)
	}
	begun := time.Now()
	if Embeds(parse(t, a.String()+"solve\n"), parse(t, b.String()+"solve\n")) {
		t.Error("embeds")
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestCopiesEmbed checks that a trace embeds in copies of it with other names and more
// calls.
func TestCopiesEmbed(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	for range 200 {
		a, b := &strings.Builder{}, &strings.Builder{}
		name := r.Perm(9)
		lit := func() (int, int) {
			v := r.IntN(4)
			sign := 1 - 2*r.IntN(2)
			return sign * (v + 1), sign * (1 - 2*(name[v]%2)) * (name[v] + 1)
		}
		for range 1 + r.IntN(6) {
			x, to := lit()
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(a, "hard %d 0\n", x)
				fmt.Fprintf(b, "hard %d 0\nhard 40 0\n", to)
			case 1:
				fmt.Fprintf(a, "soft %d %d\n", x, 1+r.IntN(3))
				fmt.Fprintf(b, "soft %d %d\nassume 3\n", to, 5+r.IntN(3))
			case 2:
				fmt.Fprintf(a, "assume %d\n", x)
				fmt.Fprintf(b, "assume %d\n", to)
			case 3:
				fmt.Fprintf(a, "solve\n")
				fmt.Fprintf(b, "solve\nobj\nsoft 20 1\n")
			}
		}
		one, other := parse(t, a.String()+"solve\n"), parse(t, b.String()+"solve\n")
		if !Embeds(one, other) {
			t.Fatalf("does not embed:\n%s\n%s", one, other)
		}
	}
}

func of(location, symptom string, why Cause, minimal *trace.Trace) *Failure {
	return &Failure{Location: location, Symptom: symptom, Cause: why, Minimal: minimal}
}

func keyed(why Cause, minimal *trace.Trace, key string, beside ...string) *Failure {
	return &Failure{Symptom: "x", Cause: why, Minimal: minimal, Key: key, Beside: beside}
}

func mistaken(why Cause, minimal *trace.Trace, mistake Mistake) *Failure {
	return &Failure{Symptom: "x", Cause: why, Minimal: minimal, Mistake: mistake}
}

// saw returns the failure with another symptom.
func (f *Failure) saw(symptom string) *Failure {
	f.Symptom = symptom
	return f
}

func seenBy(why Cause, minimal *trace.Trace, asked Cause) *Failure {
	return &Failure{Symptom: "x", Cause: why, Minimal: minimal, Asked: asked}
}

// by returns the failure with a mistake.
func (f *Failure) by(mistake Mistake) *Failure {
	f.Mistake = mistake
	return f
}

func TestCompare(t *testing.T) {
	twice := parse(t, "soft 1 1\nsoft 1 2\nsolve\n")
	longer := parse(t, "hard 1 0\nsoft 1 1\nsoft 1 2\nsolve\n")
	again := parse(t, "soft -3 7\nsoft -3 1\nsolve\nobj\n")
	other := parse(t, "hard 1 0\nsolve\n")
	for _, row := range []struct {
		a, b *Failure
		want Relation
	}{
		{of("f.c:1", "crash", "tautology", twice), of("f.c:1", "crash", "no-soft", other), Same},
		{of("f.c:1", "crash", "no-soft", twice), of("f.c:2", "crash", "no-soft", twice), Possibly},
		{of("f.c:1", "crash", "no-soft", twice), of("f.c:2", "crash", "no-soft + late-soft", other), Possibly},
		{of("f.c:1", "crash", "no-soft + late-soft", twice), of("", "crash", "late-soft", other), Possibly}, // heap
		{of("f.c:1", "crash", "no-soft + late-soft", twice), of("", "x", "late-soft", other), Different},
		{of("f.c:1", "crash", "no-soft", twice), of("f.c:2", "crash", "tautology", twice), Different},
		{of("f.c:1", "crash", "unequal-weights", twice), of("f.c:2", "crash", "unequal-weights", twice), Different},
		{of("f.c:1", "crash", "nothing", twice), of("f.c:2", "crash", "nothing", twice), Different},
		{of("f.c:1", "crash", "", twice), of("f.c:2", "crash", "", twice), Different},
		{of("f.c:1", "crash", "repeated-soft", twice), of("", "crash", "repeated-soft", twice), Possibly},

		// Causes with rare inputs.
		{of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft", other), Same},
		{of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft + terminate", other), Same},
		{of("", "x", "repeated-soft", twice), of("", "y", "repeated-soft", twice), Same},
		{of("", "x", "repeated-soft", twice), of("", "y", "repeated-soft", longer), Same},
		{of("", "x", "repeated-soft", twice), of("", "y", "repeated-soft + large-weight", other), Same},
		{of("", "x", "repeated-soft", twice), of("", "y", "tautology + large-weight", other), Different},
		{of("", "x", "large-weight", twice), of("", "y", "large-weight", longer), Possibly},
		{of("", "x", "repeated-soft", twice), of("", crash, "repeated-soft", longer), Possibly},
		{of("", "x", "repeated-soft + terminate", twice), of("", "x", "repeated-soft + option", other), Different},
		{of("", "x", "repeated-soft + terminate", twice), of("", "x", "repeated-soft + option", longer), Same},
		{of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft + zero-weight", longer), Same},
		{of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft + zero-weight", other), Same},
		{of("", "x", "repeated-soft + terminate", twice), of("", "x", "repeated-soft + zero-weight", other), Different},
		{of("", "x", "incremental", twice), of("", "x", "incremental + tautology", longer), Possibly},
		{of("", "x", "repeated-soft", twice), of("", "x", "tautology", longer), Different},

		// Other causes.
		{of("", "x", "incremental", twice), of("", "x", "incremental", longer), Same},
		{of("", "x", "incremental", twice), of("", "x", "incremental", other), Possibly},
		{of("", "x", "incremental + terminate", twice),
			of("", "x", "incremental + terminate", other), Same},
		{of("", "x", "incremental", twice), of("", "x", "incremental + terminate", longer), Possibly},
		{of("", "x", "incremental", twice), of("", "y", "incremental + terminate", longer), Possibly},
		{of("", "x", "incremental", twice), of("", "x", "terminate", longer), Different},

		// Nothing special is needed.
		{of("", "x", Nothing, twice), of("", "x", Nothing, other), Different},
		{of("", "x", Nothing, twice), of("", "x", Nothing, longer), Possibly},
		{of("", "x", Nothing, twice), of("", "y", Nothing, again), Possibly},
		{of("", "x", Nothing, twice), of("", "x", "incremental", longer), Different},
		{of("", "x", Nothing, twice), of("", "x", Nothing, again), Same},
		{of("", "x", "option", twice), of("", "x", "option", longer), Same},
		{of("", "x", "option", twice), of("", "x", "option", other), Possibly},
		{of("", "x", "option", twice), of("", "x", "option + tautology", longer), Possibly},
		{of("", "x", "", twice), of("", "x", "", again), Possibly},
		{of("", crash, "", twice), of("", "x", "tautology", longer), Different},
		{of("", "x", "", twice), of("", "x", "tautology", longer), Possibly},
		{keyed("", twice, "k"), keyed("", other, "k"), Same},
		{keyed("", twice, "k"), keyed("", other, "l"), Different},
		{keyed("", nil, "k"), keyed("", other, "k"), Same},
		{keyed(Nothing, twice, "k"), keyed("", other, "k"), Different},

		// One key, and an option.
		{keyed("learn", twice, "k"), keyed("learn + option", other, "k"), Same},
		{keyed("learn", twice, "k"), keyed("learn + option", other, "l"), Different},
		{keyed("learn", twice, "k"), keyed("learn + assumption", other, "k"), Different},
		{keyed(Nothing, twice, "k"), keyed("option", other, "k"), Different},
		{keyed("learn", twice, "k").saw(crash), keyed("learn + option", other, "k").saw(crash), Possibly},

		// A search that was told to stop.
		{of("", wrongAnswer, "terminate", twice), of("", "wrong termination", "terminate", longer), Same},
		{of("", "wrong termination", "terminate", twice), of("", wrongAnswer, "terminate", longer), Same},
		{of("", wrongAnswer, "terminate", twice), of("", "wrong termination", "terminate", other), Possibly},
		{of("", wrongAnswer, "terminate", twice), of("", "leak", "terminate", longer), Possibly},
		{of("", wrongAnswer, "incremental", twice), of("", "wrong termination", "incremental", longer), Possibly},

		// One trace shows both failures.
		{keyed("terminate", twice, "k"), keyed("terminate", longer, "l"), Same},
		{keyed("terminate", twice, "k"), keyed("terminate", longer, "l", "k"), Same},
		{keyed(Nothing, twice, "k"), keyed(Nothing, again, "l", "k"), Possibly},
		{keyed(Nothing, twice, "k"), keyed(Nothing, again, "l"), Same},

		// A callback is needed only to see the failure.
		{seenBy("tautology + learn", twice, "learn"), seenBy("tautology", other, Nothing), Same},
		{seenBy("incremental + learn", twice, "learn"), seenBy("incremental", longer, Nothing), Same},
		{seenBy("learn", twice, "learn"), seenBy(Nothing, longer, Nothing), Different},
		{seenBy("incremental + learn", twice, Nothing), seenBy("incremental", other, Nothing), Different},
		{seenBy("incremental + learn", twice, "learn"), seenBy("", other, Nothing), Different},

		// Every wrong core needs an assumption.
		{seenBy("last-assumption", twice, "last-assumption").by(MissedSolution),
			seenBy("tautology + last-assumption", longer, "last-assumption").by(MissedSolution), Possibly},
		{seenBy("last-assumption", twice, Nothing).by(MissedSolution),
			seenBy("tautology + last-assumption", longer, "last-assumption").by(MissedSolution), Same},

		{seenBy("last-assumption", twice, "last-assumption").by(WrongCore),
			seenBy("last-assumption", longer, "last-assumption").by(FalseSolution), Possibly},
		{seenBy("last-assumption", twice, "last-assumption").by(MissedSolution),
			seenBy("last-assumption", longer, "last-assumption").by(FalseSolution), Possibly},
		{seenBy("last-assumption", twice, "last-assumption").by(WrongCore),
			seenBy("last-assumption", longer, "last-assumption").by(WrongCore), Same},

		// A wrong proof of a wrong answer.
		{mistaken("incremental", twice, MissedSolution).saw(wrongAnswer),
			seenBy("incremental + option", longer, "option").by(MissedSolution).saw("wrong proof"), Same},
		{mistaken("incremental", twice, MissedSolution).saw(wrongAnswer),
			seenBy("incremental + option", longer, "option").by(WrongCore).saw("wrong proof"), Possibly},
		{mistaken("incremental", twice, MissedSolution).saw(wrongAnswer),
			seenBy("incremental + option", longer, "option").saw("proof of something else"), Same},
		{mistaken("incremental + terminate", twice, MissedSolution).saw(wrongAnswer),
			seenBy("incremental + terminate + option", longer, "option").saw("proof of something else"), Same},
		{mistaken("incremental + terminate", twice, MissedSolution).saw(wrongAnswer),
			seenBy("incremental + terminate + option", longer, "option").saw("wrong proof"), Same},

		// Failures with mistakes.
		{mistaken(Nothing, twice, FalseSolution), mistaken(Nothing, longer, FalseSolution), Same},
		{mistaken(Nothing, twice, FalseSolution), mistaken(Nothing, other, FalseSolution), Possibly},
		{mistaken(Nothing, twice, FalseSolution), mistaken(Nothing, other, MissedSolution), Different},
		{mistaken(Nothing, twice, FalseSolution), mistaken("incremental", other, FalseSolution), Different},
		{mistaken(Nothing, twice, FalseSolution), mistaken("option", longer, FalseSolution), Different},
		{mistaken(Nothing, twice, FalseSolution), mistaken("unequal-weights", longer, FalseSolution), Same},
		{mistaken("option", twice, FalseSolution), mistaken("option", other, FalseSolution), Same},
		{mistaken("option", twice, FalseSolution), mistaken("option", other, MissedSolution), Possibly},
		{mistaken("late-clause", twice, FalseSolution), mistaken("late-soft", other, FalseSolution), Same},
		{mistaken("late-clause", twice, FalseSolution), mistaken("late-soft", other, WrongObjective), Different},
		{mistaken("late-clause + option", twice, FalseSolution), mistaken("late-soft", other, FalseSolution), Different},
		{mistaken("repeated-soft", twice, FalseSolution),
			mistaken("repeated-soft + zero-weight", other, FalseSolution), Same},
		{mistaken("repeated-soft", twice, FalseSolution),
			mistaken("repeated-soft + zero-weight", other, MissedSolution), Same},
		{mistaken("earlier-query + terminate", twice, WrongObjective),
			mistaken("earlier-assumption + earlier-query", other, WrongObjective), Same},
		{mistaken("earlier-query + terminate", twice, WrongObjective),
			mistaken("earlier-assumption + earlier-query", other, MissedSolution), Different},
		{mistaken("earlier-assumption + late-clause", twice, FalseSolution),
			mistaken("repeated-clause + earlier-assumption + late-clause", other, FalseSolution), Same},
		{mistaken("earlier-assumption + late-clause", twice, FalseSolution),
			mistaken("repeated-clause + earlier-assumption + late-clause", other, MissedSolution), Different},
		{mistaken("incremental", twice, FalseSolution), mistaken("incremental + tautology", longer, FalseSolution), Same},
		{mistaken(Nothing, twice, WrongModel), mistaken(Nothing, again, WrongModel), Same},
		{mistaken(Nothing, twice, WrongModel), mistaken(Nothing, again, WrongObjective), Possibly},
		{mistaken(Nothing, twice, FalseSolution), mistaken(Nothing, again, OddValues), Possibly},
		{mistaken(Nothing, twice, MissedSolution), mistaken(Nothing, again, WrongObjective), Possibly},
		{mistaken(Nothing, twice, MissedSolution), mistaken(Nothing, again, ""), Same},
		{mistaken(Nothing, twice, NoAnswer), mistaken("option", other, NoAnswer), Same},
		{mistaken(Nothing, twice, NoAnswer), mistaken("large-weight + option", other, NoAnswer), Same},
		{mistaken("incremental", twice, NoAnswer),
			mistaken("both-polarities + incremental + option", other, NoAnswer), Same},
		{mistaken(Nothing, twice, NoAnswer), mistaken("large-weight", other, NoAnswer), Different},
		{mistaken(Nothing, twice, NoAnswer), mistaken("incremental", other, NoAnswer), Different},
		{mistaken("late-clause", twice, RefusedCall), mistaken("late-clause", other, RefusedCall).saw(wrongAnswer), Same},
		{mistaken("late-clause", twice, FalseSolution), mistaken("late-clause", other, FalseSolution).saw("y"), Possibly},
		{mistaken("late-clause", twice, RefusedCall), mistaken("terminate", other, RefusedCall).saw("y"), Different},
		{mistaken("", twice, FalseSolution), mistaken("", other, FalseSolution), Different},
		{mistaken("option", twice, ""), mistaken("option", other, ""), Possibly},

		// Causes about another solver.
		{of("", "x", "second-instance", twice), of("", "x", "earlier-life", other), Same},
		{of("", "x", "incremental + second-instance", twice), of("", "x", "earlier-life", other), Different},
		{of("", "x", "second-instance + earlier-life", twice), of("", "x", "earlier-life", other), Same},
	} {
		if got := Compare(row.a, row.b); got != row.want {
			t.Errorf("%+v and %+v are %s, want %s", row.a, row.b, got, row.want)
		}
		if got := Compare(row.b, row.a); got != row.want {
			t.Errorf("%+v and %+v are %s the other way round, want %s", row.a, row.b, got, row.want)
		}
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

func TestMayHaveFaultOf(t *testing.T) {
	for _, row := range []struct {
		f, other Cause
		want     bool
	}{
		{"tautology + incremental", "tautology", true},
		{"zero-weight", "tautology", false},
		{"zero-weight", Nothing, false},
		{"late-clause", "late-soft", false},
		{"last-assumption", "last-assumption + incremental", false},
		{"last-assumption + incremental", "last-assumption", true},
		{"option", "option + incremental", true},
		{"last-assumption + terminate", "last-assumption + incremental", true},
		{"option", "late-soft", false},
		{"late-soft", "option", false},
		{"option", Nothing, true},
		{"option + tautology", "tautology", true},
	} {
		if got := of("", "x", row.f, nil).MayHaveFaultOf(of("", "x", row.other, nil)); got != row.want {
			t.Errorf("%q may have the fault of %q: %v", row.f, row.other, got)
		}
	}
	if of("f.c:1", "x", "option", nil).MayHaveFaultOf(of("f.c:2", "x", Nothing, nil)) {
		t.Error("crashes at two places may have one fault")
	}
}
