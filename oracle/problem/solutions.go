package problem

import "math/bits"

// Solutions keeps the last few solutions of an instance.
type Solutions struct {
	kept [8]Solution
	used int
	next int

	assignment []Value // by index: the assignment that Fulfils made last
}

// A Solution is what an answer of solve says about the variables.
type Solution struct {
	Call   int     // of the solve
	Values []Value // by index; Unasked where the solver said nothing
}

// Reset forgets all solutions.
func (st *Solutions) Reset() { st.used, st.next = 0, 0 }

// Keep keeps the current solution of the problem, which a solve found, in place of the oldest one.
func (st *Solutions) Keep(p *Problem, call int) {
	m := &st.kept[st.next]
	st.next = (st.next + 1) % len(st.kept)
	st.used = min(st.used+1, len(st.kept))
	m.Call, m.Values = call, m.Values[:0]
	for i := range p.Vars.All {
		m.Values = append(m.Values, p.ValueOf(i))
	}
}

// All returns the solutions that are kept.
func (st *Solutions) All() []Solution { return st.kept[:st.used] }

// Fulfils completes a stored solution, makes the required literals true, and reports whether the result fulfils
// every hard clause. It checks the result, so the stored solution may be wrong.
func (st *Solutions) Fulfils(p *Problem, m *Solution, required []Lit) bool {
	st.assignment = st.assignment[:0]
	for i := range p.Vars.All {
		val := Unasked
		if i < len(m.Values) {
			val = m.Values[i]
		}
		if !val.Known() { // make the cheaper literal true
			val = False
			if w := &p.Vars.All[i].Weight; w[1] > w[0] {
				val = True
			}
		}
		st.assignment = append(st.assignment, val)
	}
	for _, l := range required {
		st.assignment[l.Index()] = TrueOf(l.Sign())
	}
	for _, l := range required { // they may contradict each other
		if st.assignment[l.Index()] != TrueOf(l.Sign()) {
			return false
		}
	}
next:
	for i := range p.Ends {
		for _, l := range p.Clause(i) {
			if st.assignment[l.Index()] == TrueOf(l.Sign()) {
				continue next
			}
		}
		return false
	}
	return true
}

// Cost returns the cost of the assignment that Fulfils made last.
func (st *Solutions) Cost(p *Problem) (hi, lo uint64) {
	if len(p.softClauses) > 0 {
		hi, lo, _ = p.costOfSoftClauses(func(index int) Value { return st.assignment[index] })
	}
	for _, index := range p.Softs {
		var carry uint64
		lo, carry = bits.Add64(lo, p.Vars.All[index].Weight[st.assignment[index]-True], 0)
		hi += carry
	}
	return hi, lo
}

// AnyFulfils returns the call of a stored solution that fulfils the clauses together with the required
// literals.
func (st *Solutions) AnyFulfils(p *Problem, required []Lit) (call int, found bool) {
	for i := range st.used {
		if m := &st.kept[i]; st.Fulfils(p, m, required) {
			return m.Call, true
		}
	}
	return 0, false
}
