package campaign

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
)

// proofBudget is far below what a campaign runs in 20 s.
const proofBudget = 3_000 // traces

// TestPlantedProofDefects checks that the profile proofs finds every defect that leaves all answers right
// and spoils a proof, and that reductions keep the defect.
func TestPlantedProofDefects(t *testing.T) {
	t.Parallel()
	for _, d := range ref.ProofDefects() {
		if testing.Short() && d.Number%8 != 0 {
			continue
		}
		var first *store.Finding
		config := testConfig(t, "ref:defect="+d.Name, d.Model)
		config.Cells[0].Generate = gen.Config{Profile: "proofs"}
		config.Traces, config.Findings = proofBudget, 1
		config.OnFinding = func(f *store.Finding) { first = f }
		runCampaign(t, t.Context(), config)
		if first == nil {
			t.Errorf("%s was not found in %d traces", d.Name, proofBudget)
			continue
		}
		if !strings.HasPrefix(string(first.Class), "6.") || first.Check != "proof" {
			t.Errorf("%s was found as %s by the check %s", d.Name, first.Class, first.Check)
		}
		if len(first.Minimal.Calls) > 30 {
			t.Errorf("%s: %d calls are left of the trace:\n%s", d.Name, len(first.Minimal.Calls), first.Minimal)
		}
		t.Logf("%s: %s %s after %d traces, %d calls", d.Name, first.Class, first.Detail, first.Number+1,
			len(first.Minimal.Calls))
	}
}

// TestProofsByDefault checks that a campaign with the default kind of traces asks for some proofs if the
// target provides them, and finds what is wrong with them.
func TestProofsByDefault(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		target, model string
		chosen        gen.Config
		want          bool
	}{
		{"ref:defect=proof-stale-query", "ipasir", gen.Config{}, true},
		{"ref:defect=proof-assumption-lost", "ipamir", gen.Config{}, true},
		{"ref:defect=proof-assumption-lost", "ipamir", gen.Config{Bounds: gen.Bounds{MaxVars: 12}}, true},
		{"ref:defect=proof-assumption-lost", "ipamir", gen.Config{Without: []string{"proofs"}}, false},
		{"ref:defect=proof-assumption-lost", "ipamir", gen.Config{Profile: "tiny"}, false},
	} {
		var first *store.Finding
		config := testConfig(t, row.target, row.model)
		config.Cells[0].Generate = row.chosen
		config.Traces, config.Findings = 500*source.ProofShare, 1
		config.OnFinding = func(f *store.Finding) { first = f }
		summary := runCampaign(t, t.Context(), config)
		checked := summary.Tally.Of("proof")
		if (first != nil) != row.want || (checked > 0) != row.want {
			t.Errorf("%s %+v: %d proofs were checked, and the first finding is %v", row.target, row.chosen, checked, first)
		}
		if first != nil && (first.Check != "proof" || first.Choice.Profile != source.ProofProfile) {
			t.Errorf("%s was found by the check %s in a trace of profile %q", row.target, first.Check, first.Choice.Profile)
		}
	}
}

// TestProofsOfTheBuiltInLibrary checks that nothing is wrong with these proofs.
func TestProofsOfTheBuiltInLibrary(t *testing.T) {
	t.Parallel()
	traces := uint64(proofBudget / 2)
	if testing.Short() {
		traces /= 20
	}
	for _, model := range []string{"ipasir", "ipamir"} {
		config := testConfig(t, "ref", model)
		config.Cells[0].Generate = gen.Config{Profile: "proofs"}
		config.Traces = traces
		config.OnFinding = func(f *store.Finding) { t.Errorf("%s: %s\n%s", f.Key, f.Observed, f.Minimal) }
		summary := runCampaign(t, t.Context(), config)
		if checked := summary.Tally.Of("proof"); checked < traces/2 {
			t.Errorf("%s: %d proofs were checked in %d traces", model, checked, traces)
		}
	}
}
