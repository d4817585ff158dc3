package campaign

import (
	"testing"
	"time"
)

// TestTables checks that a library whose tables grow with the largest variable gets no finding for that,
// and that the summary says how fast the tables grow.
func TestTables(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:burden=tables", "ipamir")
	config.Seed, config.Traces, config.Limits.CPU = 1, 100, 5*time.Second // trace 80 has a variable near 2^31
	// Leave room for the tables that are measured, also under the race detector.
	config.Limits.Memory = 1 << 30
	summary := runCampaign(t, t.Context(), config)
	for _, f := range summary.Found {
		t.Errorf("%s: %s", f.Key, f.Observed)
	}
	for _, u := range summary.Unconfirmed {
		t.Errorf("unconfirmed %s: %s", u.Key, u.Why)
	}
	if got := summary.Tables["ref:burden=tables"]; got < 80 || got > 250 {
		t.Errorf("%.1f bytes for a variable", got)
	}
}
