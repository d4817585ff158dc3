package gen

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

func newGenerator(t testing.TB, c Config) *Generator {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func described(t testing.TB, name string) *apimodel.Description {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".target")
	if err != nil {
		t.Fatal(err)
	}
	return describe(t, string(text))
}

func describe(t testing.TB, text string) *apimodel.Description {
	t.Helper()
	d, err := apimodel.ParseDescription(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		c := Config{Model: m, Profile: family.Tiny, Description: described(t, "options")}
		g := newGenerator(t, c)
		var first, again trace.Trace
		for seed := start; seed < start+300; seed++ {
			g.Generate(seed, &first)
			newGenerator(t, c).Generate(seed, &again)
			if !slices.Equal(first.Calls, again.Calls) || !slices.Equal(first.Lits, again.Lits) ||
				string(first.Bytes) != string(again.Bytes) {
				t.Fatalf("%s seed %#x: the trace depends on earlier ones", m.Name, seed)
			}
		}
	}
}

// allocations returns how many allocations f makes: the least of five counts, because the runtime may allocate
// meanwhile.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for i := 0; i < 4 && least > 0; i++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

func TestNoAllocations(t *testing.T) {
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		for _, d := range []*apimodel.Description{nil, described(t, "options")} {
			g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: d})
			var tr trace.Trace
			all := func() {
				for number := range uint64(2000) {
					g.Generate(draw.Seed(start, 0, number), &tr)
				}
			}
			all() // grows the memory to the size of the largest trace
			if n := allocations(all); n != 0 {
				t.Errorf("%s: %v allocations in 2000 traces", m.Name, n)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{}, "no model"},
		{Config{Model: apimodel.IPAMIR, Without: []string{"gaps", "big-weight"}},
			`unknown feature "big-weight"; the features are redeclare, both-polarities, unused-soft`},
		{Config{Model: apimodel.IPAMIR, Bounds: Bounds{MaxCalls: 7}}, "7 calls are too few"},
		{Config{Model: apimodel.IPAMIR, Bounds: Bounds{MaxVars: -1}}, "negative bounds"},
		{Config{Model: apimodel.IPAMIR, Description: &apimodel.Description{Models: []string{"ipasir"}}},
			"the target speaks ipasir, not ipamir"},
		{Config{Model: apimodel.IPAMIR, Description: &apimodel.Description{Lacks: []string{"speed"}}},
			`unknown capability "speed"`},
	} {
		if _, err := New(test.config); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want one with %s", err, test.want)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: family.Tiny, Without: []string{"gaps"}})
	var tr trace.Trace
	for _, seed := range []uint64{0, 0x9f3c21d0a7b45e11} {
		g.Generate(seed, &tr)
		if len(tr.Notes) != 0 {
			t.Error("Generate fills in the notes")
		}
		notes := g.Notes(seed)
		if want := fmt.Sprintf("gen=tiny/1 profile=tiny/1 seed=0x%016x without=gaps", seed); notes[0] != want {
			t.Errorf("got the note %q, want %q", notes[0], want)
		}
		if want := "features=" + strings.Join(g.Features(), ","); len(notes) != 2 || notes[1] != want {
			t.Errorf("got the notes %q, want %q", notes, want)
		}
		// Notes generates a trace again if it is not the last one.
		g.Generate(seed+1, &tr)
		if again := g.Notes(seed); !slices.Equal(again, notes) {
			t.Errorf("got %q, want %q", again, notes)
		}
	}
	g = newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: family.Tiny, Bounds: Bounds{MaxVars: 5}})
	want := "gen=tiny/1 profile=tiny/1 seed=0x0000000000000007 max-vars=5 max-calls=150"
	if got := g.Notes(7)[0]; !strings.HasPrefix(got, want) {
		t.Errorf("got the note %q, want %q", got, want)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, m := range apimodel.Models() {
		b.Run(m.Name, func(b *testing.B) {
			g := newGenerator(b, Config{Model: m, Profile: family.Tiny})
			var t trace.Trace
			calls, seed := 0, uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				g.Generate(seed, &t)
				seed++
				calls += len(t.Calls)
			}
			b.ReportMetric(float64(calls)/float64(seed), "calls/trace")
			b.ReportMetric(float64(seed)/b.Elapsed().Seconds(), "traces/s")
		})
	}
}

// BenchmarkGenerateAsText makes the traces of BenchmarkGenerate and writes each as text, which files would cost.
func BenchmarkGenerateAsText(b *testing.B) {
	for _, m := range apimodel.Models() {
		b.Run(m.Name, func(b *testing.B) {
			g := newGenerator(b, Config{Model: m, Profile: family.Tiny})
			var t trace.Trace
			var text []byte
			seed := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				g.Generate(seed, &t)
				text = t.AppendText(text[:0])
				seed++
			}
			b.ReportMetric(float64(seed)/b.Elapsed().Seconds(), "traces/s")
		})
	}
}
