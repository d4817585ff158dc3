package trial

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// slowRuns: what is too slow beside others must be so in each of so many runs.
// Wall time is compared, and any of it may have been spent waiting for a
// processor.
const slowRuns = 3

// Steady drops from a comparison the targets that were slow by chance: it
// compares again when there are any, and keeps those that are slow each time.
// The runs are those of the comparison; one that used up its CPU time was slow on
// any machine.
func Steady(compared compare.Result, runs []*trace.Run, again func() (compare.Result, error)) (compare.Result, error) {
	inDoubt := func(who int, f *oracle.Finding) bool {
		return f.IsSlowBesideOthers() && runs[who].End != trace.OutOfCPU
	}
	for range slowRuns - 1 {
		any := false
		for who, findings := range compared.Findings {
			any = any || slices.ContainsFunc(findings, func(f oracle.Finding) bool { return inDoubt(who, &f) })
		}
		if !any {
			return compared, nil
		}
		more, err := again()
		if err != nil {
			return compared, err
		}
		for who, findings := range compared.Findings {
			var kept []oracle.Finding
			for _, f := range findings {
				if inDoubt(who, &f) && !slices.ContainsFunc(more.Findings[who], func(o oracle.Finding) bool {
					return o.IsSlowBesideOthers() && o.Call == f.Call
				}) {
					continue
				}
				kept = append(kept, f)
			}
			compared.Findings[who] = kept
		}
	}
	for who, findings := range compared.Findings {
		for i := range findings {
			if inDoubt(who, &findings[i]) {
				findings[i].Known += fmt.Sprintf("; it is so in %d of %d runs", slowRuns, slowRuns)
			}
		}
	}
	return compared, nil
}
