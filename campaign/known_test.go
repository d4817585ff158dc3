package campaign

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
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
		known := make(map[oracle.Key][]*store.KnownFault)
		for _, f := range runCampaign(t, t.Context(), config, unreduced).Found {
			if f.Class == row.class {
				known[f.Key] = []*store.KnownFault{{Key: f.Key, Target: f.Target}}
			}
			if f.Class == oracle.Leak && f.Rate != (trial.Rate{Failed: sureRuns, Runs: sureRuns}) {
				t.Errorf("%s leaked in %s processes, want %d", f.Key, f.Rate, sureRuns)
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
	s := runCampaign(t, t.Context(), config)
	frequent := make(map[oracle.Key]uint64)
	for _, f := range s.Found {
		if f.Cause() == cause.Nothing {
			frequent[f.Key] = f.Hits
		}
	}
	if !slices.ContainsFunc(s.Found, func(f *store.Finding) bool {
		return f.Cause() == rare && f.Variety != "" && frequent[f.Key] > 10*f.Hits
	}) {
		t.Errorf("no failure that needs %s has a key that another fault often has: %+v", rare, s.Faults)
	}
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

	config.Known = make(map[oracle.Key][]*store.KnownFault)
	for _, f := range first.Found {
		if f.Cause() != "tautology" {
			config.Known[f.Key] = append(config.Known[f.Key], &store.KnownFault{Key: f.Key, Target: f.Target,
				Cause: f.Cause(), Minimal: f.Minimal, Normal: f.Normal, Fault: "known"})
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

// TestExplainedUpToFailure checks that calls after a failure do not hide its known cause.
func TestExplainedUpToFailure(t *testing.T) {
	one, err := trace.ParseString("ipafuzz 1 ipamir\nhard 1 0\nhard 3 0\nsolve\nmodel\nsoft 2 1\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	known := []cause.Known{{Cause: "variable-gap"}}
	if cause.Explain(known, one) {
		t.Fatal("the calls after the failure hide nothing")
	}
	for call, want := range map[int]bool{0: false, 3: true, len(one.Calls) - 1: false, len(one.Calls): false} {
		found := &store.Finding{Finding: oracle.Finding{Call: call}, Minimal: one}
		if got := explainedUpToFailure(known, found); got != want {
			t.Errorf("a failure in call %d: explained %t, want %t", call, got, want)
		}
	}
}

// TestExamineTakesCausesOut checks that a trace with the cause of a known finding is examined without that
// cause: it may fail for another one.
func TestExamineTakesCausesOut(t *testing.T) {
	t.Parallel()
	for calls, want := range map[string]cause.Cause{
		"hard 1 -1 0\nhard 2 2 0\nsolve\n": "tautology",
		"hard 3 1 0\nhard 2 2 0\nsolve\n":  "", // nothing else is wrong
	} {
		config := testConfig(t, "ref:defect=tautology-cancels,second=duplicates-cancel", "ipamir")
		config.Others = true
		c := newCampaign(t, config)
		f := c.newFollower(0)
		f.job = new(pace.Job)
		one, err := trace.ParseString("ipafuzz 1 ipamir\n" + calls)
		if err != nil {
			t.Fatal(err)
		}
		found := &store.Finding{Finding: oracle.Finding{Class: oracle.ClaimsNoSolution, Detail: "claims no solution"},
			Target: config.Cells[0].Target.Name, Original: one, Minimal: one}
		found.Key = found.Finding.Key(found.Target)
		first := *found
		first.Diagnosis = &cause.Diagnosis{Cause: "repeated-literal"}
		if err := c.registry.Add(&first); err != nil {
			t.Fatal(err)
		}
		verdict, err := f.examine(t.Context(), found, []cause.Known{{Cause: "repeated-literal"}}, true)
		f.group.Close()
		added := verdict == registry.AnotherFault
		if err != nil || added != (want != "") || found.Cause() != want || added && found.MetIn != found.Key {
			t.Errorf("%q: added %v with the cause %q, %v; want %q", calls, added, found.Cause(), err, want)
		}
	}
}

// TestExamineUproots checks that a trace in which the minimal trace of a finding that needs nothing special occurs is
// examined without it.
func TestExamineUproots(t *testing.T) {
	t.Parallel()
	const core, zero = "hard 3 4 0\nsoft 3 1\nsoft 4 1\n", "hard 1 0\nsoft 1 1\nsoft 1 0\n"
	for calls, want := range map[string]cause.Cause{core: "", core + zero: "repeated-soft + zero-weight"} {
		config := testConfig(t, "ref:defect=one-core-early,second=zero-weight-ignored", "ipamir")
		config.Others = true
		c := newCampaign(t, config)
		f := c.newFollower(0)
		f.job = new(pace.Job)
		parse := func(calls string) *trace.Trace {
			one, err := trace.ParseString("ipafuzz 1 ipamir\n" + calls + "solve\nobj\n")
			if err != nil {
				t.Fatal(err)
			}
			return one
		}
		first := &store.Finding{Finding: oracle.Finding{Class: oracle.OneValueDiffers, Detail: oracle.ObjectiveNotOptimal},
			Target: config.Cells[0].Target.Name, Original: parse(core), Minimal: parse(core),
			Diagnosis: &cause.Diagnosis{Cause: cause.Nothing}}
		first.Key = first.Finding.Key(first.Target)
		if err := c.registry.Add(first); err != nil {
			t.Fatal(err)
		}
		found := *first
		found.Original, found.Minimal, found.Diagnosis = parse(calls), parse(calls), nil
		verdict, err := f.examine(t.Context(), &found, []cause.Known{{Cause: cause.Nothing, Minimal: first.Minimal}}, true)
		f.group.Close()
		added := verdict == registry.AnotherFault
		if err != nil || added != (want != "") || found.Cause() != want {
			t.Errorf("%q: added %v with the cause %q, %v; want %q\n%s", calls, added, found.Cause(), err, want, found.Minimal)
		}
	}
}
