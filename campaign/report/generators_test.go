package report

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// TestGeneratorsWithoutSample checks that a profile of which no trace was measured has no figures.
func TestGeneratorsWithoutSample(t *testing.T) {
	t.Parallel()
	run := new(store.Stored)
	run.Record.Measures = &stats.Measures{Profiles: map[string]*stats.ProfileUse{"deep/1": {Traces: 3}}}
	row := table(t, &Data{Runs: []*store.Stored{run}}, "generators").Rows[0]
	if row[0] != "deep/1" || row[1] != "3" {
		t.Fatalf("got the row %q, want 3 traces of deep/1", row)
	}
	for i, cell := range row[2:] {
		if cell != "" {
			t.Errorf("column %d says %q, and nothing was measured", i+2, cell)
		}
	}
}
