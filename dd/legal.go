package dd

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A rule is a rule of the target, such as a policy, that a trace must respect beyond the
// rules of the model (trace.Check). If a candidate breaks one, its failure is not the
// library's fault. Without the call that lowers a weight, for example, the sum may overflow.
//
// Candidates may break the rules that the given trace breaks.
type rule uint16

const (
	zeroWeights   rule = 1 << iota // policy soft-zero
	unusedVars                     // policy soft-unused
	weightSum                      // policy weight-sum
	largeWeights                   // policy weight
	startOptions                   // some options must be set before all else
	exclusions                     // some options exclude each other
	freeVariables                  // variables in no block: the trace is clearer without them
	tautologies                    // policy tautology
	otherFailed                    // policy failed-non-assumption
	unsolved                       // no program gets a formula file without its solve
	noRule        rule = 0
)

func broken(t *trace.Trace, d *apimodel.Description) rule {
	l := &lawyer{d: d, walker: apimodel.NewWalker(t.Model), solvers: make(map[uint16]*client)}
	l.mostBits = map[string]int{"below-2^63": 63, "below-2^64": 64}[d.Policy("weight-sum")]
	l.lightOnly = d != nil && d.Policy("weight") == "below-2^63" // with no target, all weights may be had
	l.needUse = d.Policy("soft-unused") == "rejected"
	l.noZero = d.Policy("soft-zero") == "rejected"
	l.noTautology = d.Policy("tautology") == "rejected"
	l.onlyAssumed = d != nil && d.Policy("failed-non-assumption") == "rejected" // with no target, all may be asked
	for i := range t.Calls {
		l.call(t, &t.Calls[i])
	}
	if t.Model.File && t.Solves() == 0 {
		l.broken |= unsolved
	}
	return l.broken
}

type lawyer struct {
	d           *apimodel.Description
	walker      *apimodel.Walker
	mostBits    int  // most bits of the sum of weights; 0: any number
	lightOnly   bool // no weight of 2^63 or more
	needUse     bool
	noZero      bool
	noTautology bool
	onlyAssumed bool // failed is asked for assumptions only
	solvers     map[uint16]*client
	broken      rule
}

// A client is the state of one instance.
type client struct {
	weights  map[int32]uint64
	sum      [2]uint64 // sum of the current weights: upper and lower half
	used     map[int32]bool
	open     []int32
	assumed  []int32 // since the last solve
	failing  []int32 // assumptions of the last solve
	settings map[string]string
	bound    map[int32]bool
}

func (l *lawyer) call(t *trace.Trace, c *trace.Call) {
	s := l.solvers[c.Instance]
	if s == nil || c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease {
		s = &client{weights: make(map[int32]uint64), used: make(map[int32]bool), settings: make(map[string]string)}
		l.solvers[c.Instance] = s
	}
	if c.Op.Binds() {
		if s.bound == nil {
			s.bound = make(map[int32]bool)
		}
		for _, v := range t.Args(c) {
			s.bound[v] = true
		}
	}
	switch c.Op {
	case apimodel.OpClause, apimodel.OpSoftClause:
		if c.Op.IsSoft() {
			l.weigh(s, 0, c.Num)
		}
		if t.Model.Quantified() {
			for _, lit := range t.Args(c) {
				if !s.bound[trace.Var(lit)] {
					l.broken |= freeVariables
				}
			}
		}
		if l.needUse || l.noTautology {
			s.open = append(s.open, t.Args(c)...)
			if c.Flags&trace.Open == 0 {
				l.clause(s)
			}
		}
	case apimodel.OpSoft:
		l.weigh(s, s.weights[t.Lit(c)], c.Num)
		s.weights[t.Lit(c)] = c.Num
		l.use(s, t.Lit(c))
	case apimodel.OpAssume:
		l.use(s, t.Lit(c))
		s.assumed = append(s.assumed, t.Lit(c))
	case apimodel.OpSolve:
		s.assumed, s.failing = s.failing[:0], s.assumed
	case apimodel.OpFailed:
		if l.onlyAssumed && !slices.Contains(s.failing, t.Lit(c)) {
			l.broken |= otherFailed
		}
	case apimodel.OpOption:
		l.option(t, c, s)
	}
	// Ignore the error: trace.Check reports illegal calls.
	_ = l.walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0})
}

// clause checks the clause in s.open, which is complete.
func (l *lawyer) clause(s *client) {
	for i, lit := range s.open {
		s.used[trace.Var(lit)] = true
		if l.noTautology && slices.Contains(s.open[:i], -lit) {
			l.broken |= tautologies
		}
	}
	s.open = s.open[:0]
}

func (l *lawyer) use(s *client, lit int32) {
	if l.needUse && !s.used[trace.Var(lit)] {
		l.broken |= unusedVars
	}
}

// weigh adds a weight that takes the place of an old one to the sum.
func (l *lawyer) weigh(s *client, old, weight uint64) {
	if l.noZero && weight == 0 {
		l.broken |= zeroWeights
	}
	if l.lightOnly && weight > math.MaxInt64 {
		l.broken |= largeWeights
	}
	var carry uint64
	s.sum[1], carry = bits.Sub64(s.sum[1], old, 0)
	s.sum[0] -= carry
	s.sum[1], carry = bits.Add64(s.sum[1], weight, 0)
	s.sum[0] += carry
	if l.mostBits > 0 && (s.sum[0] > 0 || bits.Len64(s.sum[1]) > l.mostBits) {
		l.broken |= weightSum
	}
}

func (l *lawyer) option(t *trace.Trace, c *trace.Call, s *client) {
	name, value := t.Option(c)
	if o := l.d.Option(name); o != nil && o.When == apimodel.WhenStart {
		if !l.walker.Fresh(c.Instance) && l.walker.States(c.Instance) != apimodel.Set(apimodel.Start) {
			l.broken |= startOptions
		}
	}
	s.settings[name] = value
	if _, excluded := l.d.Excluded(s.settings); excluded {
		l.broken |= exclusions
	}
}
