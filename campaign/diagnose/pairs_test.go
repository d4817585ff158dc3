package diagnose

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestPairs groups the failures of libraries with two defects. IPAFUZZ_PAIRS is the number of random pairs,
// IPAFUZZ_TRACES the number of different keys of each.
func TestPairs(t *testing.T) {
	pairs := setting("IPAFUZZ_PAIRS", 3)
	if testing.Short() {
		t.Skip("reduces many failures of libraries with two defects")
	}
	slow := []string{string(oracle.TooSlow), string(oracle.TooMuchMemory)}
	defects := slices.DeleteFunc(ref.PropositionalDefects(), func(d ref.Defect) bool {
		return isLeak(d.Class) || slices.Contains(slow, d.Class) || d.Model != "both" && d.Model != "ipamir"
	})
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 7))
	triggered, wrong, lost, excess := 0, 0, 0, 0
	for range pairs {
		a, b := r.IntN(len(defects)), r.IntN(len(defects)-1)
		if b >= a {
			b++
		}
		first, second := defects[a].Name, defects[b].Name
		both := newCollector(t, "ipamir", first+",second="+second)
		alone := []*collector{newCollector(t, "ipamir", first), newCollector(t, "ipamir", second)}
		var failures []*cause.Failure
		var owners []int // bit 0: the first defect alone shows the failure; bit 1: the second does
		for _, s := range both.collect(setting("IPAFUZZ_TRACES", 6)) {
			failures = append(failures, s.failure(t))
			owner := 0
			for i, c := range alone {
				if c.fails(testtrace.Parse(t, s.Normal)) {
					owner |= 1 << i
				}
			}
			owners = append(owners, owner)
		}
		for _, c := range append(alone, both) {
			c.session.Close()
		}
		if !slices.Contains(owners, 1) || !slices.Contains(owners, 2) {
			continue
		}
		triggered++
		faults := cause.Group(failures)
		excess += len(faults) - 2
		merged := false
		for _, f := range faults {
			owns := func(owner int) bool {
				return slices.ContainsFunc(f.Failures, func(i int) bool { return owners[i] == owner })
			}
			merged = merged || owns(1) && owns(2)
		}
		if merged {
			wrong++
			t.Logf("%s and %s are wrongly one fault", first, second)
		}
		lost += len(owners) - len(slices.DeleteFunc(owners, func(o int) bool { return o == 0 || o == 3 }))
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			t.Logf("%s and %s: %d findings are %d faults", first, second, len(failures), len(faults))
		}
	}
	t.Logf("both defects showed in %d of %d pairs; in %d they were wrongly one fault; %.1f faults too many on average; "+
		"%d findings need both or show with either", triggered, pairs, wrong,
		float64(excess)/float64(max(triggered, 1)), lost)
}

// fails reports whether anything is wrong with a run of the trace.
func (c *collector) fails(one *trace.Trace) bool {
	c.Helper()
	var run trace.Run
	findings, err := c.session.Run(context.Background(), one, &run)
	if err != nil {
		c.Fatal(err)
	}
	return len(findings) > 0
}
