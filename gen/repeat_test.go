package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestRepeats: the profile repeats makes legal traces with clauses that have a literal three times, or none twice if
// that feature is switched off.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, without := range [][]string{nil, {feature.DuplicateLiterals.String()}} {
		g := newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: "repeats", Without: without})
		most := 0
		forEach(t, g, 2000, func(tr *trace.Trace) error {
			for i := range tr.Calls {
				if tr.Calls[i].Op != apimodel.OpClause {
					continue
				}
				times := make(map[int32]int)
				for _, lit := range tr.Args(&tr.Calls[i]) {
					times[lit]++
					most = max(most, times[lit])
				}
			}
			return trace.Check(tr)
		})
		if without == nil && most < 3 || without != nil && most > 1 {
			t.Errorf("without %v a clause has a literal %d times", without, most)
		}
	}
}
