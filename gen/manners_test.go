package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestMannersAreTold: a trace looks as if it had drawn the invisible features that its header names. A trace that has
// not drawn a feature may look so by chance.
func TestMannersAreTold(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, profile := range []string{family.Tiny, "small"} {
			g := newGenerator(t, Config{Model: m, Profile: profile})
			var told feature.Set
			forEach(t, g, 5_000, func(tr *trace.Trace) error {
				told |= g.used
				shown := manners(tr)
				if missing := g.used &^ feature.Visible &^ shown; missing != 0 {
					return fmt.Errorf("the header names %v, but the trace does not show it", missing.Names())
				}
				return nil
			})
			for f := range feature.Count() {
				tells := f.In(m) && (f >= feature.TinyEnd) == (profile != family.Tiny)
				if !feature.Visible.Has(f) && tells && !told.Has(f) {
					t.Errorf("%s, %s: no header names %s", m.Name, profile, f)
				}
			}
		}
	}
}

// manners returns the invisible features as which a trace looks, by intent or by chance.
func manners(tr *trace.Trace) (shown feature.Set) {
	type state struct {
		open             []int32
		clauses          int
		vars             map[int32]bool
		soft, impliedNot map[int32]bool
	}
	states := map[uint16]*state{}
	mark := func(f feature.Feature, holds bool) {
		if holds {
			shown |= 1 << f
		}
	}
	for i := range tr.Calls {
		c := &tr.Calls[i]
		s := states[c.Instance]
		if s == nil || c.Op == apimodel.OpInit {
			s = &state{vars: map[int32]bool{}, soft: map[int32]bool{}, impliedNot: map[int32]bool{}}
			states[c.Instance] = s
		}
		switch c.Op {
		case apimodel.OpClause:
			s.open = append(s.open, tr.Args(c)...)
			if c.Flags&trace.Open != 0 {
				continue
			}
			s.clauses++
			for _, l := range s.open {
				s.vars[trace.Var(l)] = true
				s.impliedNot[-l] = true
			}
			// A tautology adds a second variable. In a SAT trace, soft literals appear only as assumptions, so any literal may
			// be one.
			vars, soft := map[int32]bool{}, tr.Model == apimodel.IPASIR
			for _, l := range s.open {
				vars[trace.Var(l)] = true
				soft = soft || s.soft[l] || s.soft[-l]
			}
			mark(feature.HardenSoft, soft && len(vars) <= 2)
			s.open = s.open[:0]
		case apimodel.OpSoft:
			l := tr.Lit(c)
			mark(feature.UnitWeights, !s.soft[l] && c.Num == 1)
			mark(feature.MediumWeights, c.Num > 0 && c.Num <= 1_000_000)
			s.soft[l] = true
		case apimodel.OpAssume:
			mark(feature.Activation, s.impliedNot[tr.Lit(c)])
		case apimodel.OpSolve:
			mark(feature.FewClauses, s.clauses <= 3)
			mark(feature.OneOrTwoVariables, len(s.vars) <= 6) // one or two variables, and a few fresh ones
			mark(feature.Threshold, s.clauses >= len(s.vars)) // 3.3 clauses for each variable, if there is room
			s.clauses = 0
		}
	}
	return shown
}
