package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/gen/profile"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// unrestricted describes a target without restrictions.
var unrestricted = &apimodel.Description{Policies: map[string]string{"failed-non-assumption": "any"}}

// TestQuantifiedTracesAreLegal: the traces of every profile are legal and within the bounds, and show the features
// that the generator reports.
func TestQuantifiedTracesAreLegal(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, p := range QuantifiedProfiles() {
		g, err := New(Config{Model: apimodel.QBF, Description: unrestricted, Profile: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		var tr trace.Trace
		n := uint64(2000)
		if p.Name == "published" || p.Name == "wide" {
			n = 100
		}
		solves := 0
		for number := range n {
			seed := draw.Seed(start, 0, number)
			g.Generate(seed, &tr)
			if err := trace.Check(&tr); err != nil {
				t.Fatalf("%s: seed %d: %v\n%s", p, seed, err, &tr)
			}
			if calls := g.Bounds().MaxCalls; len(tr.Calls) > calls {
				t.Errorf("%s: seed %d: %d calls, bound %d", p, seed, len(tr.Calls), calls)
			}
			if found, used := measure.Inspect(&tr).Found, g.used; found != used {
				t.Fatalf("%s: seed %d: the trace has %v, the generator says %v\n%s", p, seed, found.Names(), used.Names(), &tr)
			}
			solves += tr.Solves()
		}
		if solves < int(n)/2 {
			t.Errorf("%s: %d traces have %d solves", p, n, solves)
		}
	}
}

// TestQuantifiedRejected: a target that rejects free variables or tautologies gets none.
func TestQuantifiedRejected(t *testing.T) {
	t.Parallel()
	for policy, check := range map[string]func(*trace.Trace) error{
		"free-variable": trace.CheckClosed, "tautology": trace.CheckContingent,
	} {
		t.Run(policy, func(t *testing.T) { testQuantifiedRejected(t, policy, check) })
	}
}

func testQuantifiedRejected(t *testing.T, policy string, check func(*trace.Trace) error) {
	start := testseed.Of(t, 1)
	refuses := &apimodel.Description{Policies: map[string]string{policy: "rejected"}}
	for _, p := range QuantifiedProfiles() {
		g, err := New(Config{Model: apimodel.QBF, Description: refuses, Profile: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		var tr trace.Trace
		for number := range uint64(100) {
			g.Generate(draw.Seed(start, 0, number), &tr)
			if err := check(&tr); err != nil {
				t.Fatalf("%s: %v\n%s", p, err, &tr)
			}
		}
	}
}

// TestQuantifiedWithout: a feature that is switched off does not occur, and each feature occurs if it is not.
func TestQuantifiedWithout(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	met := feature.Set(0)
	for _, f := range feature.Quantified {
		g, err := New(Config{Model: apimodel.QBF, Description: unrestricted, Without: []string{f.String()}})
		if err != nil {
			t.Fatal(err)
		}
		var tr trace.Trace
		for number := range uint64(500) {
			seed := draw.Seed(start, 0, number)
			g.Generate(seed, &tr)
			found := measure.Inspect(&tr).Found
			if met |= found; found.Has(f) {
				t.Fatalf("seed %d: a trace without %v has it\n%s", seed, f, &tr)
			}
		}
	}
	possible := feature.Possible(apimodel.QBF, unrestricted) &^ (1<<feature.Options | 1<<feature.NoHard)
	if never := possible &^ met & feature.Visible; never != 0 {
		t.Errorf("no trace has %v", never.Names())
	}
}

func BenchmarkQuantified(b *testing.B) {
	g, err := New(Config{Model: apimodel.QBF, Description: unrestricted, Profile: "tiny"})
	if err != nil {
		b.Fatal(err)
	}
	var t trace.Trace
	calls := 0
	b.ReportAllocs()
	for i := range b.N {
		g.Generate(draw.Seed(1, 0, uint64(i)), &t)
		calls += len(t.Calls)
	}
	b.ReportMetric(float64(calls)/float64(b.N), "calls/trace")
}

// TestQuantifiedTracesAreForEver: the trace of a seed never changes. A profile that makes other traces needs a new
// version.
func TestQuantifiedTracesAreForEver(t *testing.T) {
	t.Parallel()
	got := make(map[string]uint64)
	for _, p := range profile.Of(apimodel.QBF) {
		g, err := New(Config{Model: apimodel.QBF, Description: unrestricted, Profile: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		hash := uint64(0)
		var tr trace.Trace
		for number := range uint64(30) {
			g.Generate(draw.Seed(1, 0, number), &tr)
			for _, c := range tr.AppendText(nil) {
				hash = draw.Mix(hash ^ uint64(c))
			}
		}
		if got[p.String()] = hash; pinnedTraces[p.String()] != hash {
			t.Errorf("%q: %#x,", p.String(), hash)
		}
	}
	if len(got) != len(pinnedTraces) {
		t.Errorf("%d profiles are pinned, of %d", len(pinnedTraces), len(got))
	}
}

var pinnedTraces = map[string]uint64{
	"tiny/1":      0x3dad1d794aff6011,
	"smoke/1":     0x6fe1e04951c7eceb,
	"assume/1":    0x51d4676fc60dd5e4,
	"frames/1":    0xc35c1dd9abb253e9,
	"groups/1":    0xe752c6d496193e06,
	"prefix/1":    0xbe40eb00806e4a7,
	"small/1":     0x5a0a044da58f5941,
	"wide/1":      0x7e552315e0bf1ae7,
	"app/1":       0x64add1e267e2898c,
	"longhand/1":  0x1eafc64201a31e04,
	"published/1": 0xc0410ff428dcf92d,
}
