package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestWeave: traces of an extension are legal and have every call that the model adds. Without these calls, they are
// the traces of the standard interface.
func TestWeave(t *testing.T) {
	t.Parallel()
	for _, m := range []*apimodel.Model{apimodel.CaDiCaL, apimodel.Enumerate} {
		t.Run(m.Name, func(t *testing.T) { testWeave(t, m) })
	}
}

func testWeave(t *testing.T, m *apimodel.Model) {
	description := &apimodel.Description{}
	for _, profile := range []string{"tiny", "mixed"} {
		woven := newGenerator(t, Config{Model: m, Profile: profile, Description: description})
		plain := newGenerator(t, Config{Model: m.Extends, Profile: profile, Description: description})
		made := make(map[apimodel.Op]int)
		for number := range uint64(500) {
			var with, without trace.Trace
			seed := draw.Seed(7, 0, number)
			woven.Generate(seed, &with)
			plain.Generate(seed, &without)
			if err := trace.Check(&with); err != nil {
				t.Fatalf("%s, seed %#x: %v\n%s", profile, seed, err, &with)
			}
			left := trace.Trace{Model: m.Extends, Planted: with.Planted}
			for i := range with.Calls {
				if c := &with.Calls[i]; m.Own(m.Call(c.Op)) {
					made[c.Op]++
				} else {
					left.Append(&with, c)
				}
			}
			if !trace.Equal(&left, &without) {
				t.Fatalf("%s, seed %#x: the rest of the trace differs:\n%s\n%s", profile, seed, &left, &without)
			}
		}
		for i := range m.Calls {
			// fixed and frozen were added after these profiles; TestLonghand looks for fixed.
			isMade := m.Own(&m.Calls[i]) && m.Calls[i].Op != apimodel.OpFixed && m.Calls[i].Op != apimodel.OpFrozen
			if call := &m.Calls[i]; isMade && made[call.Op] < 20 {
				t.Errorf("%s: %s is made %d times in 500 traces", profile, call.Name, made[call.Op])
			}
		}
	}
}

// TestWeaveOnlyWhatIsThere: no trace has a call that the target lacks.
func TestWeaveOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	lacking := &apimodel.Description{Lacks: []string{"freeze", "simplify"}}
	g := newGenerator(t, Config{Model: apimodel.CaDiCaL, Profile: "tiny", Description: lacking})
	for number := range uint64(300) {
		var tr trace.Trace
		g.Generate(draw.Seed(8, 0, number), &tr)
		for i := range tr.Calls {
			switch tr.Calls[i].Op {
			case apimodel.OpFreeze, apimodel.OpMelt, apimodel.OpSimplify:
				t.Fatalf("the trace has a call that the target lacks:\n%s", &tr)
			}
		}
	}
}
