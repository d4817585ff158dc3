package trial

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// slowRuns is the number of runs in all of which a target must be slow beside its rivals. Runs are compared
// by wall time, and any of them may have waited for a processor.
const slowRuns = 3

// Steady drops findings about targets that were slow by chance. It repeats the comparison while a target is
// slow beside its rivals, and keeps the finding if the target is slow each time. It keeps the runs of the
// first comparison. A run that used up its CPU time is slow on any machine.
func Steady(compared compare.Result, runs []*trace.Run, again func() (compare.Result, error)) (compare.Result, error) {
	inDoubt := func(target int, f *oracle.Finding) bool {
		return f.IsSlowBesideOthers() && runs[target].End != trace.OutOfCPU
	}
	for range slowRuns - 1 {
		any := false
		for target, findings := range compared.Findings {
			any = any || slices.ContainsFunc(findings, func(f oracle.Finding) bool { return inDoubt(target, &f) })
		}
		if !any {
			return compared, nil
		}
		more, err := again()
		if err != nil {
			return compared, err
		}
		for target, findings := range compared.Findings {
			var kept []oracle.Finding
			for _, f := range findings {
				if inDoubt(target, &f) && !slices.ContainsFunc(more.Findings[target], func(o oracle.Finding) bool {
					return o.IsSlowBesideOthers() && o.Call == f.Call
				}) {
					continue
				}
				kept = append(kept, f)
			}
			compared.Findings[target] = kept
		}
	}
	for target, findings := range compared.Findings {
		for i := range findings {
			if inDoubt(target, &findings[i]) {
				findings[i].Known += fmt.Sprintf("; slow in %d of %d runs", slowRuns, slowRuns)
			}
		}
	}
	return compared, nil
}
