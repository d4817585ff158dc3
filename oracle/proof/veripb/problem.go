// Package veripb checks proofs for VeriPB that a cost is optimal or that there is no solution. It supports proofs of
// solutions and of constraints that follow by unit propagation. For others, it returns an error or runs VeriPB.
package veripb

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Problem is what a proof is about: clauses, each of which ends with a 0, and the cost. A problem from ReadOPB
// may also have other constraints.
type Problem struct {
	Clauses []int32
	Costs   []Cost
	// NoCosts says that there is no objective. A proof about an empty objective concludes bounds, one without
	// objective does not.
	NoCosts bool
	// HasRelaxations says that VeriPB reads soft clauses of other than one literal, which Clauses and Costs lack: they
	// have variables of VeriPB. So only VeriPB can check the proof.
	HasRelaxations bool

	rows  []constraint
	shift uint64 // the cost minus the objective of the file
}

// A Cost is what a literal costs if it is true. If a literal has several, they add up.
type Cost struct {
	Lit    int32
	Weight uint64
}

// OPB returns the problem as VeriPB reads it: a line for each clause, in order. Repeated literals of a clause count
// once.
func (p *Problem) OPB() []byte {
	vars, rows := int32(0), 0
	var lines []byte
	appendTerm := func(weight uint64, lit int32) {
		vars = max(vars, lit, -lit)
		lines = fmt.Appendf(lines, "+%d %s ", weight, name(lit))
	}
	if !p.NoCosts {
		lines = append(lines, "min: "...)
		for _, c := range p.Costs {
			appendTerm(c.Weight, c.Lit)
		}
		lines = append(lines, ";\n"...)
	}
	start := 0
	for i, lit := range p.Clauses {
		if lit != 0 {
			if !slices.Contains(p.Clauses[start:i], lit) {
				appendTerm(1, lit)
			}
			continue
		}
		start = i + 1
		lines = append(lines, ">= 1 ;\n"...)
		rows++
	}
	return append(fmt.Appendf(nil, "* #variable= %d #constraint= %d\n", vars, rows), lines...)
}

func name(lit int32) string {
	if lit < 0 {
		return fmt.Sprintf("~x%d", -lit)
	}
	return fmt.Sprintf("x%d", lit)
}

// A term is a literal with a coefficient, which is not 0.
type term struct {
	lit    int32
	number int32 // the literal's number in a database
	size   uint64
}

// A constraint says that the sum of its true terms is at least the degree. Each variable is in at most one term,
// and the sum of all terms is below 2^64.
type constraint struct {
	terms  []term
	degree uint64
	sum    uint64

	isDeleted bool
}

var contradiction = constraint{degree: 1}

func (c *constraint) isContradiction() bool { return c.sum < c.degree }

// clause returns the constraint that some literal is true. The degree of a tautology is 0.
func clause(lits []int32) constraint {
	c := constraint{degree: 1}
	for _, lit := range lits {
		if slices.Contains(lits, -lit) {
			return constraint{}
		}
		if !slices.ContainsFunc(c.terms, func(t term) bool { return t.lit == lit }) {
			c.terms = append(c.terms, term{lit: lit, size: 1})
			c.sum++
		}
	}
	return c
}

// An objective is a constant plus terms, at most one for each variable.
type objective struct {
	constant uint64
	size     map[int32]uint64 // of each literal in a term
	sum      uint64           // of the terms
}

// newObjective returns the objective of the costs, or false if their sum is 2^64 or more.
func newObjective(costs []Cost) (objective, bool) {
	o := objective{size: make(map[int32]uint64)}
	byVariable := make(map[int32]uint64)
	var sum, carry uint64
	for _, c := range costs {
		if sum, carry = bits.Add64(sum, c.Weight, 0); carry != 0 {
			return o, false
		}
		byVariable[c.Lit] += c.Weight
	}
	for lit, weight := range byVariable {
		if other := byVariable[-lit]; weight > other {
			o.size[lit] = weight - other
			o.sum += weight - other
			o.constant += other
		} else if weight == other && lit > 0 {
			o.constant += weight
		}
	}
	return o, true
}

func (o *objective) below(cost uint64) constraint {
	if cost <= o.constant {
		return contradiction
	}
	c := constraint{sum: o.sum}
	if most := cost - o.constant - 1; most < o.sum {
		c.degree = o.sum - most
	}
	for lit, size := range o.size {
		c.terms = append(c.terms, term{lit: -lit, size: size})
	}
	return c
}

// follows reports whether the constraint alone implies that the objective is at least the bound.
func (o *objective) follows(c *constraint, bound uint64) bool {
	degree := c.degree
	for _, t := range c.terms {
		excess := t.size - min(t.size, o.size[t.lit])
		degree -= min(degree, excess)
	}
	return c.isContradiction() || bound <= o.constant || degree >= bound-o.constant
}
