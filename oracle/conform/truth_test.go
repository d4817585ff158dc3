package conform

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExpectationsAreTrue works out the right answers of every case without the oracle: it tries all
// assignments of up to 20 variables and searches plainly otherwise. A case may expect a value, a model or a
// core only if every right library gives that one.
func TestExpectationsAreTrue(t *testing.T) {
	for _, m := range apimodel.Libraries() {
		for _, c := range Cases(m) {
			t.Run(c.Name, func(t *testing.T) {
				if m.Quantified() {
					followQuantified(t, c.Trace)
					return
				}
				newFollower(t, c.Trace).follow()
			})
		}
	}
}

// A problem is what a client has told one solver.
type problem struct {
	clauses [][]int32
	open    []int32
	weights map[int32]*big.Int
	pending []int32 // assumptions
	// constraint is the clause for the next solve, or nil. After the solve it is the last of the clauses.
	constraint  []int32
	constrained bool
	limited     bool    // the next solve may give up
	mayStop     bool    // a callback that says stop is installed
	assumed     []int32 // of the last solve
	solved      bool    // the last solve has an expected status, and no call has changed the problem since
	feasible    bool
	optimum     *big.Int
	freezes     []int32 // that no melt has undone
}

type follower struct {
	t        *testing.T
	trace    *trace.Trace
	problems map[uint16]*problem
}

func newFollower(t *testing.T, tr *trace.Trace) *follower {
	return &follower{t: t, trace: tr, problems: make(map[uint16]*problem)}
}

func (f *follower) follow() {
	for i := range f.trace.Calls {
		c := &f.trace.Calls[i]
		p := f.problems[c.Instance]
		if p == nil || c.Op == apimodel.OpRelease {
			p = &problem{weights: make(map[int32]*big.Int)}
			f.problems[c.Instance] = p
		}
		want := f.trace.Want.At(i)
		if want.Kind == trace.Withheld || want.Kind == trace.Unsupported {
			f.t.Errorf("call %d: a case expects an answer or nothing", i+1)
			continue
		}
		f.call(i, c, p, want)
	}
}

func (f *follower) call(i int, c *trace.Call, p *problem, want *trace.Answer) {
	args := f.trace.Args
	if reply := f.trace.Model.Call(c.Op).Reply; p.constrained && (len(f.trace.Model.Call(c.Op).Steps) > 0 ||
		reply == apimodel.ReplyStatus) {
		p.constrained, p.clauses = false, p.clauses[:len(p.clauses)-1]
	}
	switch c.Op {
	case apimodel.OpConstrain:
		p.solved = false
		p.constraint = append([]int32{}, args(c)...)
	case apimodel.OpSimplify:
		p.solved, p.constraint, p.pending, p.limited = false, nil, nil, false
	case apimodel.OpLimitConflicts, apimodel.OpLimitDecisions:
		p.solved, p.limited = false, true
	case apimodel.OpEnumerate:
		p.solved, p.pending = false, nil
		if count := min(p.count(f.t), c.Num); want.Kind == trace.Answered && want.Num != count|count<<32 {
			f.t.Errorf("call %d: the case expects the counts %d and %d, there are %d solutions", i+1, want.Num&math.MaxUint32,
				want.Num>>32, count)
		}
	case apimodel.OpFixed:
		if want.Kind == trace.Answered {
			f.open(i, p, args(c)[0], want.Int())
		}
	case apimodel.OpFreeze:
		p.freezes = append(p.freezes, args(c)[0])
	case apimodel.OpMelt:
		at := slices.Index(p.freezes, args(c)[0])
		p.freezes = slices.Delete(p.freezes, at, at+1)
	case apimodel.OpFrozen:
		l := args(c)[0]
		if is := slices.Contains(p.freezes, l) || slices.Contains(p.freezes, -l); want.Kind == trace.Answered &&
			is != (want.Num == 1) {
			f.t.Errorf("call %d: the case expects %d", i+1, want.Num)
		}
	case apimodel.OpErrors:
		if want.Kind == trace.Answered && want.Num != 0 {
			f.t.Errorf("call %d: the case expects an error", i+1)
		}
	case apimodel.OpClause, apimodel.OpImport:
		p.solved = false
		p.open = append(p.open, args(c)...)
		if c.Flags&trace.Open == 0 {
			p.clauses = append(p.clauses, p.open)
			p.open = nil
		}
	case apimodel.OpSoft:
		p.solved = false
		p.weights[args(c)[0]] = new(big.Int).SetUint64(c.Num)
	case apimodel.OpAssume:
		p.solved = false
		p.pending = append(p.pending, args(c)[0])
	case apimodel.OpTerminate:
		p.mayStop = c.Num > 0
	case apimodel.OpSolve:
		f.solve(i, p, want)
	default:
		if want.Kind == trace.Answered {
			if !p.solved {
				f.t.Fatalf("call %d: nothing can be expected when the status is not", i+1)
			}
			f.query(i, c, p, want)
		}
	}
}

