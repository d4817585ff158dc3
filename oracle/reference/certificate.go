package reference

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A Certificate is a formula and a proof that it is unsatisfiable. The formula has the clauses of the
// problem in their order, then the assumptions as clauses, then, if Bounded, clauses that limit the
// cost to AtMost.
type Certificate struct {
	Formula []int32 // each clause ends with a 0
	Proof   []byte  // LRAT, as text
	Bounded bool
	AtMost  uint64

	// Variables[i] is the variable of the problem that is variable i+1 in the formula. Later variables of the
	// formula belong to the cost.
	Variables []int32
}

// Clone returns a copy that the next Solve does not overwrite.
func (c *Certificate) Clone() Certificate {
	d := *c
	d.Formula, d.Proof, d.Variables = slices.Clone(c.Formula), slices.Clone(c.Proof), slices.Clone(c.Variables)
	return d
}

// WriteFormula writes the formula in DIMACS, for another checker.
func (c *Certificate) WriteFormula(w io.Writer) error {
	clauses, highest := 0, int32(len(c.Variables))
	for _, literal := range c.Formula {
		highest = max(highest, literal, -literal)
		if literal == 0 {
			clauses++
		}
	}
	b := bufio.NewWriter(w)
	if c.Bounded {
		fmt.Fprintf(b, "c the cost is at most %d\n", c.AtMost)
	}
	for i, name := range c.Variables {
		if name != int32(i+1) {
			fmt.Fprintf(b, "c variable %d is %d in the problem\n", i+1, name)
		}
	}
	if int(highest) > len(c.Variables) {
		fmt.Fprintf(b, "c variables from %d on are digits of the cost\n", len(c.Variables)+1)
	}
	fmt.Fprintf(b, "p cnf %d %d\n", highest, clauses)
	var line []byte
	for _, literal := range c.Formula {
		line = strconv.AppendInt(line[:0], int64(literal), 10)
		if literal == 0 {
			line = append(line, '\n')
		} else {
			line = append(line, ' ')
		}
		b.Write(line)
	}
	return b.Flush()
}
