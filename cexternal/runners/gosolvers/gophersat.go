package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/crillab/gophersat/maxsat"
	gs "github.com/crillab/gophersat/solver"
)

// gophersat's weights are ints, so their sum must be below 2^63.
const gophersatHello = "model ipamir\nrepeatable\nsignature gophersat 1.4.0\nlacks options\nlacks terminate\n" +
	"lacks learn\nlacks havoc\n" +
	"policy weight-sum=below-2^63\n"

// gophersat has no incremental interface: every solve is a problem of its own,
// with the assumptions as clauses.
type gophersat struct {
	optimise func(p *problem) (status, cost int, values map[int]bool)

	clauses [][]int
	softs   []int // literals, in order of their first declaration
	weights map[int]int
	highest int

	values map[int]bool
	cost   int
}

// A problem is one solve.
type problem struct {
	clauses [][]int
	softs   []int // that cost something when true
	weights []int
	highest int // variable
}

func (s *gophersat) add(clause []int) {
	s.clauses = append(s.clauses, clause)
	s.name(clause...)
}

func (s *gophersat) name(lits ...int) {
	for _, lit := range lits {
		s.highest = max(s.highest, lit, -lit)
	}
}

func (s *gophersat) soft(lit int, weight uint64) {
	if s.weights == nil {
		s.weights = make(map[int]int)
	}
	if _, declared := s.weights[lit]; !declared {
		s.softs = append(s.softs, lit)
	}
	s.weights[lit] = int(weight)
	s.name(lit)
}

func (s *gophersat) solve(assumptions []int) int {
	s.name(assumptions...)
	sum := uint64(0)
	for _, weight := range s.weights {
		if sum += uint64(weight); weight < 0 || sum >= 1<<63 {
			return 40 // the sum does not fit an int
		}
	}
	p := &problem{clauses: s.clauses[:len(s.clauses):len(s.clauses)], highest: s.highest}
	for _, lit := range assumptions {
		p.clauses = append(p.clauses, []int{lit})
	}
	for _, lit := range s.softs {
		if s.weights[lit] > 0 {
			p.softs, p.weights = append(p.softs, lit), append(p.weights, s.weights[lit])
		}
	}
	for _, clause := range p.clauses {
		if len(clause) == 0 {
			return 20 // its constructors do not document clauses without literals
		}
	}
	var status int
	status, s.cost, s.values = s.optimise(p)
	return status
}

func (s *gophersat) value(variable int) int {
	value, known := s.values[variable]
	switch {
	case !known:
		return 0
	case value:
		return 1
	}
	return -1
}

func (s *gophersat) objective() uint64 { return uint64(s.cost) }
func (s *gophersat) failed() []int     { panic("failed assumptions in a MaxSAT solver") }

// byProblem uses maxsat.New, as gophersat's clients do: a clause whose soft literal occurs
// nowhere else becomes one soft clause.
func byProblem(p *problem) (status, cost int, values map[int]bool) {
	relaxed := p.relaxed()
	var constrs []maxsat.Constr
	soft := make(map[int]bool) // literals that stand for a soft clause
	for i, clause := range p.clauses {
		if r, is := relaxed[i]; is {
			constrs = append(constrs, maxsat.WeightedClause(named(r.rest), r.weight))
			soft[r.lit] = true
			continue
		}
		constrs = append(constrs, maxsat.HardClause(named(clause)...))
	}
	for i, lit := range p.softs {
		if !soft[lit] {
			constrs = append(constrs, maxsat.WeightedClause(named([]int{-lit}), p.weights[i]))
		}
	}
	model, cost := maxsat.New(constrs...).Solve()
	if model == nil {
		return 20, 0, nil
	}
	values = make(map[int]bool)
	for name, value := range model {
		v, err := strconv.Atoi(name)
		if err != nil {
			panic(solverFault{err})
		}
		values[v] = value
	}
	for _, r := range relaxed { // paid for exactly when the rest of its clause is false
		satisfied := false
		for _, lit := range r.rest {
			satisfied = satisfied || values[max(lit, -lit)] == (lit > 0)
		}
		values[max(r.lit, -r.lit)] = satisfied != (r.lit > 0)
	}
	return 30, cost, values
}

