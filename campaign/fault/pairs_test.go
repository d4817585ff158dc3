package fault_test

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestDefectsApart groups minimal traces of libraries with two defects, one of each, and of a library with one. Those
// with two were measured as one fault before.
func TestDefectsApart(t *testing.T) {
	type failure struct {
		class         oracle.Class
		detail, calls string
	}
	for _, row := range []struct {
		defects, model string
		failures       [2]failure
		want           int
	}{
		// The root of a missed solution was a trace whose core is wrong.
		{"failed-none,second=dirty-interrupt", "ipasir", [2]failure{
			{"5.3", "not a core", "add 1 0; assume -1; solve; core"},
			{"2.5", "claims no solution", "terminate 1; assume 1; solve; terminate 0; assume -1; solve"}}, 2},
		{"failed-stale,second=assumption-level-unit", "ipasir", [2]failure{
			{"5.3", "not a core", "add -1 0; assume 1; solve; failed 1"},
			{"2.5", "claims no solution", "add 1 2 -3 0; add 1 -2 0; assume 3; solve; assume -1; solve"}}, 2},
		{"assumption-level-unit", "ipasir", [2]failure{
			{"5.3", "not a core", "add 1 2 3 0; add 2 -3 0; assume -1; assume -2; solve; core"},
			{"2.5", "claims no solution", "add 1 2 -3 0; add 1 -2 0; assume 3; solve; assume -1; solve"}}, 1},
		// Both need a clause after a solve.
		{"last-clause-dropped,second=repeat-differs", "ipamir", [2]failure{
			{"2.3", "objective is not the cost of the model", "soft -1 1; solve; hard 1 0; solve; val 2; obj"},
			{"2.1", "not optimal", "soft 1 1; solve; hard -2 0; solve; obj; model"}}, 2},
		// All questions show the wrong objective, too.
		{"counts-false-softs,second=assumption-level-unit", "ipamir", [2]failure{
			{"2.3", "objective is not the optimum", "soft 1 1; solve; obj"},
			{"2.3", "model is not optimal",
				"hard 1 2 0; hard -1 2 0; hard -2 3 4 0; hard -2 -3 0; soft 4 1; soft -5 1; solve; model"}}, 2},
		// The reduction to the root made a clause of the assumption.
		{"last-clause-dropped,second=unused-val-garbage", "ipamir", [2]failure{
			{"5.4", "status", "hard 1 0; hard 1 0; assume -1; solve; assume -1; solve"},
			{"2.6", "assumption", "assume -1; solve; model"}}, 2},
	} {
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
		if faults := fault.Group(of.findings); len(faults) != row.want {
			t.Errorf("%s: %d faults, want %d", row.defects, len(faults), row.want)
			show(t, faults)
		}
	}
}
