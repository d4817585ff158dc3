package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestFailureBeforeHang checks that a failure of a trace that hangs later is confirmed and reduced without the hang,
// and that the hang becomes a finding, too.
func TestFailureBeforeHang(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: some seconds")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "quits.c"), "ipasir")
	config.Traces, config.Findings = 0, 2
	config.Time = 5 * time.Minute
	config.OnConfirmed = func(f *store.Finding) {
		if f.Class == oracle.GaveUp && f.Run.End != trace.Finished {
			t.Errorf("%v was confirmed in a run that ended by %v:\n%s", f.Key, f.Run.End, f.Minimal)
		}
	}
	summary := runCampaign(t, t.Context(), config)
	calls := make(map[oracle.Class]int)
	for _, f := range summary.Found {
		calls[f.Class] = len(f.Minimal.Calls)
		if f.Run.End.IsTimeLimit() != f.IsTimeLimit() || !f.IsMinimal {
			t.Errorf("%v: a run of the minimal trace ended by %v; %q:\n%s", f.Key, f.Run.End, f.NotMinimal, f.Minimal)
		}
	}
	if len(calls) != 2 || calls[oracle.GaveUp] != 1 || calls[oracle.TooSlow] != 3 {
		t.Errorf("minimal traces of %v calls, unconfirmed %+v", calls, summary.Unconfirmed)
	}
}
