package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestBisectRunsAsOftenAsTheRateDemands: the minimal trace of a finding that fails
// by chance says how often, and a good library is acquitted after that many runs.
func TestBisectRunsAsOftenAsTheRateDemands(t *testing.T) {
	config := testConfig(t, buildAwkward(t, "CHANCE", "-DODDS=3"), "ipamir")
	config.Out, config.Workers, config.Traces = t.TempDir(), 1, 100
	found := runCampaign(t, context.Background(), config).Found
	i := slices.IndexFunc(found, func(f *Found) bool { return f.Class == oracle.Abort && !f.Rate.Always() })
	if i < 0 {
		t.Fatalf("no abort that depends on chance among %d findings", len(found))
	}
	f := found[i]
	minimal, err := trace.Parse(strings.NewReader(read(t, f.Dir, "minimal.trace")), f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	key, err := KeyIn(minimal)
	if err != nil || key != f.Key {
		t.Errorf("the trace is of %q, %v; want %q", key, err, f.Key)
	}
	good := minimizerFor(t, "ref", "ipamir")
	sighting, err := Shows(context.Background(), good.Target, good.Description, good.Limits, minimal, key)
	if err != nil {
		t.Fatal(err)
	}
	if want := runsFor(f.Rate); sighting.Seen || sighting.Runs != want || want < 2 {
		t.Errorf("seen: %v, in %d runs; want %d for one that failed in %s", sighting.Seen, sighting.Runs, want, f.Rate)
	}
}
