package fault_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
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

// profiles returns those that IPAFUZZ_PROFILES lists.
func profiles() []string { return strings.Fields(cmp.Or(os.Getenv("IPAFUZZ_PROFILES"), "tiny")) }

// share says how many of all that is, and in per cent.
func share(n, all int) string {
	return fmt.Sprintf("%d of %d (%.1f %%)", n, all, 100*float64(n)/float64(max(all, 1)))
}

// TestOneDefect counts the faults of campaigns on libraries with one planted defect:
// ideally one. IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_SEEDS that many seeds,
// IPAFUZZ_PROFILES those profiles. It says why faults of one defect are apart, and how often
// failures of two libraries would be one fault.
func TestOneDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	runs, one, sum, apart := 0, 0, 0, make(tally)
	var causes, all time.Duration
	var samples []*sample
	for _, d := range ref.PropositionalDefects() {
		if d.Number%setting("IPAFUZZ_DEFECTS", 20) != 0 || limitedClass(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			for _, profile := range profiles() {
				for seed := range setting("IPAFUZZ_SEEDS", 1) {
					s := setup{d.Name, model, profile, testseed.Of(t, 1) + uint64(seed)}.run(t)
					samples = append(samples, s)
					causes, all = causes+s.Causes, all+s.Elapsed
					faults := fault.Group(s.findings)
					if len(faults) == 0 {
						continue
					}
					runs++
					sum += len(faults)
					if len(faults) == 1 {
						one++
						continue
					}
					t.Logf("%v: %d findings are %d faults", s.Setup, len(s.findings), len(faults))
					apart.count(faults)
					if os.Getenv("IPAFUZZ_SHOW") != "" {
						show(t, faults)
					}
				}
			}
		}
	}
	figure(t, "one defect: runs whose findings are one fault", share(one, runs))
	figure(t, "one defect: faults in a run", fmt.Sprintf("%.2f", float64(sum)/float64(max(runs, 1))))
	figure(t, "one defect: time for experiments", fmt.Sprintf("%.1f %%", 100*causes.Seconds()/max(all.Seconds(), 1)))
	across(t, samples)
	t.Logf("why pairs of faults are apart:%v", apart)
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
			found[i] = len(setup{name, "ipamir", "tiny", 1}.run(t).Kept) > 0
		}
		if !found[0] || !found[1] {
			continue
		}
		alone++
		s := setup{names[0] + ",second=" + names[1], "ipamir", "tiny", 1}.run(t)
		same, any := ownersOf(t, names, s.findings)
		var reported [2]bool
		merged := false
		for _, f := range fault.Group(s.findings) {
			owns := [2]bool{}
			for _, of := range f.Findings {
				for i := range owns {
					owns[i] = owns[i] || same[of][i] && !same[of][1-i]
					reported[i] = reported[i] || any[of][i]
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
			if os.Getenv("IPAFUZZ_SHOW") != "" {
				show(t, fault.Group(s.findings))
			}
		}
	}
	figure(t, "two defects: one is not reported, though it is alone", share(missed, alone))
	figure(t, "two defects: findings of both are one fault", share(wrong, triggered))
}

// ownersOf returns which of two defects alone makes the minimal trace of each finding fail
// in the same way, and which makes it fail in any way. A failure that needs both is nobody's
// but that of the defects that make its original trace fail with the same class.
func ownersOf(t *testing.T, names [2]string, findings []*store.Finding) (same, any map[*store.Finding][2]bool) {
	t.Helper()
	same, any = make(map[*store.Finding][2]bool), make(map[*store.Finding][2]bool)
	before := make(map[*store.Finding][2]bool)
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
			of, ofAny := same[f], any[f]
			ofAny[i] = len(wrong) > 0
			of[i] = slices.ContainsFunc(wrong, func(w oracle.Finding) bool {
				return w.Class == trial.UnmixedClass(f.Class, f.Detail) && strings.HasSuffix(f.Detail, w.Detail)
			})
			same[f], any[f] = of, ofAny
			if wrong, err = session.Run(context.Background(), f.Original, &run); err != nil {
				t.Fatal(err)
			}
			began := before[f]
			began[i] = slices.ContainsFunc(wrong, func(w oracle.Finding) bool {
				return w.Class == trial.UnmixedClass(f.Class, f.Detail)
			})
			before[f] = began
		}
		session.Close()
	}
	for f, of := range any {
		if of == [2]bool{} { // the reduction led to where only both together fail
			any[f] = before[f]
		}
	}
	return same, any
}
