package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// A row has failures of a library with planted defects.
type row struct {
	defects, model string
	failures       []failure
	want           int // with one defect: blocks; with two: at least so many faults
}

type failure struct {
	class         oracle.Class
	detail, calls string
}

// checkRows diagnoses the failures of each row. It counts the blocks of one defect, which a reader sees, and the faults
// of two.
func checkRows(t *testing.T, rows []row) {
	t.Helper()
	for _, row := range rows {
		of := &sample{Setup: setup{Defects: row.defects, Model: row.model}}
		for _, f := range row.failures {
			text := "ipafuzz 1 " + row.model + "\n" + strings.ReplaceAll(f.calls, "; ", "\n") + "\n"
			of.Kept = append(of.Kept, kept{Class: f.class, Detail: f.detail, Original: text, Minimal: text,
				Diagnosis: new(cause.Diagnosis)})
		}
		of.diagnose(t)
		for i := range of.Kept {
			if of.Kept[i].Diagnosis.Cause == "" {
				t.Errorf("%s: no cause of %s", row.defects, of.Kept[i].Minimal)
			}
			of.findings = append(of.findings, of.Kept[i].finding(t, row.defects))
		}
		faults := fault.Group(of.findings)
		if got := fault.Blocks(faults); !strings.Contains(row.defects, second) && got != row.want {
			t.Errorf("%s: %d blocks, want %d", row.defects, got, row.want)
			show(t, faults)
		} else if strings.Contains(row.defects, second) && len(faults) < row.want {
			t.Errorf("%s: %d faults, want %d", row.defects, len(faults), row.want)
			show(t, faults)
		}
	}
}