func (f *follower) solve(i int, p *problem, want *trace.Answer) {
	p.assumed, p.pending = p.pending, nil
	if p.constraint != nil {
		p.clauses, p.constraint, p.constrained = append(p.clauses, p.constraint), nil, true
	}
	limited := p.limited
	p.limited = false
	p.solved = want.Kind == trace.Answered
	if !p.solved {
		return
	}
	if p.mayStop || limited {
		f.t.Fatalf("call %d: a solve that may be stopped can answer in several ways", i+1)
	}
	p.feasible, p.optimum = p.least(f.t, p.assumed)
	status := int64(apimodel.Unsatisfiable)
	if p.feasible {
		status = apimodel.Satisfiable
		if f.trace.Model == apimodel.IPAMIR {
			status = apimodel.Optimum
		}
	}
	if want.Int() != status {
		f.t.Fatalf("call %d: the case expects %d, the status is %d", i+1, want.Int(), status)
	}
}

func (f *follower) query(i int, c *trace.Call, p *problem, want *trace.Answer) {
	switch c.Op {
	case apimodel.OpObj:
		if got := new(big.Int).SetUint64(want.Num); !p.feasible || got.Cmp(p.optimum) != 0 {
			f.t.Errorf("call %d: the case expects objective %v, the optimum is %v", i+1, got, p.optimum)
		}
	case apimodel.OpVal:
		lit, value := f.trace.Lit(c), int32(want.Int())
		if value != lit && value != -lit {
			f.t.Fatalf("call %d: val %d cannot be %d", i+1, lit, value)
		}
		f.forced(i, p, value)
	case apimodel.OpModel:
		lits := f.trace.Want.ListOf(want)
		vars := f.trace.InUse(c.Instance, i)
		if len(lits) != len(vars) {
			f.t.Fatalf("call %d: the model has %d literals, %d variables are in use", i+1, len(lits), len(vars))
		}
		for n, lit := range lits {
			if trace.Var(lit) != vars[n] {
				f.t.Fatalf("call %d: place %d of the model is variable %d", i+1, n+1, vars[n])
			}
			f.forced(i, p, lit)
		}
	case apimodel.OpFailed:
		if want.Int() != 1 {
			f.t.Fatalf("call %d: a library may use an assumption that it does not need", i+1)
		}
		f.needed(i, p, f.trace.Lit(c))
	case apimodel.OpConstraintFailed:
		if want.Int() != 1 || p.feasible || !p.constrained {
			f.t.Fatalf("call %d: a library may use a constraint that it does not need", i+1)
		}
		free := *p
		free.clauses = p.clauses[:len(p.clauses)-1]
		if feasible, _ := free.least(f.t, p.assumed); !feasible {
			f.t.Errorf("call %d: there is no solution without the constraint either", i+1)
		}
	case apimodel.OpCore:
		core := f.trace.Want.ListOf(want)
		if !slices.Equal(core, p.assumed) {
			f.t.Fatalf("call %d: core %v is not the only one under assumptions %v", i+1, core, p.assumed)
		}
		for _, lit := range core {
			f.needed(i, p, lit)
		}
	default:
		f.t.Errorf("call %d: nobody knows what it must answer", i+1)
	}
}

// open fails the test unless both literals of the variable can be true and 0 is expected: a library need not
// know more.
func (f *follower) open(i int, p *problem, lit int32, expected int64) {
	free := *p
	if p.constrained {
		free.clauses = p.clauses[:len(p.clauses)-1]
	}
	positive, _ := free.least(f.t, []int32{lit})
	negative, _ := free.least(f.t, []int32{-lit})
	if expected != 0 || !positive || !negative {
		f.t.Errorf("call %d: a library may answer otherwise", i+1)
	}
}

// forced fails the test unless the literal is true in every solution, or in every solution of that cost.
func (f *follower) forced(i int, p *problem, lit int32) {
	if !p.feasible {
		f.t.Fatalf("call %d: there is no solution", i+1)
	}
	if other, cost := p.least(f.t, append(slices.Clone(p.assumed), -lit)); other && cost.Cmp(p.optimum) == 0 {
		f.t.Errorf("call %d: a solution with %d is as good as one with %d", i+1, -lit, lit)
	}
}

// needed fails the test if the other assumptions alone contradict the clauses.
func (f *follower) needed(i int, p *problem, lit int32) {
	if p.feasible || !slices.Contains(p.assumed, lit) {
		f.t.Fatalf("call %d: %d is no assumption of an unsatisfiable solve", i+1, lit)
	}
	others := slices.DeleteFunc(slices.Clone(p.assumed), func(other int32) bool { return other == lit })
	if feasible, _ := p.least(f.t, others); !feasible {
		f.t.Errorf("call %d: there is a core without %d", i+1, lit)
	}
}

const mostVariables = 20

