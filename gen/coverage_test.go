package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestMixedReachesEverything: every legal transition of both models is in
// 10,000 traces of mixed for a target that has every capability.
func TestMixedReachesEverything(t *testing.T) {
	for _, m := range apimodel.Models() {
		g := newGenerator(t, Config{Model: m, Description: describe(t, richDescription), Profile: mixedName})
		coverage := NewCoverage(m)
		var tr trace.Trace
		for number := range uint64(10_000) {
			g.Generate(Seed(1, 0, number), &tr)
			if err := coverage.Add(&tr); err != nil {
				t.Fatal(err)
			}
		}
		if missing := coverage.Missing(); len(missing) > 0 {
			t.Errorf("%s: not reached: %q", m.Name, missing)
		}
		t.Logf("%s: %v, missing extremes %q", m.Name, coverage.Row(), coverage.MissingExtremes())
	}
}
