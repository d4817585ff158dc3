package mutation

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A problem is what one solve was asked, with all its solutions. They come from trying every assignment, in
// code simple enough to be believed.
type problem struct {
	vars      []int32
	solutions []uint32 // bit i is the value of vars[i]
	costs     []uint64 // of each solution
	least     uint64
	tooDear   bool // the weights add up to 2^64 or more, so costs are unknown
}

// A formula is what the calls of one life of an instance have added.
type formula struct {
	clauses [][]int32
	softs   []soft
}

type soft struct {
	lit    int32
	weight uint64
}

// mostVars limits the search; traces with more variables are skipped.
const mostVars = 16

// variables returns the distinct variables of the formula and the assumptions.
func (f *formula) variables(assumed []int32) []int32 {
	var vars []int32
	take := func(lits []int32) {
		for _, l := range lits {
			if v := trace.Var(l); !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	for _, c := range f.clauses {
		take(c)
	}
	for _, s := range f.softs {
		take([]int32{s.lit})
	}
	take(assumed)
	return vars
}

// A solver solves problems and remembers the answers: the altered runs of one trace pose the same few problems
// again and again.
type solver struct {
	known map[string]*problem
	key   []byte
}

func (s *solver) forget() { s.known = map[string]*problem{} }

func (s *solver) solve(f *formula, assumed []int32) *problem {
	k := s.key[:0]
	list := func(lits []int32) {
		k = binary.LittleEndian.AppendUint32(k, uint32(len(lits)))
		for _, l := range lits {
			k = binary.LittleEndian.AppendUint32(k, uint32(l))
		}
	}
	k = binary.LittleEndian.AppendUint32(k, uint32(len(f.clauses)))
	for _, c := range f.clauses {
		list(c)
	}
	for _, w := range f.softs {
		k = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(k, uint32(w.lit)), w.weight)
	}
	list(assumed)
	s.key = k
	if p := s.known[string(k)]; p != nil {
		return p
	}
	p := enumerate(f, assumed)
	s.known[string(k)] = p
	return p
}

// enumerate tries every assignment.
func enumerate(f *formula, assumed []int32) *problem {
	p := &problem{vars: f.variables(assumed)}
	if len(p.vars) > mostVars {
		panic("the trace should have been skipped")
	}
	// A literal is one of 64 bits: the low half is for true variables, the high half for false ones.
	var clauses []uint64
	for _, c := range f.clauses {
		m := uint64(0)
		for _, l := range c {
			m |= p.bit(l)
		}
		clauses = append(clauses, m)
	}
	for _, l := range assumed {
		clauses = append(clauses, p.bit(l))
	}
	sum := uint64(0)
	var weights []uint64
	for _, s := range f.softs {
		var carry uint64
		sum, carry = bits.Add64(sum, s.weight, 0)
		p.tooDear = p.tooDear || carry != 0
		weights = append(weights, p.bit(s.lit))
	}
next:
	for a := range uint32(1) << len(p.vars) {
		both := uint64(a) | uint64(^a)<<32
		for _, c := range clauses {
			if c&both == 0 {
				continue next
			}
		}
		cost := uint64(0)
		for i, w := range weights {
			if w&both != 0 {
				cost += f.softs[i].weight
			}
		}
		if len(p.solutions) == 0 || cost < p.least {
			p.least = cost
		}
		p.solutions = append(p.solutions, a)
		p.costs = append(p.costs, cost)
	}
	return p
}

// bit returns the bit of the literal; 0 if the problem does not have its variable.
func (p *problem) bit(l int32) uint64 {
	i := slices.Index(p.vars, trace.Var(l))
	switch {
	case i < 0:
		return 0
	case l > 0:
		return 1 << i
	}
	return 1 << (i + 32)
}

// where returns the solutions in which all literals are true and which, if a cost is given, cost that much.
type where struct {
	lits  []int32
	costs []uint64 // all of these
}

// has reports whether there is such a solution. A variable that the problem does not have can have either
// value, but not both.
func (p *problem) has(w where) bool {
	need := uint64(0)
	for i, l := range w.lits {
		if slices.Contains(w.lits[:i], -l) {
			return false
		}
		need |= p.bit(l)
	}
next:
	for i, a := range p.solutions {
		if both := uint64(a) | uint64(^a)<<32; need&^both != 0 {
			continue
		}
		for _, c := range w.costs {
			if p.costs[i] != c {
				continue next
			}
		}
		return true
	}
	return false
}

// value returns the literal of v that is true in a solution, or v if the problem does not have it.
func (p *problem) value(solution uint32, v int32) int32 {
	if i := slices.Index(p.vars, v); i >= 0 && solution>>i&1 == 0 {
		return -v
	}
	return v
}
