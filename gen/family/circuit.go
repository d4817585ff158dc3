package family

import "math"

// The family fuzzsat makes a random circuit, and clauses of it by Tseitin's transformation (BLB10
// section 2.1, paragraph FuzzSAT).
const (
	fuzzsatMostInputs = 100
	fuzzsatReferences = 1 // every input is an operand at least this often
	fuzzsatLeastExtra = 1 // additional random clauses, in percent of the others
	fuzzsatMostExtra  = 10
	fuzzsatShortest   = 2 // additional clause
	fuzzsatLongest    = 6

	// fuzzsat1OperandsEach bounds the operators of fuzzsat/1: in three circuits of four, some inputs stay unused.
	fuzzsat1OperandsEach = 4
)

// A node of the circuit has the index of its variable. refs counts the operators that use it.
type node struct{ refs uint32 }

// makeFuzzSAT goes on until every input is an operand, as published. That may take hundreds of operators for each
// input: the more operators there are, the fewer operands are inputs.
func makeFuzzSAT(b *Builder) { b.circuit(math.MaxInt) }

func makeFuzzSAT1(b *Builder) { b.circuit(fuzzsat1OperandsEach) }

// circuit makes a circuit with that many operators for each input, at most.
func (b *Builder) circuit(each int) {
	inputs := b.Between(1, fuzzsatMostInputs)
	inputs = max(1, min(inputs, b.limits.Vars/3)) // the operators take variables too
	b.variables(inputs)
	b.nodes = b.nodes[:0]
	for range b.f.Vars + 1 {
		b.nodes = append(b.nodes, node{})
	}
	waiting := b.f.Vars // inputs that no operator uses
	inputsMade := b.f.Vars
	for steps := 0; waiting > 0 && steps/inputsMade < each; steps++ {
		x, y := b.anyVar(), b.anyVar()
		if inputsMade > 1 && x == y {
			continue
		}
		if b.operator(x, y) == 0 {
			break
		}
		for _, v := range [...]int32{x, y} {
			if b.nodes[v].refs++; int(v) <= inputsMade && b.nodes[v].refs == fuzzsatReferences {
				waiting--
			}
		}
	}
	b.joinRoots()
	extra := b.Between(fuzzsatLeastExtra, fuzzsatMostExtra) * len(b.f.clauses) / 100
	for range extra {
		b.randomClause(b.Between(fuzzsatShortest, fuzzsatLongest), 1, int32(b.f.Vars), false)
	}
	b.soften()
}

// joinRoots combines the operators that no other one uses until one is left, and makes that one a hard
// clause.
func (b *Builder) joinRoots() {
	b.ints = b.ints[:0]
	for v := 1; v <= b.f.Vars; v++ {
		if b.nodes[v].refs == 0 {
			b.ints = append(b.ints, int32(v))
		}
	}
	for len(b.ints) > 1 {
		x, y := b.takeRoot(), b.takeRoot()
		root := b.operator(x, y)
		if root == 0 {
			b.hard(b.sign(x))
			root = y
		}
		b.ints = append(b.ints, root)
	}
	if len(b.ints) == 1 {
		b.hard(b.ints[0])
	}
}

func (b *Builder) takeRoot() int32 {
	i := b.Below(uint32(len(b.ints)))
	root := b.ints[i]
	b.ints[i] = b.ints[len(b.ints)-1]
	b.ints = b.ints[:len(b.ints)-1]
	return root
}

// operator adds a random operator of two operands, each negated half the time. It returns the
// operator's variable, or 0 if there is no room.
func (b *Builder) operator(x, y int32) int32 {
	if b.limits.Calls < 4 {
		return 0
	}
	z := b.fresh()
	if z == 0 {
		return 0
	}
	b.nodes = append(b.nodes, node{})
	x, y = b.sign(x), b.sign(y)
	switch {
	case x == y || x == -y: // a circuit of one input
		b.hard(-z, x)
		b.hard(z, -x)
	case b.Flip(): // AND, or with negations OR
		out := b.sign(z)
		b.hard(-out, x)
		b.hard(-out, y)
		b.hard(out, -x, -y)
	default: // XOR, or with a negation IFF
		b.hard(-z, x, y)
		b.hard(-z, -x, -y)
		b.hard(z, -x, y)
		b.hard(z, x, -y)
	}
	return z
}
