package campaign

import (
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// TestKinds checks that the summary tells what the kinds of traces cost and found, also in a resumed campaign.
func TestKinds(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
	config.Traces, config.Out, config.Resume = 1000, t.TempDir(), true
	for _, traces := range []uint64{1000, 2000} {
		config.Traces = traces
		summary := runCampaign(t, t.Context(), config)
		sums := make(map[string]stats.KindUse)
		for _, k := range summary.Measures.Kinds {
			s := sums[k.By]
			s.Traces, s.Findings, s.Library = s.Traces+k.Traces, s.Findings+k.Findings, s.Library+k.Library
			sums[k.By] = s
		}
		first := uint64(0) // findings that a trace showed first
		for _, f := range summary.Found {
			if f.MetIn.IsZero() {
				first++
			}
		}
		for _, by := range strings.Split(",profile,family,calls,largest variable,largest weight,most assumptions", ",") {
			if s := sums[by]; s.Traces != traces || s.Findings != first || first == 0 ||
				(s.Library-summary.Library).Abs() > time.Second {
				t.Errorf("after %d traces and %d findings, by %q: %+v", traces, first, by, s)
			}
		}
		if record := summary.Record(&config); len(record.Kinds) != len(summary.Measures.Kinds) {
			t.Errorf("%d kinds in JSON", len(record.Kinds))
		}
	}
}
