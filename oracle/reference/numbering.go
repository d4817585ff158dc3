package reference

import (
	"fmt"
	"math"
	"slices"
)

// numbering numbers the variables of a problem 1, 2, 3, ... in their order, so that further variables can follow
// them and no checker needs a table for 2^31 variables. Problems with such numbers stay as they are.
type numbering struct {
	numbers []int32         // of the problem's variables, in order
	dense   []int32         // new numbers of low variables; 0: none
	sparse  map[int32]int32 // of the others
}

const lowVariables = 1 << 12

func (n *numbering) reset(p *Problem) error {
	for _, v := range n.numbers {
		if v < int32(len(n.dense)) {
			n.dense[v] = 0
		}
	}
	clear(n.sparse)
	n.numbers = n.numbers[:0]
	for _, literal := range p.Clauses {
		if literal == 0 {
			continue
		}
		if err := n.meet(literal); err != nil {
			return err
		}
	}
	for _, literal := range p.Assumptions {
		if err := n.meet(literal); err != nil {
			return err
		}
	}
	for _, soft := range p.Softs {
		if err := n.meet(soft.Lit); err != nil {
			return err
		}
	}
	slices.Sort(n.numbers)
	for i, v := range n.numbers {
		n.set(v, int32(i+1))
	}
	return nil
}

func (n *numbering) meet(literal int32) error {
	if literal == 0 || literal == math.MinInt32 {
		return fmt.Errorf("reference: %d is not a literal", literal)
	}
	if v := max(literal, -literal); n.of(v) == 0 {
		n.numbers = append(n.numbers, v)
		n.set(v, int32(len(n.numbers)))
	}
	return nil
}

func (n *numbering) set(variable, number int32) {
	if variable >= lowVariables {
		if n.sparse == nil {
			n.sparse = map[int32]int32{}
		}
		n.sparse[variable] = number
		return
	}
	if int(variable) >= len(n.dense) {
		n.dense = append(n.dense, make([]int32, int(variable)+1-len(n.dense))...)
	}
	n.dense[variable] = number
}

// of translates a literal of the problem, and 0 into 0.
func (n *numbering) of(literal int32) int32 {
	v := max(literal, -literal)
	number := int32(0)
	if int(v) < len(n.dense) {
		number = n.dense[v]
	} else if v >= lowVariables {
		number = n.sparse[v]
	}
	if literal < 0 {
		return -number
	}
	return number
}

// next is the first number that no variable of the problem uses.
func (n *numbering) next() int32 { return int32(len(n.numbers)) + 1 }
