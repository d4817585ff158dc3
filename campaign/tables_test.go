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

// TestTableLength checks the same for a library that dies of variables above 2^30 with the words of std::length_error,
// long before a table has grown.
func TestTableLength(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:burden=vectors", "ipamir")
	config.Seed, config.Traces = 1, 100 // trace 80 has a variable near 2^31
	summary := runCampaign(t, t.Context(), config)
	for _, f := range summary.Found {
		t.Errorf("%s: %s", f.Key, f.Observed)
	}
	if got, noted := summary.Tables["ref:burden=vectors"]; !noted || got != 0 {
		t.Errorf("bytes for a variable: %v, %v", got, noted)
	}
}

// TestLazyTables checks that a crash is a finding if the library has a table that it hardly fills and does not check
// whether it got the memory, and that the summary tells how large that is.
func TestLazyTables(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "lazy.c"), "ipasir")
	config.Seed, config.Traces = 1, 100 // a trace has a variable near 2^31
	summary := runCampaign(t, t.Context(), config, unreduced)
	crashes := 0
	for _, f := range summary.Found {
		if f.Class[0] == '1' {
			crashes++
		}
	}
	name := config.Cells[0].Target.Name
	got, noted := summary.Reserved[name], len(summary.Tables)
	if crashes != 1 || got < 60 || got > 70 || noted > 0 {
		t.Errorf("%d crashes; %.1f bytes for a variable; explained: %v", crashes, got, summary.Tables)
	}
	if record := summary.Record(&config); record.Reserved[name] != got {
		t.Errorf("in JSON: %v", record.Reserved)
	}
}
