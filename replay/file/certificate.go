package file

import (
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// tellsValues reports whether the program printed values that fit the trace. With quantifiers,
// a program prints values of the outermost block of the file. If the trace assumes universal
// variables, that is not the outermost block of the trace.
func (s *result) tellsValues() bool { return s.hasValues && !s.formula.AssumesUniversal() }

// told returns the value of a variable, unless winnersBeside contains the variable.
func (s *result) told(v int32) (value, known bool) {
	value, known = s.value(v)
	if known && s.beside == nil {
		s.beside = s.winnersBeside()
	}
	return value, known && !s.beside[v]
}

// winnersBeside returns the variables outside of the trace's outermost block whose values the
// program may print all the same. These values tell nothing about the trace.
//
// QDIMACS 1.1 wants a clause for every variable of the prefix, and the file has no free variables of
// clauses that the trace removed. So maybe no variable of the trace's outermost block is in a clause
// of the file. A program may then drop the block, and print values of the next one. It may drop
// tautologies, too.
func (s *result) winnersBeside() map[int32]bool {
	if len(s.formula.Prefix) == 0 {
		return map[int32]bool{}
	}
	winners := s.winnersOf(func([]int32) bool { return true })
	maps.Copy(winners, s.winnersOf(func(clause []int32) bool { return !tautological(clause) }))
	for _, v := range s.formula.Outermost {
		delete(winners, v)
	}
	return winners
}

// winnersOf returns the variables whose values a program may print if it drops the clauses that do
// not count: those of the outermost block, if its player wins, and those in none of the clauses
// left.
func (s *result) winnersOf(counts func(clause []int32) bool) map[int32]bool {
	used := make(map[int32]bool)
	rest := qbf.Formula{}
	for clause := range s.formula.Hard {
		if counts(clause) {
			rest.Clauses = append(rest.Clauses, clause)
			for _, lit := range clause {
				used[trace.Var(lit)] = true
			}
		}
	}
	winners := make(map[int32]bool)
	for _, block := range s.formula.Prefix {
		kept := qbf.Block{Universal: block.Universal}
		for _, v := range block.Vars {
			if used[v] {
				kept.Vars = append(kept.Vars, v)
			} else {
				winners[v] = true
			}
		}
		rest.Prefix = append(rest.Prefix, kept)
	}
	universal, outermost := rest.Outermost()
	if universal == (s.status == apimodel.Unsatisfiable) {
		for _, v := range outermost {
			winners[v] = true
		}
	}
	return winners
}

func tautological(clause []int32) bool {
	return slices.ContainsFunc(clause, func(lit int32) bool { return slices.Contains(clause, -lit) })
}
