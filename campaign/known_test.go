package campaign

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestKnownIsNotFoundAgain checks that a known fault is only counted, even if it takes some work to
// determine the key: for a leak, and for a failure that other instances cause.
func TestKnownIsNotFoundAgain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		spec  string
		class oracle.Class
	}{
		{"ref:defect=leak-per-release", oracle.Leak},
		{"ref:defect=shared-assumptions", oracle.InstancesMix},
	} {
		config := testConfig(t, row.spec, "ipamir")
		config.Traces = 3000
		known := make(map[oracle.Key][]*store.Finding)
		for _, f := range runCampaign(t, t.Context(), config, unreduced).Found {
			if f.Class == row.class {
				known[f.Key] = []*store.Finding{{Key: f.Key, Target: f.Target}}
			}
			if f.Class == oracle.Leak && f.Rate != (trial.Rate{Failed: 3, Runs: 3}) {
				t.Errorf("%s leaked in %s processes, want 3 of 3", f.Key, f.Rate)
			}
		}
		if len(known) == 0 {
			t.Errorf("%s: nothing of class %s was found", row.spec, row.class)
		}
		config.Known = known
		again := runCampaign(t, t.Context(), config, unreduced)
		for _, f := range again.Found {
			if known[f.Key] != nil {
				t.Errorf("%s is known, and found again", f.Key)
			}
		}
		for key := range known {
			if again.Known[key] == 0 {
				t.Errorf("%s is known and has no hits", key)
			}
		}
	}
}

// TestRareFaultsAreSeen checks that a fault that needs nothing special does not hide another one with the
// same symptoms in one trace of a thousand.
func TestRareFaultsAreSeen(t *testing.T) {
	t.Parallel()
	const rare = "repeated-soft + zero-weight"
	config := testConfig(t, "ref:defect=one-core-early,second=zero-weight-ignored", "ipamir")
	config.Traces, config.Others, config.Seed = 4000, true, 1
	for range 3 { // by chance, the rare fault may be the first with its key
		s := runCampaign(t, t.Context(), config)
		frequent := make(map[oracle.Key]uint64)
		for _, f := range s.Found {
			if f.Cause() == cause.Nothing {
				frequent[f.Key] = f.Hits
			}
		}
		isRare := func(f *store.Finding) bool { return f.Cause() == rare }
		if !slices.ContainsFunc(s.Found, isRare) {
			t.Fatalf("no failure needs %s: %+v", rare, s.Faults)
		}
		if slices.ContainsFunc(s.Found, func(f *store.Finding) bool {
			return isRare(f) && f.Variety != "" && frequent[f.Key] > 10*f.Hits
		}) {
			return
		}
	}
	t.Errorf("no failure that needs %s has a key that another fault often has", rare)
}

// TestNothingHides checks that failures with the key of a finding, or of a known fault, become findings if
// they lack its cause.
func TestNothingHides(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=tautology-cancels,second=duplicates-cancel", "ipamir")
	config.Traces, config.Others, config.Seed = 4000, true, 1
	config.Out = t.TempDir()
	has := func(s Summary, why cause.Cause) (beside, any bool) {
		for _, f := range s.Faults {
			for _, of := range f.Findings {
				any = any || of.Cause() == why
				beside = beside || of.Cause() == why && of.Variety != ""
			}
		}
		return beside, any
	}
	first := runCampaign(t, t.Context(), config)
	beside, _ := has(first, "tautology")
	other, _ := has(first, "repeated-literal")
	if !beside && !other {
		t.Errorf("no failure was examined: %+v", first.Faults)
	}
	for _, why := range []cause.Cause{"tautology", "repeated-literal"} {
		if _, found := has(first, why); !found {
			t.Errorf("no fault has the cause %q: %+v", why, first.Faults)
		}
	}
	dirs := make(map[string]bool)
	for _, f := range first.Found {
		if dirs[f.Dir] || f.Dir == "" {
			t.Errorf("%s is stored in %q, like another finding", f.Key, f.Dir)
		}
		dirs[f.Dir] = true
	}
	read, err := store.ReadStored(config.Out)
	if err != nil || len(read.Findings) != len(first.Found) {
		t.Errorf("%d findings, of which %d are stored, %v", len(first.Found), len(read.Findings), err)
	}
	again, err := fault.Read(read.Findings)
	if err != nil || len(again) != len(first.Faults) {
		t.Errorf("the directory has %d faults, the summary %d, %v", len(again), len(first.Faults), err)
	}
	for _, f := range again {
		for _, of := range f.Findings {
			if of.Fault != f.Name {
				t.Errorf("the record in %s names the fault %q, want %q", of.Dir, of.Fault, f.Name)
			}
		}
	}

	config.Known = make(map[oracle.Key][]*store.Finding)
	for _, f := range first.Found {
		if f.Cause() != "tautology" {
			config.Known[f.Key] = append(config.Known[f.Key], &store.Finding{Finding: f.Finding, Key: f.Key,
				Target: f.Target, Diagnosis: f.Diagnosis, Minimal: f.Minimal, Normal: f.Normal, Facts: store.Facts{Fault: "known"}})
		}
	}
	config.Out = ""
	second := runCampaign(t, t.Context(), config)
	if _, found := has(second, "tautology"); !found {
		t.Errorf("known faults hide another: %+v", second.Faults)
	}
	if config.KnownFaults(second.Known)["known"] == 0 {
		t.Errorf("the known fault has no hits: %v", second.Known)
	}
	if _, found := has(second, "repeated-literal"); found {
		t.Errorf("a known fault is found again: %+v", second.Faults)
	}
}
