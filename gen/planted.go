package gen

// Some families know an assignment that satisfies the hard clauses of their formula. The header of
// the trace has it for every such instance (trace.Planted). It covers the variables of the formula
// and the fresh ones. Calls beyond the formula may contradict it.

// mostPlanted is the maximum number of variables in the assignments of one header.
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

// plant adds the planted assignments of the instances to the trace.
func (g *emitter) plant() {
	left := mostPlanted
	for i := range g.plan.instances {
		s := &g.spreads[i]
		if left -= s.f.Vars; len(s.f.Planted) == 0 || len(s.vars) != len(s.values) || left < 0 {
			continue
		}
		p := g.t.Plant(uint16(i))
		p.Cost, _ = s.f.Cost(s.f.Planted)
		p.Optimal = s.f.Exact
		for v := int32(1); v < int32(len(s.values)); v++ {
			if s.values[v] {
				p.Lits = append(p.Lits, s.name(v))
			} else {
				p.Lits = append(p.Lits, s.name(-v))
			}
		}
	}
}