// TestDefectsApart groups minimal traces of libraries with two defects, which were measured as one fault before, and of
// libraries with one, some of which were measured as several.
func TestDefectsApart(t *testing.T) {
	checkRows(t, []row{
		// One core is wrong, one search misses a solution.
		{"failed-none,second=dirty-interrupt", "ipasir", []failure{
			{"5.3", "not a core", "add 1 0; assume -1; solve; core"},
			{"2.5", "claims no solution", "terminate 1; assume 1; solve; terminate 0; assume -1; solve"}}, 2},
		{"failed-stale,second=assumption-level-unit", "ipasir", []failure{
			{"5.3", "not a core", "add -1 0; assume 1; solve; failed 1"},
			{"2.5", "claims no solution", "add 1 2 -3 0; add 1 -2 0; assume 3; solve; assume -1; solve"}}, 2},
		{"assumption-level-unit", "ipasir", []failure{
			{"5.3", "not a core", "add 1 2 3 0; add 2 -3 0; assume -1; assume -2; solve; core"},
			{"2.5", "claims no solution", "add 1 2 -3 0; add 1 -2 0; assume 3; solve; assume -1; solve"}}, 1},
		// Both need a clause after a solve.
		{"last-clause-dropped,second=repeat-differs", "ipamir", []failure{
			{"2.3", "objective is not the cost of the model", "soft -1 1; solve; hard 1 0; solve; val 2; obj"},
			{"2.1", "not optimal", "soft 1 1; solve; hard -2 0; solve; obj; model"}}, 2},
		// All questions show the wrong objective, too.
		{"counts-false-softs,second=assumption-level-unit", "ipamir", []failure{
			{"2.3", "objective is not the optimum", "soft 1 1; solve; obj"},
			{"2.3", "model is not optimal",
				"hard 1 2 0; hard -1 2 0; hard -2 3 4 0; hard -2 -3 0; soft 4 1; soft -5 1; solve; model"}}, 2},
		// Only one needs a clause.
		{"last-clause-dropped,second=unused-val-garbage", "ipamir", []failure{
			{"5.4", "status", "hard 1 0; hard 1 0; assume -1; solve; assume -1; solve"},
			{"2.6", "assumption", "assume -1; solve; model"}}, 2},
		// Every wrong core needs an assumption.
		{"failed-wrong-sign,second=first-assumption-ignored", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"5.3", "not a core", "add -1 0; assume 1; assume 1; solve; core"}}, 2},
		{"first-assumption-ignored,second=interrupt-keeps-assumptions", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"5.3", "not a core", "terminate 1; add 1 0; assume 2; assume 2; assume 2; solve; terminate off; " +
				"add -2 0; assume -1; solve; core"}}, 2},
		// The last failure needs both defects.
		{"hard-only-drops-clause,second=shared-model", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 0; solve; model"},
			{"2.3", "model is not optimal", "soft 1 1; @1 soft -1 1; solve; @1 solve; model"},
			{"5.5", "with other instances only: 2.6 hard clause",
				"hard 1 0; hard 1 0; @1 hard 1 0; solve; @1 solve; model"}}, 2},
		// The first answer is wrong because of the other instance. The normal form had another wrong answer.
		{"shared-assumptions,second=fresh-assumption-ignored", "ipamir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"5.5", "with other instances only: 5.4 status",
				"hard 1 0; assume -1; @1 solve; assume 1; solve; assume 1; assume -1; solve"}}, 2},
		// The second failure needs a query, too.
		{"stale-objective,second=first-assumption-ignored", "ipamir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"2.1", "not optimal", "soft 1 1; assume 2; assume 1; solve; obj; solve; obj; val 2"}}, 2},
		// A wrong answer has a wrong proof.
		{"failed-none", "ipasir", []failure{
			{"5.3", "not a core", "add 1 0; assume -1; solve; core"},
			{"6.5", "contradicting",
				"option proof idrup; add -1 0; add -2 0; assume 2; assume 1; solve; failed 2; proof"}}, 1},
		{"assumption-unsat-sticks", "ipasir", []failure{
			{"2.5", "claims no solution", "add 1 0; assume -1; solve; solve"},
			{"6.4", "unjustified", "option proof idrup; add -1 0; assume 1; solve; assume 1; solve; proof"}}, 1},
		{"stale-model", "ipamir", []failure{
			{"2.3", "model is not optimal", "soft -1 1; solve; model"},
			{"6.4", "unjustified", "option proof veripb; soft -1 1; solve; proof"}}, 1},
		{"assumptions-stay", "ipamir", []failure{
			{"2.5", "claims no solution", "hard 1 0; assume -1; solve; solve"},
			{"6.5", "different", "option proof veripb; assume 1; solve; solve; proof"}}, 1},
		// An assumption is needed to see an ignored one, and to have a core.
		{"first-assumption-ignored,second=assumption-level-unit", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"5.3", "not a core",
				"add -1 2 0; add 1 2 0; add -2 3 0; add -2 -3 -4 0; assume 5; assume 4; solve; core"}}, 2},
		// A learned clause does not follow from assumptions.
		{"first-assumption-ignored,second=assumption-level-unit", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"6.1", "not implied", "learn 1; assume 1; add 2 3 0; assume 4; add -2 3 -4 0; solve"}}, 2},
		// Values of variables that only queries name are another mistake than the wrong answer.
		{"unseen-flips,second=last-clause-dropped", "ipamir", []failure{
			{"5.2", "0 and a value", "solve; val 1; model"},
			{"2.3", "objective is not the cost of the model", "hard 1 0; soft 1 1; solve; obj; val 2"}}, 2},
		// Only one needs a second solve.
		{"assumption-level-unit", "ipasir", []failure{
			{"5.3", "not a core", "add 1 2 3 0; add -2 3 0; assume -1; assume -3; solve; core"},
			{"2.5", "claims no solution",
				"add 1 2 -3 0; add 1 -2 0; add -1 2 0; add -1 -2 0; assume 3; solve; solve"}}, 1},
		// Only a search refutes the second trace.
		{"skipped-watches", "ipasir", []failure{
			{"2.6", "hard clause", "add 1 2 3 0; add 2 -3 0; add -2 3 0; add -2 -3 0; solve; model"},
			{"2.4", "claims a solution", "add 1 2 0; add 1 -2 0; add -1 2 0; add -1 -2 0; solve"},
			{"2.4", "claims a solution", "add 1 2 0; add -1 2 0; add -2 3 0; add -2 -3 0; solve"}}, 1},
		// The wrong proof is of the other defect.
		{"last-clause-dropped,second=lost-watch", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 0; solve; model"},
			{"6.4", "unjustified",
				"option proof veripb; hard 1 -2 3 0; soft -2 1; hard 4 0; hard 1 -2 3 0; solve; proof"}}, 2},
		// A long clause and an assumption are needed only to have a long learned clause.
		{"learned-too-long", "ipasir", []failure{
			{"6.2", "longer than asked for", "learn 2; add 1 2 3 0; add 2 -3 4 0; add -2 5 0; add -4 6 0; solve"},
			{"6.2", "longer than asked for",
				"learn 2; add 1 0; add 2 3 0; add -2 3 4 5 0; assume -4; assume -5; solve"}}, 1},
		// The tautology and the option only lead the search.
		{"lost-watch", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 2 0; hard 3 -2 -1 0; soft -1 1; solve; model"},
			{"2.3", "objective is not the cost of the model", "hard 1 2 -2 0; hard 2 3 -4 0; hard -3 5 0; soft 2 1; " +
				"soft -4 1; soft 5 1; solve; obj; val 1"}}, 1},
		{"skipped-watches", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 -2 3 0; hard 2 3 0; hard 2 -3 0; hard -2 -3 0; solve; model"},
			{"2.6", "no completion", "option phase true; hard 1 3 0; hard 2 3 0; hard 2 -3 0; hard -2 3 0; " +
				"hard -2 -3 -4 0; solve; val 2"}}, 1},
		// The search gives up, in one case after a search that was told to stop.
		{"unasked-interrupt", "ipamir", []failure{
			{"5.6", "stays stopped", "terminate 1; soft 1 2; hard 1 2 0; soft 2 2; soft 3 3; soft 4 1; hard 3 5 0; " +
				"soft 5 2; solve; terminate off; solve"},
			{"4.4", "gives up without reason",
				"hard 1 2 0; hard -1 2 0; hard -2 3 4 0; hard 3 -4 0; soft 3 1; solve"}}, 1},
		// One value is wrong even if nothing else is asked.
		{"val-flips,second=first-assumption-ignored", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; solve; model"},
			{"5.2", "true and false", "assume 1; solve; model; val 1"},
			{"2.4", "claims a solution", "add 1 0; assume -1; solve"}}, 2},
		{"val-flips", "ipasir", []failure{
			{"2.6", "assumption", "assume 1; assume 2; solve; model"},
			{"5.2", "true and false", "assume 1; assume 2; assume 3; solve; val 3; model"}}, 1},
		// Both proofs need an assumption, but only one answer is wrong.
		{"failed-all,second=first-assumption-ignored", "ipasir", []failure{
			{"6.5", "different", "option proof idrup; assume 1; solve; proof"},
			{"6.5", "contradicting", "option proof idrup; add 0; assume 1; assume 1; solve; core; proof"}}, 2},
		// Only one needs to be told to stop.
		{"interrupt-keeps-assumptions,second=assumption-level-unit", "ipasir", []failure{
			{"2.5", "claims no solution", "add 1 -2 0; add -1 -2 -3 0; assume 3; assume 2; solve; assume 2; solve"},
			{"2.5", "claims no solution", "terminate 1; assume 1; solve; terminate 0; add -1 0; solve"}}, 2},
		// One of two controls shows that the failure needs a solve without soft literals.
		{"hard-only-drops-clause", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 0; solve; model"},
			{"2.6", "no completion", "hard 1 2 0; hard -2 0; solve; val 1"}}, 1},
		// All questions show the dropped clause, too.
		{"complementary-twice,second=last-clause-dropped", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 0; solve; val 1"},
			{"2.1", "not optimal", "hard 1 2 0; soft 1 1; soft -1 1; soft 2 1; solve; obj; val 3"}}, 2},
		// Both need a second solve, but only one a change before it.
		{"repeat-differs,second=ignored-after-unsat", "ipamir", []failure{
			{"2.5", "claims no solution", "solve; solve"},
			{"2.6", "hard clause",
				"hard 1 0; assume -1; solve; hard 2 0; assume 2; solve; solve; model"}}, 2},
		// Neither needs anything special, and their mistakes differ.
		{"last-clause-dropped,second=negative-val-zero", "ipamir", []failure{
			{"2.6", "hard clause", "hard 1 0; solve; model"},
			{"5.2", "0 and a value", "hard -1 0; solve; val -1; model"}}, 2},
		{"stale-model,second=counts-false-softs", "ipamir", []failure{
			{"2.3", "model is not optimal", "soft -1 1; solve; model"},
			{"2.3", "objective is not the optimum", "soft 1 1; solve; obj"}}, 2},
		// A wrong value of an assumed variable says little, but a wrong status is no wrong value.
		{"unseen-flips,second=fresh-assumption-ignored", "ipasir", []failure{
			{"5.2", "0 and a value", "solve; val 1; model"},
			{"2.6", "assumption", "assume 1; solve; model"},
			{"2.4", "claims a solution", "assume -1; add 1 0; solve"}}, 2},
		{"unused-val-garbage", "ipasir", []failure{
			{"5.2", "value of an unseen variable", "solve; val 1"},
			{"2.6", "assumption", "assume -1; solve; model"}}, 1},
		// The last failure needs both defects, and a released solver instead of a second one.
		{"shared-assumptions,second=ignored-after-unsat", "ipamir", []failure{
			{"2.6", "assumption", "assume 1; @1 solve; solve; model"},
			{"2.3", "model is not optimal", "assume 1; release; init; soft 1 1; solve; model"},
			{"2.4", "claims a solution", "hard -1 0; assume 1; solve; hard 1 0; solve"},
			{"2.6", "no completion",
				"assume -1; release; init; assume 1; solve; hard 1 2 0; hard -2 0; solve; model"}}, 2},
		// The normal form of the first trace has no literal twice.
		{"duplicates-cancel,second=tautology-cancels", "ipasir", []failure{
			{"5.3", "not a core", "add 1 -1 0; add 2 0; assume -2; solve; core"},
			{"2.5", "claims no solution", "add 1 1 0; solve"}}, 2},
		// The search gives up later, or sooner, with large weights.
		{"unasked-interrupt", "ipamir", []failure{
			{"4.4", "gives up without reason",
				"hard 1 0; hard 2 3 0; hard 4 5 -3 0; hard 3 5 6 0; hard 4 -5 0; hard -4 6 0; solve"},
			{"4.4", "gives up without reason",
				"option maxsat model-improving; hard 1 0; hard 2 3 0; soft 1 669; soft 3 7; solve"}}, 1},
	})
}

// TestSharedAssumptions checks that the defect needs two instances: a list that cannot hold many assumptions would be
// another one.
func TestSharedAssumptions(t *testing.T) {
	var text strings.Builder
	text.WriteString("ipafuzz 1 ipasir\n")
	for v := range 200 {
		fmt.Fprintf(&text, "assume %d\n", v+1)
	}
	session := examine(t, "ref:defect=shared-assumptions", "ipasir")
	defer session.Close()
	var run trace.Run
	wrong, err := session.Run(t.Context(), testtrace.Parse(t, text.String()+"solve\nmodel\n"), &run)
	if err != nil || len(wrong) > 0 {
		t.Errorf("%v, %+v", err, wrong)
	}
}
