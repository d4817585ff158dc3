package campaign

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
)

// TestThePagesHaveTheNumbers compares the documentation with the constants of this package.
func TestThePagesHaveTheNumbers(t *testing.T) {
	if stateEvery != time.Second {
		t.Error("docs/campaigns.md says that completed traces are written every second")
	}
	words := map[int]string{10: "ten times", 1000: "a thousandth"}
	for page, want := range map[string][]string{
		"judging.md": {
			"needs at most " + words[trial.ReferenceShare] + " of the limit",
			fmt.Sprintf("the best of %d runs counts", trial.ReferenceRuns),
		},
		"campaigns.md": {
			fmt.Sprintf("at most %d seconds, is for failures", lastMost/time.Second), "written every second",
			fmt.Sprintf("up to %d other traces", store.MoreOriginals),
			fmt.Sprintf("the first %d; all are counted", store.HitsKept),
		},
		"minimization.md": {
			fmt.Sprintf("after %s tests, or %s in a row", thousands(reduceTests), thousands(reduceIdle)),
		},
		"comparing.md": {fmt.Sprintf("keeps the first %d under `disputes/`", disputesKept)},
	} {
		text, err := os.ReadFile("../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.Join(strings.Fields(string(text)), " ")
		for _, w := range want {
			if !strings.Contains(plain, w) {
				t.Errorf("docs/%s must say %q", page, w)
			}
		}
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
