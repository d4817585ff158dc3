package campaign

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestReductionExcludes checks that a reduction does not bring back what the user excluded, although
// without exclusions it does.
func TestReductionExcludes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	t.Parallel()
	for _, row := range []struct {
		spec            string
		traces          uint64
		findings        int
		without, traits []string
	}{
		{"ref:defect=redeclare-adds", 200, 0, []string{"no-hard", "unused-soft"}, nil},
		{"ref:defect=bus-error", 4000, 1, nil, []string{"long-clauses"}},
	} {
		for _, excluding := range []bool{false, true} {
			config := testConfig(t, row.spec, "ipamir")
			config.Traces, config.Findings = row.traces, row.findings
			if excluding {
				config.Cells[0].Generate.Without, config.Avoid = row.without, row.traits
			}
			found := runCampaign(t, t.Context(), config).Found
			has := 0
			for _, f := range found {
				if hasAny(f.Original, row.without) && excluding {
					t.Errorf("%s: trace %d has excluded features: %v", row.spec, f.Number, measure.FeaturesOf(f.Original))
				}
				if hasAny(f.Minimal, row.without) || source.HasTrait(f.Minimal, row.traits) {
					has++
				}
			}
			t.Logf("%s, excluding %v: %d of %d minimal traces have it", row.spec, excluding, has, len(found))
			if len(found) == 0 || excluding != (has == 0) {
				t.Errorf("%s: %d of %d minimal traces have %v or %v, excluded: %v", row.spec, has, len(found), row.without,
					row.traits, excluding)
			}
		}
	}
}

func hasAny(t *trace.Trace, features []string) bool {
	return slices.ContainsFunc(measure.FeaturesOf(t), func(f string) bool { return slices.Contains(features, f) })
}
