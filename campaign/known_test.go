package campaign

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestKnownIsNotFoundAgain checks that a known fault is only counted, also if its key is
// certain only after some work: a leak, and a failure that other instances cause.
func TestKnownIsNotFoundAgain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		spec  string
		class oracle.Class
	}{
		{"ref:defect=leak-per-release", oracle.Leak},
		{"ref:defect=shared-assumptions", oracle.InstancesMix},
	} {
		config := testConfig(t, row.spec, "ipamir")
		config.Traces = 3000
		known := make(map[oracle.Key]*store.KnownFault)
		for _, f := range runCampaign(t, t.Context(), config, unreduced).Found {
			if f.Class == row.class {
				known[f.Key] = &store.KnownFault{Key: f.Key, Target: f.Target}
			}
		}
		if len(known) == 0 {
			t.Errorf("%s: nothing of class %s was found", row.spec, row.class)
		}
		config.Known = known
		again := runCampaign(t, t.Context(), config, unreduced)
		for _, f := range again.Found {
			if known[f.Key] != nil {
				t.Errorf("%s is known, and found again", f.Key)
			}
		}
		for key := range known {
			if again.Known[key] == 0 {
				t.Errorf("%s is known and has no hits", key)
			}
		}
	}
}
