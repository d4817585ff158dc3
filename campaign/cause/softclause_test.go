package cause

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

const file = "ipafuzz 1 wcnf\n"

// TestVariantsOfFiles compares the versions of formula files with the expected ones.
func TestVariantsOfFiles(t *testing.T) {
	for _, row := range []struct{ variant, trace, version, control string }{
		{"repeated-soft", "soft 1 2 0\nsoft 3 2 0\nsolve\n", "", ""},
		{"both-polarities", "soft 2 1 0\nsoft 5 -1 2 0\nsoft 3 -1 0\nsolve\n",
			"soft 2 1 0; soft 5 -1 2 0; hard 3 1 0; hard -3 -1 0; soft 3 3 0; solve",
			"soft 2 1 0; soft 5 -1 2 0; hard 3 4 0; hard -3 -4 0; soft 3 -1 0; solve"},
		{"large-weight", "soft 4294967295 1 2 0\nsoft 3 0\nsolve\n", "soft 255 1 2 0; soft 1 0; solve", ""},
		{"unequal-weights", "soft 2 1 2 0\nsoft 1 1 0\nsoft 9 3 -3 0\nsolve\n",
			"hard 1 2 -4 0; soft 1 4 0; soft 1 1 2 0; soft 1 1 0; soft 1 3 -3 0; solve",
			"hard 4 5 -6 0; soft 1 6 0; soft 2 1 2 0; soft 1 1 0; soft 9 3 -3 0; solve"},
		{"unequal-weights", "soft 2 0\nsoft 3 1 0\nsolve\n", "", ""},
		{"unequal-weights", "soft 17 1 0\nsolve\n", "", ""},
		{"unequal-weights", strings.Repeat("soft 16 1 0\n", 4) + "solve\n", "", ""}, // too many copies
		{"no-soft", "hard 1 0\nsolve\n", "soft 1 -2 0; hard 1 0; solve", "hard 2 3 0; hard 1 0; solve"},
		{"no-soft", "hard 1 0\nsoft 1 0\nsolve\n", "", ""},
		{"wide-soft-clause", "soft 4 1 -2 0\nsoft 3 1 0\nsoft 2 1 -1 0\nsoft 1 1 1 0\nsolve\n",
			"hard 1 -2 3 0; soft 4 -3 0; soft 3 1 0; soft 2 1 -1 0; soft 1 1 1 0; solve",
			"hard 3 4 0; soft 4 1 -2 0; soft 3 1 0; soft 2 1 -1 0; soft 1 1 1 0; solve"},
		{"empty-soft-clause", "soft 4 0\nsoft 3 1 0\nhard 0\nsolve\n", "soft 3 1 0; hard 0; solve", ""},
		{"soft-tautology", "soft 4 1 2 -1 0\nhard 1 -1 0\nsolve\n", "hard 1 -1 0; solve", ""},
		{"soft-repeated-literal", "soft 4 1 2 1 0\nhard 1 1 0\nsolve\n", "soft 4 1 2 0; hard 1 1 0; solve", ""},
		{"repeated-soft-clause", "soft 4 1 2 0\nsoft 5 3 0\nsoft 3 2 1 0\nhard 1 2 0\nsolve\n",
			"soft 7 1 2 0; soft 5 3 0; hard 1 2 0; solve", ""},
		{"repeated-soft-clause", "soft 4 0\nsoft 5 0\nsolve\n", "soft 9 0; solve", ""},
		{"repeated-soft-clause", "soft 18446744073709551615 1 0\nsoft 1 1 0\nsolve\n", "", ""},
		{"empty-clause", "soft 4 0\nsolve\n", "", ""},
		{"tautology", "soft 4 1 -1 0\nhard 1 -1 0\nsolve\n", "soft 4 1 -1 0; solve", ""},
		{"repeated-literal", "soft 4 1 1 0\nsolve\n", "", ""},
		{"repeated-clause", "soft 4 1 0\nhard 1 0\nsolve\n", "", ""},
		{"unused-variable", "soft 4 1 0\nsolve\nval 1\n", "", ""},
		{"variable-gap", "soft 4 7 -900 0\nsolve\n", "soft 4 1 -2 0; solve", ""},
		{"negative-query", "soft 4 1 0\nsolve\nval -1\n", "soft 4 1 0; solve; val 1", ""},
	} {
		versions := Named(row.variant).Versions(parse(t, file+row.trace))
		version, control := "", ""
		if len(versions) > 0 {
			if version = calls(versions[0].Trace); versions[0].Control != nil {
				control = calls(versions[0].Control)
			}
		}
		if version != row.version || control != row.control {
			t.Errorf("%s of %q:\n%q\n%q, want\n%q\n%q", row.variant, row.trace, version, control, row.version, row.control)
		}
	}
}

