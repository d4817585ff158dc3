package cause

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// game parses a trace of model qbf in one line.
func game(t *testing.T, calls string) *trace.Trace {
	t.Helper()
	return testtrace.Parse(t, "ipafuzz 1 qbf\n"+strings.ReplaceAll(calls, "; ", "\n")+"\n")
}

// TestQuantifiedMistake tells what wrong answers about formulas with quantifiers have in common.
func TestQuantifiedMistake(t *testing.T) {
	for _, row := range []struct {
		defect string
		class  oracle.Class
		detail string
		calls  string
		want   Mistake
	}{
		{"answer-reused", oracle.ClaimsSolution, "", "forall 1 0; clause 1 0; assume 1; solve; solve", OldAnswer},
		{"answer-reused", oracle.ClaimsNoSolution, "", "clause 1 0; assume -1; solve; solve", OldAnswer},
		{"answer-reused", oracle.WrongTermination, "ignores stop", "solve; terminate 1; solve", OldAnswer},
		{"answer-reused", oracle.ClaimsNoSolution, "", "forall 1 0; exists 2 0; clause -2 0; push; clause 1 2 0; solve; " +
			"pop; solve", OldAnswer},
		{"pop-keeps-clause", oracle.ClaimsNoSolution, "", "push; clause 0; pop; solve", MissedSolution},
		{"false-values-negated", oracle.ModelFalsifies, "do not win", "forall 1 0; clause 1 0; solve; model", WrongValues},
		{"pure-for-both", oracle.ModelFalsifies, "do not win", "exists 1 2 0; forall 3 0; exists 4 0; clause 1 4 0; " +
			"clause -1 2 0; clause 3 -4 0; solve; model", FalseSolution},
		{"first-value-forgotten", oracle.ModelFalsifies, "do not win", "forall 1 0; exists 2 3 4 0; forall 5 0; " +
			"exists 6 0; clause 1 -2 0; clause -1 -3 5 6 0; clause 2 5 -6 0; clause -2 4 0; clause 3 6 0; clause -3 -6 0; " +
			"clause -5 6 0; solve; model", MissedSolution},
		{"reduces-outer", oracle.WrongCore, "not a core", "exists 1 0; forall 2 0; exists 3 0; clause 1 0; clause 2 3 0; " +
			"clause -2 -3 0; assume -1; solve; core", MissedSolution},
		// A search that takes universal literals out of clauses does not look at their assumptions.
		{"reduces-outer", oracle.ModelFalsifies, "do not win", "forall 1 0; exists 2 0; clause -1 2 0; clause -2 0; solve; " +
			"model", MissedSolution},
		// The other defect ignores the assumption of the values, or gives each later solve the same answer.
		{"false-values-negated,second=universal-assumption-ignored", oracle.ModelFalsifies, "do not win",
			"forall 1 0; clause 1 0; solve; model", WrongValues},
		{"false-values-negated,second=universal-assumption-unit", oracle.ModelFalsifies, "do not win",
			"forall 1 0; clause 1 0; solve; model", WrongValues},
		{"false-values-negated,second=false-forever", oracle.ModelFalsifies, "do not win",
			"forall 1 0; clause 1 0; solve; model", WrongValues},
		// A wrong status is no wrong value, though the values are wrong, too.
		{"false-values-negated,second=false-forever", oracle.ClaimsNoSolution, "",
			"forall 1 0; clause 1 0; solve; assume 1; solve", OldAnswer},
		{"core-misses-last", oracle.WrongCore, "not a core", "exists 1 2 0; clause 2 0; assume 1; assume -2; solve; core",
			WrongCore},
	} {
		session := examine(t, "ref:defect="+row.defect, "qbf", trialLimits)
		minimal := game(t, row.calls)
		key := oracle.Key{Target: session.Target.Name, Class: row.class, Detail: row.detail}
		if row.detail == "" {
			key.Detail = map[oracle.Class]string{oracle.ClaimsSolution: "claims a solution",
				oracle.ClaimsNoSolution: "claims no solution"}[row.class]
		}
		prober, err := NewProber(t.Context(), session, minimal, key, trial.Rate{})
		if err != nil {
			t.Fatalf("%s: %v", row.defect, err)
		}
		if got, err := prober.Mistake(t.Context(), Questioned(minimal)); err != nil || got != row.want {
			t.Errorf("%s: %q, %v, want %q of %s", row.defect, got, err, row.want, row.calls)
		}
		session.Close()
	}
}

// TestAssumptionsOfUniversals checks that a cause with an assumption explains a trace that assumes universal variables,
// even where no version can do without them.
func TestAssumptionsOfUniversals(t *testing.T) {
	one := game(t, "forall 1 0; clause 1 0; assume 1; solve; assume -1; solve")
	for _, why := range []Cause{"assumption", "earlier-assumption", "last-assumption + incremental",
		"universal-assumption + incremental"} {
		if known := (Failure{Cause: why}); !known.Explains(one) {
			t.Errorf("%s does not explain\n%s", why, one)
		}
	}
	if known := (Failure{Cause: "universal-assumption"}); known.Explains(game(t, "exists 1 0; assume 1; solve")) {
		t.Error("an existential variable is not universal")
	}
}
