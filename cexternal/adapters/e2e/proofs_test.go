package e2e

import (
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestProofs: the checker accepts the proofs that CaDiCaL hands over.
func TestProofs(t *testing.T) {
	target := suite.Open(t, "cadical", "libcadical-dev")
	config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 2000, Out: filepath.Join(t.TempDir(), "out")}
	summary := suite.Fuzz(t, target, gen.Config{Profile: "proofs"}, config, func(f *store.Finding, _ func()) {
		t.Errorf("%s: %s\n%s", f.Key, f.Observed, f.Minimal)
	})
	if checked := summary.Tally.Of("proof"); checked < 100 {
		t.Errorf("%d proofs were checked in %d traces", checked, summary.Traces)
	}
}