// count returns the number of assignments that satisfy the clauses, over the variables in them.
func (p *problem) count(t *testing.T) (n uint64) {
	var vars []int32
	for _, clause := range p.clauses {
		for _, lit := range clause {
			if v := trace.Var(lit); !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	if len(vars) > mostVariables {
		t.Fatalf("%d variables are too many to try", len(vars))
	}
	for assignment := range uint32(1) << len(vars) {
		if !slices.ContainsFunc(p.clauses, func(clause []int32) bool {
			return !slices.ContainsFunc(clause, func(lit int32) bool {
				return assignment>>slices.Index(vars, trace.Var(lit))&1 == 1 == (lit > 0)
			})
		}) {
			n++
		}
	}
	return n
}

// least returns the cost of the cheapest solution, and whether there is one.
func (p *problem) least(t *testing.T, units []int32) (bool, *big.Int) {
	index := make(map[int32]int)
	name := func(lits ...int32) {
		for _, lit := range lits {
			if _, ok := index[trace.Var(lit)]; !ok {
				index[trace.Var(lit)] = len(index)
			}
		}
	}
	clauses := slices.Clone(p.clauses)
	for _, lit := range units {
		clauses = append(clauses, []int32{lit})
	}
	for _, clause := range clauses {
		name(clause...)
	}
	for lit := range p.weights {
		name(lit)
	}
	if len(index) > mostVariables {
		s := &searcher{t: t, clauses: clauses, weights: p.weights, values: make(map[int32]bool)}
		s.search()
		return s.best != nil, s.best
	}
	return tryAll(clauses, p.weights, index)
}

func tryAll(clauses [][]int32, weights map[int32]*big.Int, index map[int32]int) (bool, *big.Int) {
	type masks struct{ positive, negative uint32 }
	mask := func(lits ...int32) (m masks) {
		for _, lit := range lits {
			if lit > 0 {
				m.positive |= 1 << index[lit]
			} else {
				m.negative |= 1 << index[-lit]
			}
		}
		return m
	}
	holds := func(m masks, assignment uint32) bool {
		return m.positive&assignment != 0 || m.negative&^assignment != 0
	}
	list := make([]masks, len(clauses))
	for i, clause := range clauses {
		list[i] = mask(clause...)
	}
	var best *big.Int
next:
	for assignment := range uint32(1) << len(index) {
		for _, m := range list {
			if !holds(m, assignment) {
				continue next
			}
		}
		cost := new(big.Int)
		for lit, weight := range weights {
			if holds(mask(lit), assignment) {
				cost.Add(cost, weight)
			}
		}
		if best == nil || cost.Cmp(best) < 0 {
			best = cost
		}
		if len(weights) == 0 {
			break
		}
	}
	return best != nil, best
}

// A searcher branches and propagates units, and decides soft literals first. It solves large formulas that
// propagation makes small.
type searcher struct {
	t       *testing.T
	clauses [][]int32
	weights map[int32]*big.Int
	values  map[int32]bool
	nodes   int
	best    *big.Int
}

func (s *searcher) isTrue(lit int32) bool {
	value, ok := s.values[trace.Var(lit)]
	return ok && value == (lit > 0)
}

func (s *searcher) isFalse(lit int32) bool { return s.isTrue(-lit) }

// propagate returns the literals that it set, and whether every clause can still be satisfied.
func (s *searcher) propagate() (set []int32, ok bool) {
	for again := true; again; {
		again = false
	next:
		for _, clause := range s.clauses {
			left, only := 0, int32(0)
			for _, lit := range clause {
				if s.isTrue(lit) {
					continue next
				}
				if !s.isFalse(lit) && lit != only {
					left, only = left+1, lit
				}
			}
			switch left {
			case 0:
				return set, false
			case 1:
				s.values[trace.Var(only)] = only > 0
				set = append(set, only)
				again = true
			}
		}
	}
	return set, true
}

func (s *searcher) search() {
	if s.nodes++; s.nodes > 100_000 {
		s.t.Fatal("the case is too hard to be worked out")
	}
	set, ok := s.propagate()
	defer func() {
		for _, lit := range set {
			delete(s.values, trace.Var(lit))
		}
	}()
	cost := new(big.Int)
	for lit, weight := range s.weights {
		if s.isTrue(lit) {
			cost.Add(cost, weight)
		}
	}
	if !ok || s.best != nil && cost.Cmp(s.best) >= 0 {
		return
	}
	branch := s.undecided()
	if branch == 0 {
		s.best = cost
		return
	}
	for _, value := range []bool{branch < 0, branch > 0} { // first try the literal as false
		s.values[trace.Var(branch)] = value
		s.search()
		delete(s.values, trace.Var(branch))
	}
}

func (s *searcher) undecided() (branch int32) {
	for lit := range s.weights {
		if !s.isTrue(lit) && !s.isFalse(lit) && (branch == 0 || trace.Var(lit) < trace.Var(branch)) {
			branch = lit
		}
	}
	for _, clause := range s.clauses {
		for _, lit := range clause {
			if branch == 0 && !s.isTrue(lit) && !s.isFalse(lit) {
				branch = trace.Var(lit)
			}
		}
	}
	return branch
}
