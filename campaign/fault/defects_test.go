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

// limitedClass reports whether a failure of the class takes long to show.
func limitedClass(class string) bool { return class == "3.1" || class == "3.2" || class == "5.7" }

// profiles returns the profiles that IPAFUZZ_PROFILES lists.
func profiles() []string { return strings.Fields(cmp.Or(os.Getenv("IPAFUZZ_PROFILES"), "tiny")) }

// share returns n of all as text, with percent.
func share(n, all int) string {
	return fmt.Sprintf("%d of %d (%.1f %%)", n, all, 100*float64(n)/float64(max(all, 1)))
}

// TestOneDefect counts the faults of campaigns on libraries with one planted defect; ideally there is one.
// It prints why faults of one defect are apart, and how often failures of two libraries would be one fault.
// IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_PROFILES other profiles than tiny.
func TestOneDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	for _, profile := range profiles() {
		u := unit{Profile: profile, Seed: testseed.Of(t, 1)}
		u.oneDefect(t, setting("IPAFUZZ_DEFECTS", 20))
		t.Logf("runs whose findings are one fault: %s, faults in a run: %.2f, time for experiments: %.1f %%",
			share(u.One, u.Runs), u.mean(), 100*u.Experiments/u.Seconds)
		if u.Runs == 0 || 2*u.One < u.Runs {
			t.Errorf("only %d of %d runs have one fault", u.One, u.Runs)
		}
	}
}

// oneDefect runs a campaign on a library with every n-th defect.
func (u *unit) oneDefect(t *testing.T, n int) {
	t.Helper()
	apart := make(tally)
	var samples []*sample
	for _, d := range ref.PropositionalDefects() {
		if d.Number%n != 0 || limitedClass(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			s := setup{d.Name, model, u.Profile, u.Seed}.run(t)
			samples = append(samples, s)
			u.Experiments += s.Causes.Seconds()
			u.Seconds += s.Elapsed.Seconds()
			faults := fault.Group(s.findings)
			switch u.Faults += len(faults); len(faults) {
			case 0:
				continue
			case 1:
				u.One++
			default:
				t.Logf("%v: %d findings are %d faults", s.Setup, len(s.findings), len(faults))
				apart.count(faults)
				if os.Getenv("IPAFUZZ_SHOW") != "" {
					show(t, faults)
				}
			}
			u.Runs++
		}
	}
	across(t, samples)
	t.Logf("why pairs of faults are apart:%v", apart)
}

// TestTwoDefects runs campaigns on libraries with random pairs of planted defects and on libraries with
// each of the two. IPAFUZZ_PAIRS is the number of pairs.
func TestTwoDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	u := unit{Profile: "tiny", Seed: testseed.Of(t, 1)}
	u.twoDefects(t, setting("IPAFUZZ_PAIRS", 2))
	t.Logf("findings of both are one fault: %s, one is not reported, though it is alone: %s", share(u.Merged, u.Both),
		share(u.Alone-u.Both, u.Alone))
}

// twoDefects runs campaigns on libraries with random pairs of defects and on libraries with each of the
// two.
func (u *unit) twoDefects(t *testing.T, pairs int) {
	t.Helper()
	defects := slices.DeleteFunc(ref.PropositionalDefects(), func(d ref.Defect) bool {
		return limitedClass(d.Class) || d.Model != "both" && d.Model != "ipamir"
	})
	r := rand.New(rand.NewPCG(u.Seed, 9))
	for range pairs {
		a, b := r.IntN(len(defects)), r.IntN(len(defects)-1)
		if b >= a {
			b++
		}
		names := [2]string{defects[a].Name, defects[b].Name}
		found := [2]bool{}
		for i, name := range names {
			found[i] = len(setup{name, "ipamir", u.Profile, u.Seed}.run(t).Kept) > 0
		}
		if !found[0] || !found[1] {
			continue
		}
		u.Alone++
		s := setup{names[0] + ",second=" + names[1], "ipamir", u.Profile, u.Seed}.run(t)
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
			t.Logf("of %s and %s one is not reported", names[0], names[1])
			continue
		}
		u.Both++
		if merged {
			u.Merged++
			t.Logf("%s and %s are wrongly one fault", names[0], names[1])
			if os.Getenv("IPAFUZZ_SHOW") != "" {
				show(t, fault.Group(s.findings))
			}
		}
	}
}

// ownersOf returns which of two defects alone makes the minimal trace of each finding fail in the same way,
// and which makes it fail in any way. A failure that needs both defects belongs to those that make its
// original trace fail with the same class.
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
		if of == [2]bool{} { // only both defects together make the minimal trace fail
			any[f] = before[f]
		}
	}
	return same, any
}
