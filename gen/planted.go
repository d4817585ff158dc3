package gen

import (
	"fmt"
	"strconv"
	"strings"
)

// Some families know an assignment that satisfies their hard clauses. It is
// told in the trace's header, as a note for every instance that has one:
//
//	planted @0 bound=17 1 -2 3 1001
//
// The literals are an assignment of the instance's variables. bound is what it
// pays for the soft clauses of the formula, at the weights that the family gave
// them; "optimum=17" stands there when nothing is cheaper. Calls that are not
// part of the formula (an assumption, a hardened soft literal, a changed weight)
// may go against it, so whoever uses it evaluates it at the solve in question:
// if it fulfils all hard clauses and assumptions there, then there is a
// solution, and its cost under the current weights is an upper bound on the
// optimum. Used like that it stays true however the trace is changed.

// mostPlanted is the number of variables up to which the note is made: a header
// has its limits.
const mostPlanted = 4000

// satisfies reports whether a clause is true under the planted assignment.
func (s *spread) satisfies(lits []int32) bool {
	for _, l := range lits {
		if l > 0 && s.values[l] || l < 0 && !s.values[-l] {
			return true
		}
	}
	return false
}

// Planted appends the assignment that the last trace's instance was built
// around to lits and reports whether there is one.
func (g *Generator) Planted(instance uint16, lits []int32) ([]int32, bool) {
	if !g.made || g.family == nil || int(instance) >= g.plan.instances {
		return lits, false
	}
	s := &g.spreads[instance]
	if len(s.f.planted) == 0 || len(s.vars) != len(s.values) {
		return lits, false
	}
	for v := int32(1); v < int32(len(s.values)); v++ {
		if s.values[v] {
			lits = append(lits, s.name(v))
		} else {
			lits = append(lits, s.name(-v))
		}
	}
	return lits, true
}

// plantedNotes are the notes of the last trace's planted assignments.
func (g *Generator) plantedNotes() []string {
	var notes []string
	for i := range uint16(g.plan.instances) {
		lits, known := g.Planted(i, nil)
		if !known || len(lits) > mostPlanted {
			continue
		}
		f := &g.spreads[i].f
		cost, _ := f.cost(f.planted)
		word := "bound"
		if f.exact {
			word = "optimum"
		}
		var text strings.Builder
		fmt.Fprintf(&text, "planted @%d %s=%d", i, word, cost)
		for _, l := range lits {
			text.WriteByte(' ')
			text.WriteString(strconv.Itoa(int(l)))
		}
		notes = append(notes, text.String())
	}
	return notes
}
