package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A scale is what a trace has much of.
type scale struct{ solves, alive, clauses, vars, units, softs int }

// scaleOf measures a trace: the most solves, clauses, units in a row and soft literals of an instance, and the most
// instances that are alive at once.
func scaleOf(tr *trace.Trace) scale {
	var most scale
	each := make(map[uint16]*scale)
	for i := range tr.Calls {
		c := &tr.Calls[i]
		s := each[c.Instance]
		if s == nil {
			s = new(scale)
			each[c.Instance] = s
			most.alive = max(most.alive, len(each))
		}
		switch c.Op {
		case apimodel.OpRelease:
			delete(each, c.Instance)
		case apimodel.OpSolve:
			s.solves++
		case apimodel.OpSoft:
			s.softs++
		case apimodel.OpClause:
			s.clauses++
			if s.units++; c.Len != 1 {
				s.units = 0
			}
		}
		most.solves, most.clauses = max(most.solves, s.solves), max(most.clauses, s.clauses)
		most.units, most.softs = max(most.units, s.units), max(most.softs, s.softs)
	}
	most.vars = measure.Inspect(tr).MaxVars
	return most
}

// TestScales: the traces of marathon, crowd and bulk have what no others have: hundreds of solves of one instance,
// hundreds of instances at once, more variables and clauses than 16 bits can count.
func TestScales(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("counts rare traces")
	}
	type bound struct {
		what string
		size func(s scale) int
		more int     // traces count that have more than this
		in   float64 // the least share of such traces
	}
	for profile, bounds := range map[string][]bound{
		"marathon": {
			{"solves", func(s scale) int { return s.solves }, 15, 0.8},
			{"solves", func(s scale) int { return s.solves }, 256, 0.02},
		},
		"crowd": {
			{"instances", func(s scale) int { return s.alive }, 3, 0.95},
			{"instances", func(s scale) int { return s.alive }, 100, 0.02},
		},
		"bulk": {
			{"clauses", func(s scale) int { return s.clauses }, 4096, 0.2},
			{"clauses", func(s scale) int { return s.clauses }, 65_536, 0.02},
			{"variables", func(s scale) int { return s.vars }, 4096, 0.15},
			{"variables", func(s scale) int { return s.vars }, 65_536, 0.01},
			{"units in a row", func(s scale) int { return s.units }, 256, 0.1},
		},
	} {
		for _, m := range apimodel.Models()[:2] {
			g := newGenerator(t, Config{Model: m, Profile: profile})
			traces, calls, reached := 0, 0, make([]int, len(bounds))
			forEach(t, g, 150, func(tr *trace.Trace) error {
				traces++
				calls += len(tr.Calls)
				got := scaleOf(tr)
				for i, b := range bounds {
					if b.size(got) > b.more {
						reached[i]++
					}
				}
				return trace.Check(tr)
			})
			t.Logf("%s, %s: %d traces, %d calls each", profile, m.Name, traces, calls/traces)
			for i, b := range bounds {
				if float64(reached[i]) < b.in*float64(traces) {
					t.Errorf("%s, %s: %d of %d traces have more than %d %s", profile, m.Name, reached[i], traces, b.more, b.what)
				}
			}
		}
	}
}

// TestScalesWithin: the profiles keep the bounds and tell the features of their traces, and crowds and hundreds of
// solves are features that can be switched off.
func TestScalesWithin(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"marathon", "crowd", "search", "bulk"} {
		for _, m := range apimodel.Models() {
			for _, b := range []Bounds{{MaxCalls: 8, MaxVars: 5}, {MaxCalls: 60, MaxVars: 9}, {MaxCalls: 900, MaxVars: 70}} {
				g := newGenerator(t, Config{Model: m, Profile: profile, Description: described(t, "options"), Bounds: b})
				forEach(t, g, 100, func(tr *trace.Trace) error {
					in := measure.Inspect(tr)
					if err := withinBounds(tr, in, g.config.Bounds); err != nil {
						return err
					}
					return sameFeatures(g.used&feature.Visible, in.Found)
				})
			}
			g := newGenerator(t, Config{Model: m, Profile: profile, Bounds: Bounds{MaxCalls: 3000},
				Without: []string{"many-solves", "two-instances", "release-reinit"}})
			forEach(t, g, 50, func(tr *trace.Trace) error {
				if got := scaleOf(tr); got.alive > 1 || got.solves > feature.UsualSolves {
					return fmt.Errorf("%d instances, %d solves", got.alive, got.solves)
				}
				return trace.Check(tr)
			})
		}
	}
}
