package dd

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A measure rates how hard a trace is to read. Measures compare like strings: the first
// number that differs decides. Only candidates that measure less than the best trace are
// tested, so the search ends, whatever the passes try.
type measure [numMeasures]uint64

const (
	calls        = iota
	expectations     // expected answers
	literals         // literals of all calls
	variables        // distinct variables
	universals       // universal variables
	depths           // sum of the levels of all variables
	kinds            // demands on the solver: what is soft above assumptions above clauses
	settings         // options with other than default values
	weighted         // weights above 1
	weightsHigh      // upper half of the sum of weights
	weightsLow       // lower half of the sum of weights
	countsHigh       // upper half of the sum of the numbers of callbacks and havoc
	countsLow        // lower half of that sum
	negations        // negative literals
	numbers          // the sum of all variable and instance numbers
	disorder         // pairs in the wrong order
	numMeasures  int = iota
)

func (m *measure) less(other *measure) bool {
	for i := range m {
		if m[i] != other[i] {
			return m[i] < other[i]
		}
	}
	return false
}

func measureOf(t *trace.Trace, d *apimodel.Description) measure {
	var m measure
	m[calls] = uint64(len(t.Calls))
	for i := range t.Want.Of {
		if t.Want.Of[i].Kind != trace.NotAnswered {
			m[expectations]++
		}
	}
	var carry uint64
	for i := range t.Calls {
		c := &t.Calls[i]
		m[numbers] += uint64(c.Instance)
		switch c.Op {
		case apimodel.OpClause:
			m[kinds]++
		case apimodel.OpAssume:
			m[kinds] += 2
		case apimodel.OpSoft, apimodel.OpSoftClause:
			m[kinds] += 3
			if c.Num > 1 {
				m[weighted]++
			}
			m[weightsLow], carry = bits.Add64(m[weightsLow], c.Num, 0)
			m[weightsHigh] += carry
		case apimodel.OpOption:
			name, value := t.Option(c)
			if n, fails := allocationOf(t, i); fails {
				m[countsLow], carry = bits.Add64(m[countsLow], n, 0)
				m[countsHigh] += carry
			}
			if o := d.Option(name); o == nil || !o.Same(value, o.Default) {
				m[settings]++
			}
		}
		if c.Op.IsClause() {
			m[disorder] += disorderOf(t.Args(c))
		}
		if c.Op.HasNumber() && c.Flags&trace.Off == 0 {
			m[countsLow], carry = bits.Add64(m[countsLow], c.Num, 0)
			m[countsHigh] += carry
		}
		if c.Op.HasLits() {
			m[literals] += uint64(c.Len)
			for _, lit := range t.Args(c) {
				if lit < 0 {
					m[negations]++
				}
			}
		}
	}
	m[universals], m[depths] = depthsOf(t)
	vars := t.Variables()
	m[variables] = uint64(len(vars))
	for _, v := range vars {
		m[numbers] += uint64(v)
	}
	m[disorder] += disorderOf(vars) + disorderOfInstances(t) + disorderOfCalls(t)
	return m
}

// disorderOf counts the pairs of literals in the wrong order. It returns 0 for a list that
// is too long to compare all pairs.
func disorderOf(lits []int32) uint64 {
	const longest = 256
	if len(lits) > longest {
		return 0
	}
	n := uint64(0)
	for i := range lits {
		for _, later := range lits[i+1:] {
			if compareLits(lits[i], later) > 0 {
				n++
			}
		}
	}
	return n
}

// disorderOfInstances counts instances whose first call comes after that of a higher number.
func disorderOfInstances(t *trace.Trace) uint64 {
	n, highest, seen := uint64(0), uint16(0), [1 << 16 / 64]uint64{}
	for i := range t.Calls {
		instance := t.Calls[i].Instance
		word, bit := &seen[instance/64], uint64(1)<<(instance%64)
		if *word&bit == 0 && instance < highest {
			n++
		}
		*word |= bit
		highest = max(highest, instance)
	}
	return n
}

// compareLits orders literals by variable, positive ones first.
func compareLits(a, b int32) int {
	return cmp.Or(cmp.Compare(trace.Var(a), trace.Var(b)), cmp.Compare(b, a))
}

// disorderOfCalls counts the pairs in the wrong order in each run of movable calls.
func disorderOfCalls(t *trace.Trace) uint64 {
	const longest = 64
	n := uint64(0)
	for from := 0; from < len(t.Calls); {
		to := endOfRun(t, from)
		if to-from <= longest {
			for i := from; i < to; i++ {
				for j := i + 1; j < to; j++ {
					if compareCalls(t, i, j) > 0 {
						n++
					}
				}
			}
		}
		from = max(to, from+1)
	}
	return n
}

// endOfRun returns the end of the run of movable calls that begins at from.
func endOfRun(t *trace.Trace, from int) int {
	to := from
	for to < len(t.Calls) && movable(t, to) {
		to++
	}
	return to
}

// movable reports whether a call can trade places with its neighbours without
// changing the problem.
func movable(t *trace.Trace, i int) bool { return orderOf(&t.Calls[i]) >= 0 && !inPieces(t, i) }

// inPieces reports whether a call is one of several pieces of a clause.
func inPieces(t *trace.Trace, i int) bool {
	c := &t.Calls[i]
	if c.Op != apimodel.OpClause || c.Flags&trace.Open != 0 {
		return c.Op == apimodel.OpClause
	}
	for j := i - 1; j >= 0; j-- {
		if before := &t.Calls[j]; before.Instance == c.Instance {
			return before.Op == apimodel.OpClause && before.Flags&trace.Open != 0
		}
	}
	return false
}

// orderOf returns the rank of a call between two solves, or -1 if the call cannot move.
func orderOf(c *trace.Call) int {
	return slices.Index([]apimodel.Op{apimodel.OpClause, apimodel.OpSoft, apimodel.OpSoftClause, apimodel.OpAssume}, c.Op)
}

func compareCalls(t *trace.Trace, i, j int) int {
	a, b := &t.Calls[i], &t.Calls[j]
	return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(orderOf(a), orderOf(b)),
		slices.CompareFunc(t.Args(a), t.Args(b), compareLits), cmp.Compare(a.Num, b.Num))
}