// TestTraitsOfFiles checks which soft clauses variants find, also if no version can take them out.
func TestTraitsOfFiles(t *testing.T) {
	all := []string{"wide-soft-clause", "empty-soft-clause", "soft-tautology", "soft-repeated-literal",
		"repeated-soft-clause", "unequal-weights", "no-soft", "tautology", "empty-clause"}
	for calls, want := range map[string]string{
		"soft 1 1 0\n":    "",
		"hard 1 0\n":      "no-soft",
		"soft 1 1 2 0\n":  "wide-soft-clause",
		"soft 1 1 1 0\n":  "soft-repeated-literal",
		"soft 1 1 -1 0\n": "soft-tautology",
		"soft 1 0\n":      "empty-soft-clause",
		"soft 18446744073709551615 1 0\nsoft 1 1 1 0\n": "soft-repeated-literal repeated-soft-clause unequal-weights",
		"hard 1 -1 0\nhard 0\nsoft 1 1 0\n":             "tautology empty-clause",
	} {
		given := parse(t, file+calls+"solve\n")
		var met []string
		for _, name := range all {
			if Named(name).In(given) {
				met = append(met, name)
			}
		}
		if got := strings.Join(met, " "); got != want {
			t.Errorf("%q has %s, want %s", calls, got, want)
		}
	}
	plain := parse(t, file+"soft 1 1 0\nsoft 1 2 3 0\nsolve\n")
	for calls, want := range map[string]bool{"soft 9 1 0\n": false, "soft 1 1 2 0\n": false, "soft 1 0\n": true,
		"soft 1 2 2 0\n": true, "soft 1 2 -2 0\n": true, "soft 1 1 0\nsoft 1 1 0\n": true, "hard 0\nsoft 1 1 0\n": true} {
		if got := AddsInput(plain, parse(t, file+calls+"solve\n")); got != want {
			t.Errorf("%q adds a rare input: %v", calls, got)
		}
	}
}

// TestFilesOccur checks that soft clauses correspond to ones of the same length.
func TestFilesOccur(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"soft 1 1 2 0\nsolve\n", "hard 1 0\nsoft 7 -3 4 0\nsoft 1 3 0\nsolve\n", true},
		{"soft 1 1 2 0\nsolve\n", "soft 7 1 2 3 0\nsolve\n", false},
		{"soft 1 1 2 0\nsoft 1 1 0\nsolve\n", "soft 1 3 0\nsoft 1 2 3 0\nsolve\n", true},
		{"soft 1 1 2 0\nsoft 1 1 0\nsolve\n", "soft 1 -3 0\nsoft 1 2 3 0\nsolve\n", false},
		{"soft 1 1 2 0\nsolve\n", "hard 1 2 0\nsolve\n", false},
	} {
		if got := occurs(parse(t, file+row.a), parse(t, file+row.b)); got != row.want {
			t.Errorf("%q in %q: %v, want %v", row.a, row.b, got, row.want)
		}
	}
	f := &Failure{Cause: "soft-tautology"}
	given := parse(t, file+"soft 1 1 -1 0\nsoft 3 2 0\nsolve\n")
	without := Without(given, []*Failure{f})
	if len(without) != 1 || calls(without[0]) != "soft 3 2 0; solve" {
		t.Errorf("without the tautology: %v", without)
	}
}

// TestFilesInWords checks what a cause and the counts say about a formula file.
func TestFilesInWords(t *testing.T) {
	one := parse(t, file+"hard 1 2 0\nsoft 4 1 2 0\nsoft 3 1 0\nsolve\nobj\n")
	for cause, want := range map[Cause]string{
		Nothing: "no special input needed: fails for one hard clause, 2 soft clauses, one solve and one call of obj",
		"wide-soft-clause + repeated-soft-clause": "needs a soft clause of several literals and the same soft clause twice",
		"no-soft": "needs a file without soft clauses",
	} {
		if got := cause.Sentence(one); got != want {
			t.Errorf("%s: %s, want %s", cause, got, want)
		}
	}
	for given, want := range map[string]string{
		"soft 2 1 0\nsolve\n": "soft 2 1 0; solve; model; obj; val 1; model",
		"soft 2 0\nsolve\n":   "soft 2 0; solve; model; obj; model",
	} {
		if got := calls(Questioned(parse(t, file+given))); got != want {
			t.Errorf("all questions: %s, want %s", got, want)
		}
	}
}

