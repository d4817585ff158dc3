package fault_test

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
)

// across counts the pairs of libraries that have failures which would count as one fault if a single
// library had both defects. It compares all pairs of samples with one model, one profile and one seed.
func across(t *testing.T, samples []*sample) {
	t.Helper()
	pairs, wrong := 0, 0
	reasons := make(tally)
	for i, a := range samples {
		for _, b := range samples[:i] {
			if a.Setup.Model != b.Setup.Model || a.Setup.Profile != b.Setup.Profile || a.Setup.Seed != b.Setup.Seed ||
				a.Setup.Defects == b.Setup.Defects {
				continue
			}
			pairs++
			if why := merged(a, b); why != "" {
				wrong++
				reasons[why]++
				if os.Getenv("IPAFUZZ_SHOW") != "" {
					t.Logf("%s and %s (%s): %s", a.Setup.Defects, b.Setup.Defects, a.Setup.Model, why)
				}
			}
		}
	}
	t.Logf("pairs of libraries with failures that look like one fault: %v; these are:%v", share{wrong, pairs}, reasons)
}

// merged says why a failure of one sample would be the same fault as a failure of the other; "" if no pair
// would be.
func merged(a, b *sample) string {
	for _, f := range a.findings {
		for _, g := range b.findings {
			if x, y := f.Failure(), g.Failure(); cause.Compare(x, y) == cause.Same {
				if x.Location != "" {
					return "place " + x.Location
				}
				names := []string{string(cmp.Or(x.Cause, "unknown")), string(cmp.Or(y.Cause, "unknown"))}
				slices.Sort(names)
				return names[0] + " | " + names[1]
			}
		}
	}
	return ""
}
