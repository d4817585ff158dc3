package fault_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

var limits = replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20}

func setting(name string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil || n < 1 {
		return usual
	}
	return n
}

// limitedClass reports whether failures of the class take their time to show.
func limitedClass(class string) bool { return class == "3.1" || class == "3.2" || class == "5.7" }

// fuzz runs a campaign on a library with planted defects. IPAFUZZ_TRACES is the number of
// traces, IPAFUZZ_PROFILE their profile.
func fuzz(t *testing.T, defects, model string, seed uint64) campaign.Summary {
	t.Helper()
	target, err := targets.Resolve("ref:defect="+defects, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	profile := gen.Config{Profile: cmp.Or(os.Getenv("IPAFUZZ_PROFILE"), "tiny")}
	c, err := campaign.New(campaign.Config{Cells: []source.Cell{{Target: target, Generate: profile}}, Seed: seed,
		Way: replay.Persistent, Workers: 2, Limits: limits, Traces: uint64(setting("IPAFUZZ_TRACES", 4000)),
		Others: true, Learn: true, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// TestOneDefect counts the faults of campaigns on libraries with one planted defect:
// ideally one. IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_SEEDS that many seeds.
func TestOneDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	runs, one, sum := 0, 0, 0
	var causes, all time.Duration
	for _, d := range ref.PropositionalDefects() {
		if d.Number%setting("IPAFUZZ_DEFECTS", 20) != 0 || limitedClass(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			for seed := range setting("IPAFUZZ_SEEDS", 1) {
				s := fuzz(t, d.Name, model, testseed.Of(t, 1)+uint64(seed))
				causes, all = causes+s.FollowUps.Causes, all+2*s.Elapsed // of two workers
				if len(s.Faults) == 0 {
					continue
				}
				runs++
				sum += len(s.Faults)
				if len(s.Faults) == 1 {
					one++
				} else {
					t.Logf("%s (%s): %d findings are %d faults:", d.Name, model, len(s.Found), len(s.Faults))
					for i := range s.Faults {
						f := &s.Faults[i]
						t.Logf("  %s: %d findings, possibly %v", f.Name, len(f.Findings), f.Possibly)
					}
				}
			}
		}
	}
	t.Logf("%d runs on libraries with one defect found it; %d have one fault; %.2f faults on average; "+
		"causes took %.1f %% of the time", runs, one, float64(sum)/float64(max(runs, 1)),
		100*causes.Seconds()/max(all.Seconds(), 1))
	if runs == 0 || 2*one < runs {
		t.Errorf("only %d of %d runs have one fault", one, runs)
	}
}

// TestTwoDefects runs campaigns on libraries with random pairs of planted defects, and on
// libraries with each of them. IPAFUZZ_PAIRS is the number of pairs.
func TestTwoDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	defects := slices.DeleteFunc(ref.PropositionalDefects(), func(d ref.Defect) bool {
		return limitedClass(d.Class) || d.Model != "both" && d.Model != "ipamir"
	})
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 9))
	alone, triggered, missed, wrong := 0, 0, 0, 0
	for range setting("IPAFUZZ_PAIRS", 2) {
		a, b := r.IntN(len(defects)), r.IntN(len(defects)-1)
		if b >= a {
			b++
		}
		names := [2]string{defects[a].Name, defects[b].Name}
		found := [2]bool{}
		for i, name := range names {
			found[i] = len(fuzz(t, name, "ipamir", 1).Found) > 0
		}
		if !found[0] || !found[1] {
			continue
		}
		alone++
		s := fuzz(t, names[0]+",second="+names[1], "ipamir", 1)
		shows := ownersOf(t, names, s.Found)
		var reported [2]bool
		merged := false
		for _, f := range s.Faults {
			owns := [2]bool{}
			for _, of := range f.Findings {
				owner := shows[of]
				for i := range owner {
					owns[i] = owns[i] || owner[i] && !owner[1-i]
					reported[i] = reported[i] || owner[i]
				}
			}
			merged = merged || owns[0] && owns[1]
		}
		if !reported[0] || !reported[1] {
			missed++
			t.Logf("of %s and %s one is not reported", names[0], names[1])
			continue
		}
		triggered++
		if merged {
			wrong++
			t.Logf("%s and %s are wrongly one fault", names[0], names[1])
		}
	}
	t.Logf("in %d pairs each defect alone is found; in %d of these one is not reported; %d of the other %d are wrongly "+
		"one fault", alone, missed, wrong, triggered)
}

// ownersOf returns which of two defects alone makes the minimal trace of each finding
// fail.
func ownersOf(t *testing.T, names [2]string, findings []*store.Finding) map[*store.Finding][2]bool {
	t.Helper()
	owners := make(map[*store.Finding][2]bool)
	for i, name := range names {
		target, err := targets.Resolve("ref:defect="+name, "ipamir", nil)
		if err != nil {
			t.Fatal(err)
		}
		description, err := trial.Describe(target, limits)
		if err != nil {
			t.Fatal(err)
		}
		session := trial.NewExamination(target, description, limits, false)
		for _, f := range findings {
			var run trace.Run
			wrong, err := session.Run(context.Background(), f.Minimal, &run)
			if err != nil {
				t.Fatal(err)
			}
			owner := owners[f]
			owner[i] = len(wrong) > 0
			owners[f] = owner
		}
		session.Close()
	}
	return owners
}
