package gen

import "github.com/ipafuzz/ipafuzz/gen/family"

// needsSoft reports whether the schedule needs weights, which SAT has not.
func needsSoft(s family.Schedule) bool {
	switch s {
	case family.ReweighOnly, family.Hardening, family.Lexicographic, family.BiObjective, family.HittingSets:
		return true
	}
	return false
}

// Parameters of the schedules.
const (
	leastIncrements = 2
	mostIncrements  = 6 // more with many-solves
	mostAssumed     = 10
	tenthAgain      = 6 // P24 section 4.1.3: one time in six, assume another tenth of the variables
)

// planIncrement decides what a spread instance does before its next solve.
func (s *spread) planIncrement(g *emitter, first bool) {
	r := &g.rand
	s.instance.beforeIncrement(g, first)
	s.todo = work{}
	rest := len(s.items) - s.next
	w := &s.todo
	switch s.schedule {
	case family.OneShot:
		w.items = rest
		w.assumes = s.fewAssumptions(g, 300)
	case family.AddAndSolve:
		w.items = s.partOfFormula(g, rest)
		w.assumes = s.fewAssumptions(g, 400)
		if s.f.Tenths {
			w.assumes = s.tenths(g)
		}
	case family.AssumeOnly:
		w.items = rest
		w.assumes = s.tenths(g)
	case family.ReweighOnly:
		w.items = rest
		if !first {
			w.reweighs = r.Between(1, 4)
		}
		w.assumes = s.fewAssumptions(g, 150)
	case family.Hardening:
		w.items = rest
		if !first {
			w.hardens = r.Between(1, 3)
		}
	case family.Lexicographic:
		w.items = s.partOfFormula(g, rest)
		if !first {
			w.hardens = r.Between(0, 2)
			w.silence = true
		}
	case family.CoreExtraction:
		w.items = rest
		w.softAssumes = len(s.softs)
		s.shrinking = !first
	case family.Activations:
		if first {
			w.items = rest
		}
		w.actives = r.Between(1, 4)
	case family.BiObjective:
		w.items = rest
		w.sweep = !first
	case family.HittingSets:
		if first {
			w.items = rest
		}
		w.hits = r.Between(1, 2)
	case family.Enumeration:
		w.items = rest
		if !first {
			w.blocks = 1
		}
	case family.Falsification:
		w.items = s.partOfFormula(g, rest)
		w.falsify = true
		w.assumes = s.fewAssumptions(g, 300)
	default:
		w.items = rest
		if s.increments > 1 {
			w.items = r.Between(0, rest)
		}
		w.assumes = s.fewAssumptions(g, 500)
		if !first && g.maxSAT && r.Chance(400) {
			w.reweighs = r.Between(1, 3)
		}
		if !first && r.Chance(200) {
			w.hardens = 1
		}
		if !first && r.Chance(100) {
			w.actives = 1
		}
	}
	if first && w.items == 0 && rest > 0 {
		w.items = 1
	}
}

// partOfFormula returns how many clauses this increment adds: those up to the family's next cut or,
// if there is none, an equal part of the rest.
func (s *spread) partOfFormula(g *emitter, rest int) int {
	for _, cut := range s.f.Cuts {
		if int(cut) > s.next && s.inOrder {
			return min(int(cut)-s.next, rest)
		}
	}
	return (rest + max(s.increments, 1) - 1) / max(s.increments, 1)
}

// fewAssumptions draws the number of assumptions of a solve, mostly 0.
func (s *spread) fewAssumptions(g *emitter, perMille uint32) int {
	if g.current.Plain || !g.rand.Chance(perMille) {
		return 0
	}
	return g.rand.Between(1, min(mostAssumed, max(1, s.f.Vars)))
}

// tenths draws a number of assumptions, in tenths of the variables.
func (s *spread) tenths(g *emitter) int {
	tenth := max(1, s.f.Vars/10)
	n := tenth
	for n < s.f.Vars && g.rand.OneIn(tenthAgain) {
		n += tenth
	}
	return n
}
