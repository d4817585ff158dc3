package format

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// Linear constraints over literals, as in OPB, WBO, MPS and LP files, become clauses: a
// clause where one true literal is enough, unit clauses where all are needed, else a
// decision diagram whose nodes are fresh variables. The solutions, restricted to the
// variables of the file, stay the same.

// A summand is a coefficient times a variable, or times its negation.
type summand struct {
	coefficient *big.Int
	lit         int32
}

// A place is a literal, or a fresh variable: its number plus 1.
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

// combined adds up the summands of each variable, in the order of first occurrence, and
// returns the sum of the constants.
func combined(sum []summand) (vars []int32, of map[int32]*big.Int, constant *big.Int) {
	of, constant = make(map[int32]*big.Int), new(big.Int)
	for _, s := range sum {
		v := max(s.lit, -s.lit)
		c := of[v]
		if c == nil {
			c = new(big.Int)
			of[v] = c
			vars = append(vars, v)
		}
		if s.lit > 0 {
			c.Add(c, s.coefficient)
		} else {
			c.Sub(c, s.coefficient)
			constant.Add(constant, s.coefficient)
		}
	}
	return vars, of, constant
}

// atLeast demands that the sum is at least the bound or, if relax is given, that this
// fresh variable is true.
func (b *builder) atLeast(sum []summand, bound *big.Int, relax int32) error {
	vars, of, constant := combined(sum)
	need := new(big.Int).Sub(bound, constant)
	total := new(big.Int)
	var terms []weighted
	for _, v := range vars {
		b.see([]int32{v})
		c, lit := of[v], v
		if c.Sign() < 0 {
			c, lit = new(big.Int).Neg(c), -v
			need.Add(need, c)
		}
		if c.Sign() > 0 {
			total.Add(total, c)
			if total.Cmp(big.NewInt(mostSum)) > 0 {
				return b.in.failure("coefficients that sum to at most 2^60", "more")
			}
			terms = append(terms, weighted{place{lit: lit}, c.Int64()})
		}
	}
	if need.Sign() <= 0 {
		return nil
	}
	if need.Cmp(total) > 0 { // unsatisfiable
		terms, need = nil, big.NewInt(1)
	}
	if relax > 0 {
		terms = append(terms, weighted{place{fresh: relax}, need.Int64()})
	}
	return b.encode(terms, need.Int64())
}

// encode demands that the terms sum to at least need, which is above 0.
func (b *builder) encode(terms []weighted, need int64) error {
	slices.SortStableFunc(terms, func(x, y weighted) int { return -cmpInt(x.size, y.size) })
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
		return b.places(places)
	case total-min(terms[len(terms)-1].size, need) < need: // every one is needed
		for _, t := range terms {
			if err := b.places([]place{t.place}); err != nil {
				return err
			}
		}
		return nil
	}
	d := &diagram{b: b, terms: terms, rest: make([]int64, len(terms)+1), known: make(map[node]int32)}
	for i := len(terms) - 1; i >= 0; i-- {
		d.rest[i] = d.rest[i+1] + terms[i].size
	}
	root, err := d.node(node{0, need})
	if err != nil {
		return err
	}
	return b.places([]place{{fresh: root}})
}

func cmpInt(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// A node demands that the terms from its own on sum to at least need.
type node struct {
	term int
	need int64
}

type diagram struct {
	b     *builder
	terms []weighted
	rest  []int64 // the sum of the terms from each on
	known map[node]int32
}

const (
	isTrue  = -1
	isFalse = -2
)

// node returns the fresh variable that implies the node: its number plus 1.
func (d *diagram) node(n node) (int32, error) {
	switch {
	case n.need <= 0:
		return isTrue, nil
	case d.rest[n.term] < n.need:
		return isFalse, nil
	}
	if v, known := d.known[n]; known {
		return v, nil
	}
	if len(d.known) >= mostNodes {
		return 0, d.b.in.failure("a constraint that needs at most "+strconv.Itoa(mostNodes)+" fresh variables",
			"a larger one")
	}
	v := d.b.newVariable() + 1
	d.known[n] = v
	t := d.terms[n.term]
	with, err := d.node(node{n.term + 1, n.need - t.size})
	if err != nil {
		return 0, err
	}
	without, err := d.node(node{n.term + 1, n.need})
	if err != nil {
		return 0, err
	}
	if with != isTrue {
		if err := d.b.places([]place{{fresh: -v}, {fresh: with}}); err != nil {
			return 0, err
		}
	}
	clause := []place{{fresh: -v}, t.place}
	if without != isFalse {
		clause = append(clause, place{fresh: without})
	}
	return v, d.b.places(clause)
}

// places adds a clause of literals and fresh variables.
func (b *builder) places(places []place) error {
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
	return b.checkLimits(0)
}

// minimize turns an objective into soft literals.
func (b *builder) minimize(sum []summand, constant *big.Int) error {
	vars, of, rest := combined(sum)
	constant = new(big.Int).Add(constant, rest)
	for _, v := range vars {
		b.see([]int32{v})
		c, lit := of[v], v
		if c.Sign() < 0 {
			constant.Add(constant, c)
			c, lit = new(big.Int).Neg(c), -v
		}
		switch {
		case !c.IsUint64():
			return b.in.failure("coefficients of the objective below 2^64", c.String())
		case c.Sign() > 0:
			if err := b.soft(lit, c.Uint64()); err != nil {
				return err
			}
		}
	}
	if constant.Sign() != 0 {
		b.t.Notes = append(b.t.Notes, fmt.Sprintf("the objective of the file is the cost plus %v", constant))
	}
	return nil
}

// relation demands "sum RELATION bound"; relax is as for atLeast.
func (b *builder) relation(sum []summand, relation string, bound *big.Int, relax int32) error {
	if relation != "<=" {
		if err := b.atLeast(sum, bound, relax); err != nil {
			return err
		}
	}
	if relation == ">=" {
		return nil
	}
	negated := make([]summand, len(sum))
	for i, s := range sum {
		negated[i] = summand{new(big.Int).Neg(s.coefficient), s.lit}
	}
	return b.atLeast(negated, new(big.Int).Neg(bound), relax)
}
