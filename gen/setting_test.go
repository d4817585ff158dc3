package gen

import (
	"fmt"
	"strings"
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

// TestTuned: traces of the profile tuned set any share of all options, and their numbers are mostly near the least.
func TestTuned(t *testing.T) {
	const options, traces = 200, 400
	var text strings.Builder
	text.WriteString("lacks instances\n")
	for i := range options {
		fmt.Fprintf(&text, "option o%03d int 1 2000000000 1000 when=start\n", i)
	}
	d, err := apimodel.ParseDescription(text.String())
	if err != nil {
		t.Fatal(err)
	}
	g := newGenerator(t, Config{Model: apimodel.IPASIR, Profile: "tuned", Description: d})
	few, many, low, all := 0, 0, 0, 0
	times := make(map[string]int)
	for number := range uint64(traces) {
		var made trace.Trace
		g.Generate(Seed(1, 0, number), &made)
		set := make(map[string]bool)
		for i := range made.Calls {
			if c := &made.Calls[i]; c.Op == apimodel.OpOption {
				name, value := made.Option(c)
				set[name] = true
				all++
				if value == "1" || value == "2" {
					low++
				}
			}
		}
		for name := range set {
			times[name]++
		}
		if len(set) < options/4 {
			few++
		}
		if len(set) > 3*options/4 {
			many++
		}
	}
	if few < traces/8 || many < traces/8 {
		t.Errorf("of %d traces, %d set less than a quarter and %d more than three quarters of the options", traces, few, many)
	}
	if low < all/3 || low > 3*all/4 {
		t.Errorf("%d of %d values are 1 or 2", low, all)
	}
	for i := range options {
		if name := fmt.Sprintf("o%03d", i); times[name] < traces/4 {
			t.Errorf("%d of %d traces set %s", times[name], traces, name)
		}
	}
}
