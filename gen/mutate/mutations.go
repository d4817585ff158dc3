package mutate

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace"
)

// splice replaces the end of the trace by the end of another one.
func (m *Mutator) splice(calls []step, parents []*trace.Trace) []step {
	if len(parents) < 2 || len(calls) == 0 {
		return calls
	}
	other := stepsOf(parents[1+m.rand.Below(uint32(len(parents)-1))])
	if len(other) == 0 {
		return calls
	}
	from := m.rand.Between(0, len(other)-1)
	return append(calls[:m.rand.Between(1, len(calls))], other[from:]...)
}

// repeatPrefix makes the first calls twice.
func (m *Mutator) repeatPrefix(calls []step, _ []*trace.Trace) []step {
	if len(calls) == 0 {
		return calls
	}
	n := m.rand.Between(1, len(calls))
	return slices.Insert(calls, n, slices.Clone(calls[:n])...)
}

// duplicateSolve repeats one solve right away, with its assumptions.
func (m *Mutator) duplicateSolve(calls []step, _ []*trace.Trace) []step {
	solve := m.pick(calls, func(s *step) bool { return s.call.Op == apimodel.OpSolve })
	if solve < 0 {
		return calls
	}
	instance := calls[solve].call.Instance
	var again []step
	for i := solve - 1; i >= 0; i-- {
		c := &calls[i].call
		if c.Instance == instance && (c.Op == apimodel.OpSolve || c.Op == apimodel.OpRelease) {
			break
		}
		if c.Instance == instance && c.Op == apimodel.OpAssume {
			again = append(again, calls[i])
		}
	}
	slices.Reverse(again)
	return slices.Insert(calls, solve+1, append(again, calls[solve])...)
}

// pick returns the index of a random call of a kind, or -1 if there is none.
func (m *Mutator) pick(calls []step, matches func(s *step) bool) int {
	n := 0
	for i := range calls {
		if matches(&calls[i]) {
			n++
		}
	}
	if n == 0 {
		return -1
	}
	k := m.rand.Between(1, n)
	for i := range calls {
		if matches(&calls[i]) {
			if k--; k == 0 {
				return i
			}
		}
	}
	return -1
}

// activationLayer puts the clauses of one instance, within a part of the trace, under
// a fresh literal. The solves assume the literal until a unit clause retires it.
func (m *Mutator) activationLayer(calls []step, _ []*trace.Trace) []step {
	first := m.pick(calls, func(s *step) bool { return s.call.Op == apimodel.OpClause && s.call.Flags&trace.Open == 0 })
	if first < 0 {
		return calls
	}
	instance, a := calls[first].call.Instance, freeVariable(calls)
	last := m.rand.Between(first, len(calls)-1)
	retire := m.rand.Between(last, len(calls)-1)
	var layered []step
	for i, s := range calls {
		if s.call.Instance == instance && i >= first {
			switch {
			case s.call.Op == apimodel.OpClause && s.call.Flags&trace.Open == 0 && i <= last:
				s.lits = append(slices.Clone(s.lits), -a)
			case s.call.Op == apimodel.OpSolve && i <= retire:
				layered = append(layered, step{call: trace.Call{Op: apimodel.OpAssume, Instance: instance}, lits: []int32{a}})
			}
		}
		layered = append(layered, s)
		if i == retire {
			layered = append(layered, step{call: trace.Call{Op: apimodel.OpClause, Instance: instance}, lits: []int32{-a}})
		}
	}
	return layered
}

// freeVariable returns the lowest variable that no call names.
func freeVariable(calls []step) int32 {
	used := make(map[int32]bool)
	for _, s := range calls {
		for _, l := range s.lits {
			used[trace.Var(l)] = true
		}
	}
	v := int32(1)
	for used[v] {
		v++
	}
	return v
}

