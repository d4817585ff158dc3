package gen

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The family tiny is good if it soon shows a slip, a mistake like those in real libraries. Here a solver by exhaustive
// search makes such slips. The test counts the traces until the answer of a solve, or an optimum, differs.

type slip struct {
	name   string
	model  *apimodel.Model // nil: both
	within uint64          // the slip must show within that many traces
	make   func(s *slipped)
}

// slipped says which slips the solver makes.
type slipped struct {
	keepAssumptions, firstAssumption, lastAssumptionWins, noFreshAssumption bool
	noEmptyClause, shortClauses, dropTautology, dropDuplicate, splitClauses bool
	unsatForGood, sharedClauses, keepOnRelease                              bool
	addWeights, firstWeight, perVariable, zeroIgnored, lowerIgnored         bool
	unusedIgnored, weights32, weightsSigned, floatSum, assumedSoftFree      bool
}

var slips = []slip{
	{"assumptions are not cleared", nil, 300, func(s *slipped) { s.keepAssumptions = true }},
	{"only the first assumption counts", nil, 300, func(s *slipped) { s.firstAssumption = true }},
	{"of x and -x assumed the last wins", nil, 3000, func(s *slipped) { s.lastAssumptionWins = true }},
	{"assumptions of new variables are lost", nil, 10_000, func(s *slipped) { s.noFreshAssumption = true }},
	{"empty clauses are ignored", nil, 3000, func(s *slipped) { s.noEmptyClause = true }},
	{"clauses end after four literals", nil, 3000, func(s *slipped) { s.shortClauses = true }},
	{"x in a clause with -x is lost", nil, 3000, func(s *slipped) { s.dropTautology = true }},
	{"a literal given twice is lost", nil, 3000, func(s *slipped) { s.dropDuplicate = true }},
	{"the rest of a clause is a clause", nil, 3000, func(s *slipped) { s.splitClauses = true }},
	{"unsatisfiable once, always so", nil, 300, func(s *slipped) { s.unsatForGood = true }},
	{"instances share their clauses", nil, 1000, func(s *slipped) { s.sharedClauses = true }},
	{"release keeps the clauses", nil, 1000, func(s *slipped) { s.keepOnRelease = true }},
	{"a redeclared weight is added", apimodel.IPAMIR, 300, func(s *slipped) { s.addWeights = true }},
	{"a redeclared weight is ignored", apimodel.IPAMIR, 300, func(s *slipped) { s.firstWeight = true }},
	{"weights are per variable", apimodel.IPAMIR, 300, func(s *slipped) { s.perVariable = true }},
	{"weight 0 is ignored", apimodel.IPAMIR, 1000, func(s *slipped) { s.zeroIgnored = true }},
	{"weights never fall", apimodel.IPAMIR, 1000, func(s *slipped) { s.lowerIgnored = true }},
	{"soft literals in no clause are lost", apimodel.IPAMIR, 3000, func(s *slipped) { s.unusedIgnored = true }},
	{"weights have 32 bits", apimodel.IPAMIR, 300, func(s *slipped) { s.weights32 = true }},
	{"weights are signed", apimodel.IPAMIR, 3000, func(s *slipped) { s.weightsSigned = true }},
	{"costs are floating-point numbers", apimodel.IPAMIR, 3000, func(s *slipped) { s.floatSum = true }},
	{"assumed soft literals are free", apimodel.IPAMIR, 300, func(s *slipped) { s.assumedSoftFree = true }},
}

func TestSlipsShow(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		g := newGenerator(t, Config{Model: m, Profile: family.Tiny})
		for _, slip := range slips {
			if slip.model != nil && slip.model != m {
				continue
			}
			var wrong slipped
			slip.make(&wrong)
			var tr trace.Trace
			shown := uint64(0)
			for number := range slip.within {
				g.Generate(draw.Seed(start, 0, number), &tr)
				if differ(&tr, wrong) {
					shown = number + 1
					break
				}
			}
			if t.Logf("%s: %-40s shows in trace %d", m.Name, slip.name, shown); shown == 0 {
				t.Errorf("%s: %q does not show in %d traces", m.Name, slip.name, slip.within)
			}
		}
	}
}

// TestAnswersAreMixed: the share of satisfiable solves, and of those with a cost, stays balanced.
func TestAnswersAreMixed(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		g := newGenerator(t, Config{Model: m, Profile: family.Tiny})
		var tr trace.Trace
		sat, solves, costly := 0, 0, 0
		for number := range uint64(3000) {
			g.Generate(draw.Seed(start, 1, number), &tr)
			for _, a := range solveAll(&tr, slipped{}) {
				solves++
				if a.sat {
					sat++
				}
				if a.cost > 0 {
					costly++
				}
			}
		}
		t.Logf("%s: %.2f solves a trace, %d%% satisfiable, %d%% of these at a cost",
			m.Name, float64(solves)/3000, 100*sat/solves, 100*costly/sat)
		if sat < solves*4/10 || sat > solves*85/100 || m == apimodel.IPAMIR && costly < sat/3 {
			t.Errorf("%s: %d solves, %d satisfiable, %d of these at a cost", m.Name, solves, sat, costly)
		}
	}
}

type answer struct {
	sat  bool
	cost uint64
}

