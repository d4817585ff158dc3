package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestChecks: about half of the solvers check themselves if the target says with which option.
func TestChecks(t *testing.T) {
	for _, text := range []string{"option check bool 0 checks=1\n", "option check int 0 100000 0 when=start checks=77\n"} {
		d, err := apimodel.ParseDescription("lacks instances\noption other bool 1\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		want := d.Options[1].Checks
		g := newGenerator(t, Config{Model: apimodel.IPASIR, Profile: family.Tiny, Description: d})
		const traces = 1000
		checked := 0
		for number := range uint64(traces) {
			var made trace.Trace
			g.Generate(Seed(1, 0, number), &made)
			value := "0"
			for i := range made.Calls {
				if c := &made.Calls[i]; c.Op == apimodel.OpOption {
					if name, set := made.Option(c); name == "check" {
						value = set
					}
				}
			}
			if value == want {
				checked++
			}
		}
		if checked < traces/3 || checked > 3*traces/4 {
			t.Errorf("%s%d of %d solvers check themselves", text, checked, traces)
		}
	}
}
