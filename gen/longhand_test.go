package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestLonghand: traces of the profile longhand have the size, the calls and the options that its documentation
// promises.
func TestLonghand(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Propositional() {
		g := newGenerator(t, Config{Model: m, Profile: "longhand", Description: described(t, "options")})
		traces, many := 0, 0
		made := make(map[apimodel.Op]int)
		forEach(t, g, 300, func(tr *trace.Trace) error {
			count := make(map[apimodel.Op]int)
			for i := range tr.Calls {
				c := &tr.Calls[i]
				count[c.Op]++
				if c.Op == apimodel.OpClause && len(tr.Calls) < 5000 && (c.Len > 1 || c.Len > 0 && c.Flags&trace.Open == 0) {
					return fmt.Errorf("call %d has the literals %d", i, tr.Args(c))
				}
			}
			for op, n := range count {
				made[op] += n
			}
			traces++
			if count[apimodel.OpOption] >= 100 {
				many++
			}
			switch {
			case len(tr.Calls) < 500 || len(tr.Calls) > 7500:
				return fmt.Errorf("%d calls", len(tr.Calls))
			case count[apimodel.OpSolve] == 0 || count[apimodel.OpSolve] > 20:
				return fmt.Errorf("%d solves", count[apimodel.OpSolve])
			}
			return trace.Check(tr)
		})
		if many < traces*8/10 {
			t.Errorf("%s: only %d of %d traces set at least 100 options", m.Name, many, traces)
		}
		for i := range m.Calls {
			call := &m.Calls[i]
			isMade := m.Own(call) && call.Op != apimodel.OpFrozen // which came after all profiles
			if least := traces / 20; isMade && made[call.Op] < least {
				t.Errorf("%s: %s is made %d times in %d traces, want %d", m.Name, call.Name, made[call.Op], traces, least)
			}
		}
	}
}

// TestLonghandWithin: traces of longhand keep the bounds, and do not split clauses if that feature is switched off.
func TestLonghandWithin(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, b := range []Bounds{
			{MaxCalls: 8, MaxVars: 2}, {MaxCalls: 60, MaxVars: 9}, {MaxCalls: 900}, {MaxCalls: 20_000},
		} {
			g := newGenerator(t, Config{Model: m, Profile: "longhand", Description: described(t, "options"), Bounds: b})
			forEach(t, g, 100, func(tr *trace.Trace) error {
				return withinBounds(tr, measure.Inspect(tr), g.config.Bounds)
			})
		}
		g := newGenerator(t, Config{Model: m, Profile: "longhand", Without: []string{"split-clause"}})
		forEach(t, g, 30, func(tr *trace.Trace) error {
			for i := range tr.Calls {
				if c := &tr.Calls[i]; c.Op == apimodel.OpClause && c.Flags&trace.Open != 0 {
					return fmt.Errorf("call %d leaves a clause open", i)
				}
			}
			return nil
		})
	}
}
