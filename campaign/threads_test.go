package campaign

import (
	"context"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestThreadedHealthy checks that nothing is wrong with a library whose instances share nothing.
func TestThreadedHealthy(t *testing.T) {
	for _, m := range apimodel.Propositional() {
		config := testConfig(t, "ref", m.Name)
		config.Traces, config.Cells[0].Generate.Threads = 4000, true
		summary := runCampaign(t, context.Background(), config)
		for _, f := range summary.Found {
			t.Errorf("%s: %s; %s\n%s", f.Key, f.Observed, f.Expected, f.Minimal)
		}
		for _, u := range summary.Unconfirmed {
			t.Errorf("unconfirmed: %s", u.Key)
		}
	}
}

// TestThreadedDefects checks that defects that need instances to run at the same time are confirmed with threads,
// and not seen without.
func TestThreadedDefects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: tens of seconds")
	}
	for _, defect := range []string{"shared-scratch", "lazy-table"} {
		for _, threads := range []bool{true, false} {
			config := testConfig(t, "ref:defect="+defect, "ipasir")
			config.Traces, config.Findings, config.Cells[0].Generate.Threads = 4000, 1, threads
			if threads {
				config.Traces = 100_000
			}
			ctx, stop := context.WithCancel(context.Background())
			config.OnConfirmed = func(*store.Finding) { stop() }
			summary := runCampaign(t, ctx, config, unreduced)
			stop()
			t.Logf("%s, threads %t: %d findings, %d unconfirmed failures, %d traces", defect, threads, len(summary.Found),
				len(summary.Unconfirmed), summary.Traces)
			if threads != (len(summary.Found) > 0) || !threads && len(summary.Unconfirmed) > 0 {
				t.Errorf("%s, threads %t: %d findings in %d traces", defect, threads, len(summary.Found), summary.Traces)
			}
			for _, f := range summary.Found {
				if f.Class != oracle.InstancesMix || !strings.Contains(f.Detail, "only when instances run at the same time: ") {
					t.Errorf("%s: %s", defect, f.Key)
				}
			}
		}
	}
}