// TestCausesOfFiles checks which causes experiments find on a file that has everything.
func TestCausesOfFiles(t *testing.T) {
	minimal := parse(t, file+"hard 1 2 0\nsoft 2 1 3 0\nsoft 1 0\nsoft 1 2 -2 0\nsoft 1 3 3 0\nsoft 1 2 0\nsoft 1 2 0\n"+
		"soft 1 -2 0\nsolve\nobj\n")
	solves := func(*trace.Trace) bool { return true }
	for _, row := range []struct {
		fails func(t *trace.Trace) bool
		cause Cause
	}{
		{hasSoftClause(isWide), "wide-soft-clause"},
		{hasSoftClause(isEmpty), "empty-soft-clause"},
		{hasSoftClause(isTautology), "soft-tautology"},
		{hasSoftClause(repeatsLiteral), "soft-repeated-literal"},
		{hasRepeatedSofts, "repeated-soft-clause"},
		{hasUnequalWeights, "unequal-weights"},
		{func(t *trace.Trace) bool { return hasSoftClause(isWide)(t) && hasSoftClause(isEmpty)(t) },
			"wide-soft-clause + empty-soft-clause"},
		{solves, Nothing},
	} {
		d, err := Determine(t.Context(), minimal, nil, func(_ context.Context, t *trace.Trace) (bool, error) {
			return row.fails(t), nil
		}, nil, nil)
		if err != nil || d.Cause != row.cause {
			t.Errorf("%v, the cause is %s, want %s", err, d.Cause, row.cause)
		}
	}
}

// TestVariantsOfFilesKeepTheMeaning checks on random files that versions and controls are legal and have the right
// answers that they should share.
func TestVariantsOfFilesKeepTheMeaning(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 21))
	applied, compared := make(map[string]int), make(map[string]int)
	n := 1500
	if testing.Short() {
		n = 300
	}
	for range n {
		one := &trace.Trace{Model: apimodel.WCNF}
		for range 1 + rng.IntN(7) {
			var lits []int32
			for range rng.IntN(5) {
				lits = append(lits, int32(1+rng.IntN(5))*int32(1-2*rng.IntN(2)))
			}
			if rng.IntN(3) == 0 {
				one.Clause(0, true, lits...)
			} else {
				one.SoftClause([]uint64{1, 1, 2, 5, 300}[rng.IntN(5)], lits...)
			}
		}
		one.Plain(0, apimodel.OpSolve)
		one.Plain(0, apimodel.OpObj)
		answers := rightOf(one)
		for i := range variants {
			v := &variants[i]
			raw := v.apply(one)
			versions := v.Versions(one)
			if len(raw) > 0 && len(versions) == 0 && !allNil(raw) {
				t.Fatalf("%s: illegal\n%s\nof\n%s", v.Name, raw[0].Trace, one)
			}
			for _, n := range versions {
				applied[v.Name]++
				compared[v.Name] += compare(t, v.Name, one, n, answers)
				if v.in == nil || v.Name == "no-soft" {
					continue
				}
				if !v.In(one) || v.In(n.Trace) && v.Name != "wide-soft-clause" {
					t.Fatalf("%s is not what\n%s\nhas and\n%s\nlacks", v.Name, one, n.Trace)
				}
			}
		}
	}
	for _, name := range []string{"both-polarities", "large-weight", "unequal-weights", "no-soft", "wide-soft-clause",
		"empty-soft-clause", "soft-tautology", "soft-repeated-literal", "repeated-soft-clause", "tautology"} {
		if applied[name] < n/300 || compared[name] < applied[name]/2 {
			t.Errorf("%s: only %d versions, %d solves compared", name, applied[name], compared[name])
		}
	}
	if calls := applied["repeated-soft"] + applied["late-soft"] + applied["incremental"]; calls > 0 {
		t.Errorf("variants of calls apply to files: %v", applied)
	}
}
