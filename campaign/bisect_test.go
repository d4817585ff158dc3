package campaign

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestBisectRunsAsOftenAsTheRateDemands checks that the minimal trace of a failure that
// depends on chance notes its rate, and that a bisection runs a good library often enough.
func TestBisectRunsAsOftenAsTheRateDemands(t *testing.T) {
	t.Parallel()
	var f *store.Finding
	for range 10 { // by chance, a trace may fail in all of its runs or in too few
		config := testConfig(t, buildChance(t, 3), "ipamir")
		config.Out, config.Workers, config.Traces = t.TempDir(), 1, 100
		found := runCampaign(t, context.Background(), config).Found
		i := slices.IndexFunc(found, func(f *store.Finding) bool { return f.Class == oracle.Abort && !f.Rate.Always() })
		if i >= 0 {
			f = found[i]
			break
		}
	}
	if f == nil {
		t.Fatal("no abort that depends on chance")
	}
	minimal, err := trace.Parse(strings.NewReader(read(t, f.Dir, "minimal.trace")), f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	key, err := trial.KeyIn(minimal)
	if err != nil || key != f.Key {
		t.Errorf("the trace is of %q, %v; want %q", key, err, f.Key)
	}
	good := testConfig(t, "ref", "ipamir")
	target := good.Cells[0].Target
	description, err := trial.Describe(target, good.Limits)
	if err != nil {
		t.Fatal(err)
	}
	sighting, err := trial.Shows(context.Background(), target, description, good.Limits, minimal, key)
	if err != nil {
		t.Fatal(err)
	}
	want := int(math.Ceil(math.Log(0.01) / math.Log(1-f.Rate.Share()))) // misses it with a probability of 1%
	if sighting.Seen || sighting.Runs != want || want < 2 {
		t.Errorf("seen: %v, in %d runs; want %d for one that failed in %s", sighting.Seen, sighting.Runs, want, f.Rate)
	}
}

// TestFixedFinding checks that the files and commands of a failure that always shows with
// fixed addresses say so.
func TestFixedFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a failing trace many times: some seconds")
	}
	t.Parallel()
	var f *store.Finding
	for range 10 { // by chance, a trace may fail in all of its first runs, so that nothing is fixed
		config := testConfig(t, buildChance(t, 3, "-DFIXED=1"), "ipamir")
		config.Out, config.Workers, config.Traces = t.TempDir(), 1, 100
		found := runCampaign(t, context.Background(), config).Found
		i := slices.IndexFunc(found, func(f *store.Finding) bool { return f.Class == oracle.Abort && f.Rate.Always() })
		if i >= 0 && found[i].Fixed != 0 {
			f = found[i]
			break
		}
	}
	if f == nil {
		t.Fatal("no abort that always shows in fixed surroundings")
	}
	for file, want := range map[string]string{
		"minimal.trace": "--fixed addresses\n",
		"finding.json":  " --fixed addresses --target ",
		"repro.c":       "# run it with: setarch -R",
	} {
		if text := read(t, f.Dir, file); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", file, want, text)
		}
	}
}

// TestRareFailureIsMadeRepeatable checks that a failure that hardly ever recurs becomes a finding if it always shows in
// fixed surroundings.
func TestRareFailureIsMadeRepeatable(t *testing.T) {
	t.Parallel()
	var f *store.Finding
	for range 10 { // by chance, a trace may fail often enough for a finding
		config := testConfig(t, buildChance(t, 500, "-DFIXED=2"), "ipamir")
		config.Workers, config.Traces = 1, 2000
		found := runCampaign(t, t.Context(), config, unreduced).Found
		if i := slices.IndexFunc(found, func(f *store.Finding) bool { return f.Fixed != 0 }); i >= 0 {
			f = found[i]
			break
		}
	}
	if f == nil {
		t.Fatal("nothing was made repeatable")
	}
	if f.Fixed&replay.FixedMemory == 0 || f.History != 0 || !f.Rate.Always() {
		t.Errorf("fixed %s, %d earlier traces, failed in %s runs", f.Fixed, f.History, f.Rate)
	}
}

// buildChance builds a library that aborts by chance, on average once in that many calls.
func buildChance(t *testing.T, odds int, flags ...string) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libchance.so")
	flags = append(flags, "-shared", "-fPIC", "-O1", fmt.Sprintf("-DCHANCE=%q", library+".calls"),
		fmt.Sprintf("-DODDS=%d", odds), "-o", library, "shrink/testdata/awkward.c")
	out, err := exec.Command("cc", flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return library
}