// A relaxation is a clause that may be false for a price.
type relaxation struct {
	lit, weight int
	rest        []int
}

// relaxed finds, by number, the clauses with a soft literal whose variable occurs
// in no other place.
func (p *problem) relaxed() map[int]relaxation {
	occurrences, price := make(map[int]int), make(map[int]int)
	for _, clause := range p.clauses {
		for _, lit := range clause {
			occurrences[max(lit, -lit)]++
		}
	}
	for i, lit := range p.softs {
		occurrences[max(lit, -lit)]++
		price[lit] = p.weights[i]
	}
	found := make(map[int]relaxation)
	for i, clause := range p.clauses {
		for k, lit := range clause {
			if price[lit] > 0 && occurrences[max(lit, -lit)] == 2 && len(clause) > 1 {
				rest := append(append([]int(nil), clause[:k]...), clause[k+1:]...)
				found[i] = relaxation{lit, price[lit], rest}
				break
			}
		}
	}
	return found
}

func named(clause []int) []maxsat.Lit {
	lits := make([]maxsat.Lit, len(clause))
	for i, lit := range clause {
		if lits[i] = maxsat.Var(strconv.Itoa(max(lit, -lit))); lit < 0 {
			lits[i] = lits[i].Negation()
		}
	}
	return lits
}

// byCostFunction uses SetCostFunc and Minimize.
func byCostFunction(p *problem) (status, cost int, values map[int]bool) {
	var constrs []gs.PBConstr
	for _, clause := range p.clauses {
		constrs = append(constrs, gs.PropClause(clause...))
	}
	pb := gs.ParsePBConstrs(constrs)
	if pb.Status == gs.Unsat {
		return 20, 0, nil
	}
	if len(p.softs) > 0 {
		lits := make([]gs.Lit, len(p.softs))
		for i, lit := range p.softs {
			lits[i] = gs.IntToLit(int32(lit))
		}
		pb.SetCostFunc(lits, p.weights)
	}
	s := gs.New(pb)
	if cost = s.Minimize(); cost < 0 {
		return 20, 0, nil
	}
	return 30, cost, valuesOf(s.Model())
}

// byFile uses ParseWCNF and Optimal. A hard clause weighs one more than all soft ones, which
// fits an int below max-sum only.
func byFile(p *problem) (status, cost int, values map[int]bool) {
	top := 1
	for _, weight := range p.weights {
		top += weight
	}
	if top < 0 {
		return 40, 0, nil // above max-sum
	}
	var text strings.Builder
	fmt.Fprintf(&text, "p wcnf %d %d %d\n", p.highest, len(p.clauses)+len(p.softs), top)
	for _, clause := range p.clauses {
		fmt.Fprint(&text, top)
		for _, lit := range clause {
			fmt.Fprint(&text, " ", lit)
		}
		text.WriteString(" 0\n")
	}
	for i, lit := range p.softs {
		fmt.Fprintln(&text, p.weights[i], -lit, 0)
	}
	s, err := maxsat.ParseWCNF(strings.NewReader(text.String()))
	if err != nil {
		panic(solverFault{fmt.Errorf("ParseWCNF: %w", err)})
	}
	result := s.Optimal(nil, nil)
	if result.Status == gs.Unsat {
		return 20, 0, nil
	}
	values = valuesOf(result.Model)
	for v := range values {
		if v > p.highest {
			delete(values, v) // it relaxes a clause
		}
	}
	return 30, result.Weight, values
}

func valuesOf(model []bool) map[int]bool {
	values := make(map[int]bool)
	for i, value := range model {
		values[i+1] = value
	}
	return values
}
