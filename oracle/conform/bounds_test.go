package conform

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// TestBounds: a target gets no case beyond the bounds that it declares, and every case within them.
func TestBounds(t *testing.T) {
	const two32 = 1 << 32
	for _, test := range []struct {
		name   string
		bounds apimodel.Bounds
		want   Outcome
	}{
		{"weights/two-to-32-above", apimodel.Bounds{MaxWeight: two32}, Unsupported},
		{"weights/two-to-32-above", apimodel.Bounds{MaxWeight: two32 + 2}, Pass},
		{"weights/two-to-32-above", apimodel.Bounds{MaxSum: two32}, Unsupported},
		{"soft/in-no-clause", apimodel.Bounds{MaxVars: 1}, Unsupported},
		{"soft/in-no-clause", apimodel.Bounds{MaxVars: 1000, MaxCalls: 1000, MaxWeight: 1000, MaxSum: 1000}, Pass},
		{"soft/in-no-clause", apimodel.Bounds{MaxCalls: apimodel.FewestCalls}, Unsupported},
	} {
		target := resolve(t, "ref", "ipamir")
		target.Bounds = test.bounds
		c := Find(test.name, apimodel.IPAMIR)
		results, err := suiteFor(t, target, limits).Run(context.Background(), []*Case{c})
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Outcome != test.want || r.Outcome == Unsupported && r.Log != "" {
			t.Errorf("%s within %+v: %s, want %s: %s\n%s", test.name, test.bounds, r.Outcome, test.want, r.Reason, r.Log)
		}
	}
}