func differ(tr *trace.Trace, wrong slipped) bool {
	right, other := solveAll(tr, slipped{}), solveAll(tr, wrong)
	for i := range right {
		if right[i] != other[i] {
			return true
		}
	}
	return false
}

// An exhaustive solves one instance by trying all assignments. It numbers variables by their first occurrence in the
// trace, so that instances can share clauses. In the few traces whose instances have more than 20 variables together,
// neither the right nor the wrong solver tries all.
type exhaustive struct {
	slip     slipped
	clauses  *[][2]uint32 // sets of the positive and the negative literals
	open     []int32
	inClause map[int32]bool
	soft     map[int32]uint64
	assumed  []int32
	unsat    bool
}

func solveAll(tr *trace.Trace, wrong slipped) []answer {
	index := map[int32]int{}
	for _, lit := range tr.Lits {
		if v := trace.Var(lit); index[v] == 0 {
			index[v] = len(index) + 1
		}
	}
	solvers := map[uint16]*exhaustive{}
	shared := &[][2]uint32{}
	var answers []answer
	for i := range tr.Calls {
		c := &tr.Calls[i]
		s := solvers[c.Instance]
		if s == nil || c.Op == apimodel.OpInit {
			next := &exhaustive{slip: wrong, clauses: &[][2]uint32{}, inClause: map[int32]bool{}, soft: map[int32]uint64{}}
			if wrong.sharedClauses {
				next.clauses = shared
			}
			if s != nil && wrong.keepOnRelease {
				next.clauses = s.clauses
			}
			s = next
			solvers[c.Instance] = s
		}
		switch c.Op {
		case apimodel.OpClause:
			s.add(tr.Args(c), c.Flags&trace.Open != 0, index)
		case apimodel.OpSoft:
			s.declare(tr.Lit(c), c.Num)
		case apimodel.OpAssume:
			s.assume(tr.Lit(c))
		case apimodel.OpSolve:
			answers = append(answers, s.solve(index))
		}
	}
	return answers
}

func (s *exhaustive) add(lits []int32, open bool, index map[int32]int) {
	s.open = append(s.open, lits...)
	if open && !s.slip.splitClauses {
		return
	}
	literals := s.open
	s.open = nil
	if len(literals) == 0 && s.slip.noEmptyClause {
		return
	}
	if s.slip.shortClauses {
		literals = literals[:min(len(literals), 4)]
	}
	var clause [2]uint32
	for _, lit := range literals {
		side, other := 0, 1
		if lit < 0 {
			side, other = 1, 0
		}
		b := uint32(1) << (index[trace.Var(lit)] - 1)
		switch {
		case s.slip.dropTautology && clause[other]&b != 0:
			clause[other] &^= b
			continue
		case s.slip.dropDuplicate && clause[side]&b != 0:
			clause[side] &^= b
			continue
		}
		clause[side] |= b
		s.inClause[trace.Var(lit)] = true
	}
	*s.clauses = append(*s.clauses, clause)
}

func (s *exhaustive) declare(lit int32, weight uint64) {
	old, again := s.soft[lit]
	switch {
	case s.slip.unusedIgnored && !s.inClause[trace.Var(lit)],
		s.slip.firstWeight && again,
		s.slip.zeroIgnored && weight == 0,
		s.slip.lowerIgnored && again && weight < old:
		return
	case s.slip.addWeights:
		weight += old
	case s.slip.weights32:
		weight = uint64(uint32(weight))
	case s.slip.weightsSigned && weight >= 1<<63:
		weight = 0
	case s.slip.perVariable:
		delete(s.soft, -lit)
	}
	s.soft[lit] = weight
}

func (s *exhaustive) assume(lit int32) {
	if s.slip.firstAssumption && len(s.assumed) > 0 ||
		s.slip.noFreshAssumption && !s.inClause[trace.Var(lit)] {
		return
	}
	if s.slip.lastAssumptionWins {
		for i, have := range s.assumed {
			if have == -lit {
				s.assumed[i] = lit
			}
		}
	}
	s.assumed = append(s.assumed, lit)
	if s.slip.assumedSoftFree {
		delete(s.soft, lit)
	}
}

func (s *exhaustive) solve(index map[int32]int) answer {
	var units [2]uint32
	for _, lit := range s.assumed {
		units[side(lit)] |= 1 << (index[trace.Var(lit)] - 1)
	}
	if !s.slip.keepAssumptions {
		s.assumed = nil
	}
	best := answer{}
	for value := range uint32(1) << min(len(index), 20) {
		if units[0]&^value != 0 || units[1]&value != 0 || !holds(*s.clauses, value) {
			continue
		}
		cost := uint64(0)
		for lit, weight := range s.soft {
			if value>>(index[trace.Var(lit)]-1)&1 != uint32(side(lit)) {
				cost += weight
			}
		}
		if !best.sat || cost < best.cost {
			best = answer{true, cost}
		}
	}
	if s.unsat && s.slip.unsatForGood {
		return answer{}
	}
	s.unsat = !best.sat
	if s.slip.floatSum {
		best.cost = uint64(float64(best.cost))
	}
	return best
}

func side(lit int32) int {
	if lit < 0 {
		return 1
	}
	return 0
}

func holds(clauses [][2]uint32, value uint32) bool {
	for _, c := range clauses {
		if c[0]&value == 0 && c[1]&^value == 0 {
			return false
		}
	}
	return true
}
