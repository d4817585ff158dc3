package campaign

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testcadical"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestCaDiCaL fuzzes a real solver in two ways: as a shared library, and as an official directory whose
// archive is linked with the executor. Debian's CaDiCaL 1.5.3 answers val of a negative literal with the
// wrong sign (val -1 is -1 while val 1 is 1). Then values contradict each other or, without another query,
// falsify a clause. Its statuses and cores are right.
func TestCaDiCaL(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: 4 s")
	}
	shared, official := testcadical.Build(t)
	for _, target := range []string{shared, official} {
		t.Run(filepath.Base(target), func(t *testing.T) {
			config := testConfig(t, target, "ipasir")
			config.Traces = 20_000
			config.Cells[0].Generate.Without = []string{"max-variable", "gaps"} // its tables grow with the largest variable
			wrongSign := false
			for _, f := range runCampaign(t, context.Background(), config).Found {
				switch f.Class {
				case oracle.ValuesDisagree:
					wrongSign = true
				case oracle.ModelFalsifies:
				default:
					t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
				}
			}
			if !wrongSign {
				t.Error("the wrong sign of a negative literal's value was not found")
			}
		})
	}
}
