package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// comparedConfig is a campaign of several targets. It does not search exhaustively, so that the comparison
// has to prove what the search would prove.
func comparedConfig(t *testing.T, model string, specs ...string) Config {
	t.Helper()
	config := testConfig(t, specs[0], model)
	for _, spec := range specs[1:] {
		target, err := targets.Resolve(spec, model, nil)
		if err != nil {
			t.Fatal(err)
		}
		config.Against = append(config.Against, target)
	}
	return config
}

// TestHealthyLibrariesAgree checks that comparing right answers makes no finding and no
// disagreement.
func TestHealthyLibrariesAgree(t *testing.T) {
	t.Parallel()
	traces := uint64(20_000)
	if testing.Short() {
		traces = 2000
	}
	for _, m := range apimodel.Models() {
		config := comparedConfig(t, m.Name, "ref", "ref:defect=none", "ref:defect=0")
		config.Traces, config.Limits = traces, replay.DefaultLimits
		summary := runCampaign(t, context.Background(), config, unsearched, unreduced)
		for _, f := range summary.Found {
			t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
		}
		for _, u := range summary.Unconfirmed {
			t.Errorf("seen but not confirmed: %s", u.Key)
		}
		if summary.Disputed > 0 {
			t.Errorf("%d disagreements: %+v", summary.Disputed, summary.Disagreements)
		}
		if summary.Traces != traces {
			t.Errorf("%d traces, want %d", summary.Traces, traces)
		}
		if summary.Agreed != summary.Compared || summary.Compared < traces/2 || summary.Compared > summary.Solves {
			t.Errorf("%d of %d compared solves agree; there were %d", summary.Agreed, summary.Compared, summary.Solves)
		}
	}
}

// TestComparedDefects checks that defects with wrong answers are found in the target that
// has them and in no other, beside one healthy library and beside two.
func TestComparedDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: 5 s")
	}
	t.Parallel()
	compared := 0
	for _, d := range ref.Defects() {
		if d.Class[0] != '2' {
			continue
		}
		for _, m := range apimodel.Models() {
			if d.Model != "both" && d.Model != m.Name {
				continue
			}
			faulty := fmt.Sprintf("ref:defect=%d", d.Number)
			for _, specs := range [][]string{{"ref", faulty}, {faulty, "ref", "ref:defect=none"}} {
				config := comparedConfig(t, m.Name, specs...)
				config.Traces, config.Findings = 1500, 6
				summary := runCampaign(t, context.Background(), config, unsearched, unreduced)
				for _, f := range summary.Found {
					if f.Target != faulty {
						t.Errorf("%s: a finding in a healthy target: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed,
							f.Expected, f.Known, f.Minimal)
					}
					if f.Check == "targets" {
						compared++
						if f.Voted {
							t.Logf("%s beside %v: voted, %s", f.Key, specs, f.Known)
						}
					}
				}
				if len(summary.Found) == 0 {
					t.Logf("defect %d (%s), %s, %v: not found in %d traces; %d disagreements", d.Number, d.Name, m.Name, specs,
						summary.Traces, summary.Disputed)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("no finding came from the comparison")
	}
	t.Logf("%d findings came from the comparison", compared)
}

// TestDisagreementsAreKept checks that a disagreement without a proof is not a finding but is
// kept.
func TestDisagreementsAreKept(t *testing.T) {
	t.Parallel()
	mute := buildLibrary(t, "mute.c")
	config := comparedConfig(t, "ipasir", "ref", mute)
	config.Traces = 300
	config.Cells[0].Generate.Without = []string{"contradictory-assumptions", "empty-clause"} // which prove themselves
	config.Out = t.TempDir()
	summary := runCampaign(t, context.Background(), config, unsearched, unreduced)
	for _, f := range summary.Found {
		if f.Target == "ref" || f.Class == oracle.ClaimsSolution {
			t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
		}
	}
	if summary.Disputed == 0 || len(summary.Disagreements) == 0 {
		t.Fatal("no disagreement was kept")
	}
	d := summary.Disagreements[0]
	text, err := os.ReadFile(d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# targets disagree about the status of the solve in call ", "ref: status 20",
		filepath.Base(mute) + ": status 10", "\nmodel\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the kept trace must say %q:\n%s", want, text)
		}
	}

	// Two targets that agree outvote it, and the finding says that nothing proves it.
	config = comparedConfig(t, "ipasir", "ref", mute, "ref:defect=none")
	config.Traces = 300
	config.Cells[0].Generate.Without = []string{"contradictory-assumptions", "empty-clause"}
	voted := 0
	for _, f := range runCampaign(t, context.Background(), config, unsearched).Found {
		if f.Voted {
			voted++
			if f.Target != mute || f.Class != oracle.ClaimsSolution || !strings.Contains(f.Known, "2 of 3 targets; not proven") {
				t.Errorf("voted: %s, known by %s", f.Key, f.Known)
			}
		}
	}
	if voted == 0 {
		t.Error("no target was outvoted")
	}
}

func TestWrongComparisons(t *testing.T) {
	for _, row := range []struct {
		model string
		specs []string
		want  string
	}{
		{"ipasir", []string{"ref", "ref"}, "named twice"},
	} {
		if _, err := New(comparedConfig(t, row.model, row.specs...)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: %v, want %q", row.specs, err, row.want)
		}
	}
	config := comparedConfig(t, "ipasir", "ref")
	config.Against = comparedConfig(t, "ipamir", "ref:defect=none").Against
	config.Against = append(config.Against, comparedConfig(t, "ipamir", "ref:defect=none").Cells[0].Target)
	if _, err := New(config); err == nil || !strings.Contains(err.Error(), "choose one with --model") {
		t.Errorf("targets of two models: %v", err)
	}
}
