package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

func testConfig(t testing.TB, spec, model string) Config {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Small formulas, since the tests count on many traces per second.
	return Config{Cells: []source.Cell{{Target: target, Generate: gen.Config{Profile: "tiny"}}}, Seed: testseed.Of(t, 1),
		Way: replay.Persistent, Workers: 1, Limits: testlineup.Limits}
}

// A tweak changes a campaign before it runs.
type tweak func(*Campaign)

// unreduced turns off reductions for tests that do not need them.
func unreduced(c *Campaign) { c.followUps.Reduction = dd.Budget{} }

// unsearched turns off the exhaustive search and the reference solver, so that only a
// comparison proves answers wrong.
func unsearched(c *Campaign) { c.lineup.Judging.MaxVars = -1 }

func newCampaign(t testing.TB, config Config, tweaks ...tweak) *Campaign {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range tweaks {
		change(c)
	}
	return c
}

func runCampaign(t testing.TB, ctx context.Context, config Config, tweaks ...tweak) Summary {
	t.Helper()
	summary, err := newCampaign(t, config, tweaks...).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

const defectBudget = 20_000 // traces

// A sighting tells how one defect showed on one side of the built-in library.
type sighting struct {
	defect ref.Defect
	model  string
	first  *store.Finding // nil: not found within the budget
	proper *store.Finding // the first of the class that the defect's table names
}

// TestPlantedDefects fuzzes every planted defect and prints the findings. A defect without
// a finding fails the test, but is still in the table.
func TestPlantedDefects(t *testing.T) {
	t.Parallel()
	defects := ref.Defects()
	if len(defects) < 40 {
		t.Fatalf("%d planted defects, want at least 40", len(defects))
	}
	var sightings []sighting
	for _, d := range defects {
		if testing.Short() && d.Number%32 != 0 || strings.Contains(d.Doc, "--threads") { // TestThreadedDefects
			continue
		}
		for _, m := range apimodel.Libraries() {
			if d.Model != m.Name && (d.Model != "both" || m.Quantified()) {
				continue
			}
			if m == apimodel.IPASIR2 && d.Name == "shared-assumptions" {
				continue // the assumptions are arguments of ipasir2_solve, so no call can come between
			}
			if m == apimodel.IPASIR2 && d.Name == "unseen-flips" {
				continue // its options come from the library's table, which has no policies
			}
			s := hunt(t, d, m.Name)
			if s.first == nil {
				t.Errorf("defect %d (%s) was not found in %d traces of %s", d.Number, d.Name, defectBudget, m.Name)
			}
			sightings = append(sightings, s)
		}
	}
	t.Logf("planted defects, budget %d traces each:\n%s", defectBudget, sightingsTable(sightings))
}

// hunt runs a campaign until the defect has shown as the class that its table names, or as four other
// classes, or until the budget is spent.
func hunt(t *testing.T, d ref.Defect, model string) sighting {
	t.Helper()
	s := sighting{defect: d, model: model}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	config := testConfig(t, fmt.Sprintf("ref:defect=%d", d.Number), model)
	config.Traces = defectBudget
	config.Findings = 5
	for i := range config.Cells {
		config.Cells[i].Generate.FailAllocations = d.Class == string(oracle.FailedAllocation)
	}
	config.OnFinding = func(f *store.Finding) {
		if s.first == nil {
			s.first = f
		}
		if s.proper == nil && string(f.Class) == d.Class {
			s.proper = f
			stop()
		}
	}
	for _, u := range runCampaign(t, ctx, config).Unconfirmed {
		t.Logf("defect %d (%s), %s: seen but not confirmed: %s, trace %d", d.Number, d.Name, model, u.Key, u.Number)
	}
	return s
}

func sightingsTable(sightings []sighting) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEFECT\tNAME\tMODEL\tTRACES\tSECONDS\tCLASS\tEXPECTED\tTRACES TO IT\tCALLS\tWHAT WAS SEEN")
	for _, s := range sightings {
		traces, seconds, class, what, calls, proper := "not found", "", "-", "", "", "-"
		if s.first != nil {
			traces, class, what, calls = fmt.Sprint(s.first.After), string(s.first.Class), s.first.Detail,
				fmt.Sprint(len(s.first.Minimal.Calls))
			seconds = fmt.Sprintf("%.2f", s.first.Elapsed.Seconds())
		}
		if s.proper != nil {
			proper = fmt.Sprint(s.proper.After)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.defect.Number, s.defect.Name, s.model,
			traces, seconds, class, s.defect.Class, proper, calls, what)
	}
	table.Flush()
	return text.String()
}

// TestHealthyLibrary checks that the library without a defect gives no finding. A false
// alarm is the worst fault of a fuzzer.
func TestHealthyLibrary(t *testing.T) {
	t.Parallel()
	traces := uint64(200_000)
	if testing.Short() {
		traces = 10_000
	}
	for _, m := range apimodel.Models() {
		config := testConfig(t, "ref", m.Name)
		config.Traces = traces
		config.Limits = replay.DefaultLimits
		summary := runCampaign(t, context.Background(), config)
		for _, f := range summary.Found {
			t.Errorf("%s: %s\nobserved %s, expected %s\n%s", m.Name, f.Key, f.Observed, f.Expected, f.Minimal)
		}
		for _, u := range summary.Unconfirmed {
			t.Errorf("%s: seen but not confirmed: %s, trace %d", m.Name, u.Key, u.Number)
		}
		if summary.Traces != traces {
			t.Errorf("%s: %d traces were judged, want %d", m.Name, summary.Traces, traces)
		}
		if summary.Tally.Unchecked.Answers() > 0 {
			t.Errorf("%s: %d answers to solve were not decided", m.Name, summary.Tally.Unchecked.Answers())
		}
		t.Logf("%s: %d traces, %d solves, decided by %v", m.Name, summary.Traces, summary.Solves, summary.Tally.Checks)
	}
}

// TestSameSeedSameFindings checks that the seed determines the findings of a campaign, for
// any number of workers.
func TestSameSeedSameFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	t.Parallel()
	keys := func(workers int) []oracle.Key {
		config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
		config.Workers, config.Traces = workers, 2000
		var keys []oracle.Key
		for _, f := range runCampaign(t, context.Background(), config).Found {
			keys = append(keys, f.Key)
		}
		slices.SortFunc(keys, oracle.Key.Compare)
		return keys
	}
	one := keys(1)
	if len(one) < 3 {
		t.Fatalf("only %d findings: %v", len(one), one)
	}
	if again := keys(1); !slices.Equal(one, again) {
		t.Errorf("a second run found\n%v\nnot\n%v", again, one)
	}
	if three := keys(3); !slices.Equal(one, three) {
		t.Errorf("three workers found\n%v\nnot\n%v", three, one)
	}
}
