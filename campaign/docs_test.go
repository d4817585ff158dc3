package campaign

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestThePagesHaveTheNumbers compares the pages with the constants of this package.
func TestThePagesHaveTheNumbers(t *testing.T) {
	minutes := func(d time.Duration) string { return fmt.Sprintf("%dm", d/time.Minute) }
	words := map[int]string{10: "ten times", 1000: "a thousandth"}
	for page, want := range map[string][]string{
		"faults.md": {
			"needs at most " + words[referenceShare] + " of the limit", fmt.Sprintf("the best of %d runs counts", referenceRuns),
			"gives no answer within " + words[hangFactor] + " the limit",
			fmt.Sprintf("%d attempts for a key, at most %s for one of them and %s for all of a run", hangAttempts, minutes(hangLongest), minutes(hangBudget)),
			fmt.Sprintf("every %dth is run with each instance alone, up to %d in a run", aloneStride, aloneMost),
		},
		"voting.md": {fmt.Sprintf("keeps the first %d under `disputes/`", disputesKept)},
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
