package measure

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestMixedReachesEverything: 10,000 traces of mixed, for a target with every capability, reach every legal transition
// of each standard interface and of formula files.
func TestMixedReachesEverything(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../testdata/options.target")
	if err != nil {
		t.Fatal(err)
	}
	d, err := apimodel.ParseDescription(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(apimodel.Models(), apimodel.WCNF) {
		g, err := gen.New(gen.Config{Model: m, Description: d})
		if err != nil {
			t.Fatal(err)
		}
		coverage := NewCoverage(m)
		var tr trace.Trace
		for number := range uint64(10_000) {
			g.Generate(draw.Seed(1, 0, number), &tr)
			if err := coverage.Add(&tr); err != nil {
				t.Fatal(err)
			}
		}
		missing := slices.DeleteFunc(coverage.Missing(), func(what string) bool {
			return strings.HasPrefix(what, "proof in ") || // only the profile proofs makes this call
				m.File && strings.HasPrefix(what, "val in ") // files ask for all values
		})
		if len(missing) > 0 {
			t.Errorf("%s: not reached: %q", m.Name, missing)
		}
		if missing := coverage.MissingExtremes(); m.File && len(missing) > 0 {
			t.Errorf("%s: not reached: %q", m.Name, missing)
		}
		t.Logf("%s: %v, missing extremes %q", m.Name, coverage.Row(), coverage.MissingExtremes())
	}
}
