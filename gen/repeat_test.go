package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestRepeats: clauses name literals three times, the traces are legal, the same
// for ever, and without repetitions when these are switched off.
func TestRepeats(t *testing.T) {
	for _, without := range [][]string{nil, {duplicateLiterals.String()}} {
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
			t.Errorf("without %v a literal stands in a clause %d times", without, most)
		}
	}
	const pinned = uint64(0xe0176cbeb7aa2adb)
	if got := fingerprint(newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: "repeats"}), 1000); got != pinned {
		t.Errorf("the first 1000 traces have the hash %#016x, pinned is %#016x", got, pinned)
	}
}