func (m *Mutator) perturbWeights(calls []step, _ []*trace.Trace) []step {
	r := &m.rand
	often := uint32(r.Between(100, 700))
	for i := range calls {
		c := &calls[i].call
		if c.Op != apimodel.OpSoft && c.Op != apimodel.OpSoftClause || !r.Chance(often) {
			continue
		}
		switch r.Below(7) {
		case 0:
			c.Num++
		case 1:
			c.Num -= min(c.Num, 1)
		case 2:
			c.Num *= 2
		case 3:
			c.Num /= 2
		case 4:
			c.Num = draw.EdgeWeights[r.Below(uint32(len(draw.EdgeWeights)))]
		case 5:
			c.Num = 1 + uint64(r.Below(draw.SmallWeight))
		default:
			c.Num ^= 1 << r.Below(64)
		}
	}
	return calls
}

// perturbPolarity negates one variable everywhere, or a few single literals.
func (m *Mutator) perturbPolarity(calls []step, _ []*trace.Trace) []step {
	r := &m.rand
	if r.Flip() {
		i := m.pick(calls, func(s *step) bool { return len(s.lits) > 0 })
		if i < 0 {
			return calls
		}
		v := trace.Var(calls[i].lits[r.Below(uint32(len(calls[i].lits)))])
		return mapLiterals(calls, func(l int32) int32 {
			if trace.Var(l) == v {
				return -l
			}
			return l
		})
	}
	return mapLiterals(calls, func(l int32) int32 {
		if r.Chance(40) {
			return -l
		}
		return l
	})
}

func mapLiterals(calls []step, change func(l int32) int32) []step {
	for i := range calls {
		if len(calls[i].lits) == 0 {
			continue
		}
		lits := slices.Clone(calls[i].lits)
		for k, l := range lits {
			lits[k] = change(l)
		}
		calls[i].lits = lits
	}
	return calls
}

// variablesOf lists the variables of the calls in ascending order.
func variablesOf(calls []step) []int32 {
	seen := make(map[int32]bool)
	var vars []int32
	for _, s := range calls {
		for _, l := range s.lits {
			if v := trace.Var(l); !seen[v] {
				seen[v] = true
				vars = append(vars, v)
			}
		}
	}
	slices.Sort(vars)
	return vars
}

func renamed(calls []step, to map[int32]int32) []step {
	return mapLiterals(calls, func(l int32) int32 {
		if l < 0 {
			return -to[-l]
		}
		return to[l]
	})
}

// permute shuffles the variables, or the closed clauses of each run of clauses.
func (m *Mutator) permute(calls []step, _ []*trace.Trace) []step {
	if m.rand.Flip() {
		vars := variablesOf(calls)
		shuffled := slices.Clone(vars)
		draw.Shuffle(&m.rand, shuffled)
		to := make(map[int32]int32)
		for i, v := range vars {
			to[v] = shuffled[i]
		}
		return renamed(calls, to)
	}
	plain := func(i int) bool {
		return calls[i].call.Op == apimodel.OpClause && calls[i].call.Flags&trace.Open == 0 &&
			(i == 0 || calls[i-1].call.Op != apimodel.OpClause || calls[i-1].call.Flags&trace.Open == 0)
	}
	for from := 0; from < len(calls); from++ {
		to := from
		for to < len(calls) && plain(to) && calls[to].call.Instance == calls[from].call.Instance {
			to++
		}
		if to > from+1 {
			draw.Shuffle(&m.rand, calls[from:to])
			from = to
		}
	}
	return calls
}

// rename gives the variables numbers that are far apart, in the same order.
func (m *Mutator) rename(calls []step, _ []*trace.Trace) []step {
	vars := variablesOf(calls)
	widest := uint32(1) << m.rand.Between(1, 20)
	to := make(map[int32]int32)
	next := int32(0)
	for _, v := range vars {
		next += 1 + int32(m.rand.Below(widest))
		if next > farApart {
			return calls
		}
		to[v] = next
	}
	return renamed(calls, to)
}
