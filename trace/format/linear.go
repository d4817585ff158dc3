package format

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// Linear constraints over literals, as in OPB, WBO and MPS files, become clauses. If any one
// literal is enough, the constraint becomes a clause. If it needs all literals, it becomes unit
// clauses. Otherwise, it becomes a decision diagram whose nodes are fresh variables. The solutions,
// restricted to the variables of the file, stay the same.

// A summand is a coefficient times a variable, or times its negation.
type summand struct {
	coefficient *big.Int
	lit         int32
}

// A place is a literal, or the number plus 1 of a fresh variable.
type place struct{ lit, fresh int32 }

// A weighted is a literal with a coefficient above 0.
type weighted struct {
	place
	size int64
}

const (
	// mostSum bounds the sum of the coefficients of a constraint.
	mostSum = 1 << 60
	// mostNodes bounds the decision diagram of a constraint.
	mostNodes = 1 << 14
)

// combined adds up the coefficients of each variable. It returns the variables in order of first
// occurrence, their coefficients, and the constant that negations leave.
func combined(sum []summand) (vars []int32, factors map[int32]*big.Int, constant *big.Int) {
	factors, constant = make(map[int32]*big.Int), new(big.Int)
	for _, s := range sum {
		v := max(s.lit, -s.lit)
		c := factors[v]
		if c == nil {
			c = new(big.Int)
			factors[v] = c
			vars = append(vars, v)
		}
		if s.lit > 0 {
			c.Add(c, s.coefficient)
		} else {
			c.Sub(c, s.coefficient)
			constant.Add(constant, s.coefficient)
		}
	}
	return vars, factors, constant
}

// atLeast adds clauses which say that the sum is at least the bound. If relax is not 0, the fresh
// variable relax may be true instead.
func (b *builder) atLeast(sum []summand, bound *big.Int, relax int32) {
	vars, factors, constant := combined(sum)
	need := new(big.Int).Sub(bound, constant)
	total := new(big.Int)
	var terms []weighted
	for _, v := range vars {
		b.see([]int32{v})
		c, lit := factors[v], v
		if c.Sign() < 0 {
			c, lit = new(big.Int).Neg(c), -v
			need.Add(need, c)
		}
		if c.Sign() > 0 {
			total.Add(total, c)
			if total.Cmp(big.NewInt(mostSum)) > 0 {
				panic(b.in.failure("coefficients that sum to at most 2^60", "more"))
			}
			terms = append(terms, weighted{place{lit: lit}, c.Int64()})
		}
	}
	if need.Sign() <= 0 {
		return
	}
	if need.Cmp(total) > 0 { // unsatisfiable
		terms, need = nil, big.NewInt(1)
	}
	if relax > 0 {
		terms = append(terms, weighted{place{fresh: relax}, need.Int64()})
	}
	b.encode(terms, need.Int64())
}

// encode adds clauses which say that the sum of the terms is at least need. need is above 0.
func (b *builder) encode(terms []weighted, need int64) {
	slices.SortStableFunc(terms, func(x, y weighted) int { return cmp.Compare(y.size, x.size) })
	total := int64(0)
	clause := true
	for _, t := range terms {
		total += min(t.size, need)
		clause = clause && t.size >= need
	}
	switch {
	case clause:
		var places []place
		for _, t := range terms {
			places = append(places, t.place)
		}
		b.places(places)
		return
	case total-min(terms[len(terms)-1].size, need) < need: // the constraint needs all literals
		for _, t := range terms {
			b.places([]place{t.place})
		}
		return
	}
	d := &diagram{b: b, terms: terms, rest: make([]int64, len(terms)+1), known: make(map[node]int32)}
	for i := len(terms) - 1; i >= 0; i-- {
		d.rest[i] = d.rest[i+1] + terms[i].size
	}
	root := d.node(node{0, need})
	b.places([]place{{fresh: root}})
}

// A node says that the sum of the terms from its own term on is at least need.
type node struct {
	term int
	need int64
}

type diagram struct {
	b     *builder
	terms []weighted
	rest  []int64 // for each term, the sum of it and all later ones
	known map[node]int32
}

const (
	isTrue  = -1
	isFalse = -2
)

// node returns a fresh variable that implies the node, as its number plus 1, or isTrue or isFalse.
func (d *diagram) node(n node) int32 {
	switch {
	case n.need <= 0:
		return isTrue
	case d.rest[n.term] < n.need:
		return isFalse
	}
	if v, known := d.known[n]; known {
		return v
	}
	if len(d.known) >= mostNodes {
		panic(d.b.in.failure("a constraint that needs at most "+strconv.Itoa(mostNodes)+" fresh variables",
			"a larger one"))
	}
	v := d.b.newVariable() + 1
	d.known[n] = v
	t := d.terms[n.term]
	with := d.node(node{n.term + 1, n.need - t.size})
	without := d.node(node{n.term + 1, n.need})
	if with != isTrue {
		d.b.places([]place{{fresh: -v}, {fresh: with}})
	}
	clause := []place{{fresh: -v}, t.place}
	if without != isFalse {
		clause = append(clause, place{fresh: without})
	}
	d.b.places(clause)
	return v
}

// places adds a clause of literals and fresh variables.
func (b *builder) places(places []place) {
	lits := make([]int32, 0, len(places))
	for _, p := range places {
		switch {
		case p.fresh == 0:
			lits = append(lits, p.lit)
			continue
		case p.fresh > 0:
			lits = append(lits, 1)
		default:
			lits = append(lits, -1)
		}
		b.freshAt(int32(len(b.t.Lits)+len(lits)-1), max(p.fresh, -p.fresh)-1)
	}
	b.t.Clause(0, true, lits...)
	b.checkLimits(0)
}

// minimize turns an objective into soft literals.
func (b *builder) minimize(sum []summand, constant *big.Int) {
	vars, factors, rest := combined(sum)
	constant = new(big.Int).Add(constant, rest)
	for _, v := range vars {
		b.see([]int32{v})
		c, lit := factors[v], v
		if c.Sign() < 0 {
			constant.Add(constant, c)
			c, lit = new(big.Int).Neg(c), -v
		}
		switch {
		case !c.IsUint64():
			panic(b.in.failure("coefficients of the objective below 2^64", c.String()))
		case c.Sign() > 0:
			b.soft(lit, c.Uint64())
		}
	}
	if constant.Sign() != 0 {
		b.t.Notes = append(b.t.Notes, fmt.Sprintf("the objective of the file is the cost plus %v", constant))
	}
}

// relation adds clauses which say that the sum has the relation to the bound. relax is as in
// atLeast.
func (b *builder) relation(sum []summand, relation string, bound *big.Int, relax int32) {
	if relation != "<=" {
		b.atLeast(sum, bound, relax)
	}
	if relation == ">=" {
		return
	}
	negated := make([]summand, len(sum))
	for i, s := range sum {
		negated[i] = summand{new(big.Int).Neg(s.coefficient), s.lit}
	}
	b.atLeast(negated, new(big.Int).Neg(bound), relax)
}
