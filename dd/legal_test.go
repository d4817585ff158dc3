package dd

import (
	"context"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func describe(t *testing.T, text string) *apimodel.Description {
	t.Helper()
	d, err := apimodel.ParseDescription(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const twoOptions = "option early bool false when=start\noption mode choice a|b|c a\nexclude mode=b early=true\n"

const anyWeight = "policy weight=below-2^64\n"

func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, description, calls string
		want                     rule
	}{
		{"sum of 2^64", anyWeight, "soft 1 9223372036854775808\nsoft 2 9223372036854775808\n", weightSum},
		{"just below", anyWeight, "soft 1 9223372036854775808\nsoft 2 9223372036854775807\n", noRule},
		{"lowered in time", anyWeight, "soft 1 9223372036854775808\nsoft 1 1\nsoft 2 9223372036854775808\n", noRule},
		{"in two solvers", anyWeight, "soft 1 9223372036854775808\n@1 soft 2 9223372036854775808\n", noRule},
		{"in two lives", anyWeight, "soft 1 9223372036854775808\nrelease\ninit\nsoft 2 9223372036854775808\n", noRule},
		{"2^63", anyWeight + "policy weight-sum=below-2^63", "soft 1 9223372036854775808\n", weightSum},
		{"any sum", anyWeight + "policy weight-sum=any", "soft 1 9223372036854775808\nsoft 2 9223372036854775808\n", noRule},
		{"weight of 2^63", "", "soft 1 9223372036854775808\n", largeWeights},
		{"weight of 2^63-1", "", "soft 1 9223372036854775807\n", noRule},
		{"any weight", "policy weight=below-2^64", "soft 1 18446744073709551615\n", noRule},
		{"zero", "policy soft-zero=rejected", "soft 1 0\n", zeroWeights},
		{"zero is allowed", "", "soft 1 0\n", noRule},
		{"unused soft", "policy soft-unused=rejected", "soft 1 4\nhard 1 0\n", unusedVars},
		{"unused assumption", "policy soft-unused=rejected", "hard 2 0\nassume 1\n", unusedVars},
		{"in an open clause", "policy soft-unused=rejected", "@1 hard 1\nsoft 1 4\n@1 hard 0\n", unusedVars},
		{"used", "policy soft-unused=rejected", "hard 1\nhard 2 0\nsoft 1 4\nassume -2\n", noRule},
		{"tautology", "policy tautology=rejected", "hard 1 2\n@1 hard -2 0\nhard -1 0\n", tautologies},
		{"no tautology", "policy tautology=rejected", "hard 1 2 0\nhard -1 -2\nhard -1 0\n", noRule},
		{"tautology is allowed", "", "hard 1 -1 0\n", noRule},
		{"late option", twoOptions, "hard 1 0\noption early true\n", startOptions},
		{"early option", twoOptions, "option early true\noption mode c\n", noRule},
		{"early in a second life", twoOptions, "hard 1 0\nrelease\ninit\noption early true\n", noRule},
		{"exclusion", twoOptions, "option early true\noption mode b\n", exclusions},
		{"exclusion in two solvers", twoOptions, "option early true\n@1 option mode b\n", noRule},
	} {
		if got := broken(parse(t, c.calls), describe(t, c.description)); got != c.want {
			t.Errorf("%s: broken is %b, want %b", c.name, got, c.want)
		}
	}
}

// TestBrokenFailed: unless a policy allows it, failed is about an assumption of the last solve.
func TestBrokenFailed(t *testing.T) {
	const unsat = "add -1 0\nassume 1\nsolve\n"
	for _, c := range []struct {
		name, description, calls string
		want                     rule
	}{
		{"assumed", "", unsat + "failed 1\n", noRule},
		{"not assumed", "", unsat + "failed 2\n", otherFailed},
		{"the negation", "", unsat + "failed -1\n", otherFailed},
		{"assumed for an earlier solve", "", unsat + "add 2 0\nadd -2 0\nsolve\nfailed 1\n", otherFailed},
		{"assumed by another solver", "", "@1 assume 2\n" + unsat + "failed 2\n", otherFailed},
		{"assumed in an earlier life", "", unsat + "release\ninit\nadd 0\nsolve\nfailed 1\n", otherFailed},
		{"any", "policy failed-non-assumption=any", unsat + "failed 2\n", noRule},
		{"zero", "policy failed-non-assumption=zero", unsat + "failed 2\n", noRule},
	} {
		tr, err := trace.ParseString("ipafuzz 1 ipasir\n" + c.calls)
		if err != nil {
			t.Fatal(err)
		}
		if got := broken(tr, describe(t, c.description)); got != c.want {
			t.Errorf("%s: broken is %b, want %b", c.name, got, c.want)
		}
	}
}

// TestLegalCandidates: no candidate breaks a rule of the target that the given trace keeps.
func TestLegalCandidates(t *testing.T) {
	anySolve := func(c *trace.Trace) bool { return strings.Contains(c.String(), "soft 2") }
	for _, c := range []struct{ name, description, calls, want string }{
		{"the sum stays", "", "soft 1 9223372036854775808\nsoft 1 1\nsoft 2 9223372036854775808\nsolve\n", "soft 2 1\n"},
		{"used variables", "policy soft-unused=rejected", "hard 2 3 0\nsoft 2 7\nsolve\n", "hard 2 0\nsoft 2 1\n"},
		{"no tautology", "policy tautology=rejected", "hard -3 4 0\nhard 3 0\nsoft 2 7\nsolve\n", "soft 2 1\n"},
		{"broken before", "policy soft-unused=rejected", "soft 2 7\nhard 2 3 0\nsolve\n", "soft 2 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := describe(t, c.description)
			given := parse(t, c.calls)
			allowed := broken(given, d)
			result, err := Minimize(context.Background(), given, TestFunc(func(_ context.Context, _ int,
				candidate *trace.Trace) (Verdict, error) {
				if b := broken(candidate, d); b&^allowed != 0 {
					t.Errorf("a candidate breaks rule %b:\n%s", b, candidate)
				}
				return Verdict{Same: anySolve(candidate), Call: -1}, nil
			}), Config{Description: d})
			if err != nil || text(result.Trace) != c.want {
				t.Errorf("%v, reduced to\n%s", err, result.Trace)
			}
		})
	}
}

// TestDefaults: if the failure needs an option call, Minimize sets the option to its default.
func TestDefaults(t *testing.T) {
	d := describe(t, twoOptions)
	result, err := Minimize(context.Background(), parse(t, "option mode b\noption mode c\nhard 1 0\nsolve\n"),
		TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			return Verdict{Same: strings.Contains(c.String(), "option mode") && c.Solves() > 0, Call: -1}, nil
		}), Config{Description: d})
	if err != nil || text(result.Trace) != "option mode a\nsolve\n" {
		t.Errorf("%v, reduced to\n%s", err, result.Trace)
	}
}
