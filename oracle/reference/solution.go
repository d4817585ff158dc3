package reference

import (
	"fmt"
	"math"
	"math/bits"
)

// solution is a model that passed the check against the problem, in the problem's own numbers.
type solution struct {
	values    []int8 // by number in the formula, less 1: 1 true, -1 false
	model     []int32
	cost      uint64
	costKnown bool // it is below 2^64
}

// take checks a model of a formula of the problem, in the formula's numbers. If the model lacks a variable, the
// problem must hold without its value, and the variable gets the cheaper value.
func (s *solution) take(p *Problem, n *numbering, o *objective, model []int32) error {
	s.values = s.values[:0]
	for range n.numbers {
		s.values = append(s.values, 0)
	}
	for _, literal := range model {
		v := int64(literal)
		value := int8(1)
		if v < 0 {
			v, value = -v, -1
		}
		switch {
		case v == 0 || v > math.MaxInt32:
			return fmt.Errorf("it has %d, which is not a literal", literal)
		case v > int64(len(s.values)): // of the cost
		case s.values[v-1] == -value:
			return fmt.Errorf("it has both %d and %d", -literal, literal)
		default:
			s.values[v-1] = value
		}
	}
	if err := s.check(p, n); err != nil {
		return err
	}
	s.model = s.model[:0]
	for i, number := range n.numbers {
		if s.values[i] == 0 {
			s.values[i] = 1
			if o.weights[i][0] > o.weights[i][1] {
				s.values[i] = -1
			}
		}
		s.model = append(s.model, number*int32(s.values[i]))
	}
	s.cost, s.costKnown = s.costOf(p, n)
	return nil
}

// takeKnown checks a solution that the caller knows. It reports whether there is one and it is right.
func (r *Reference) takeKnown(known []int32, p *Problem) bool {
	if len(known) == 0 {
		return false
	}
	r.known = r.known[:0]
	for _, literal := range known {
		if n := r.numbering.of(literal); n != 0 {
			r.known = append(r.known, n)
		}
	}
	return r.solution.take(p, &r.numbering, &r.objective, r.known) == nil
}

func (s *solution) isTrue(n *numbering, literal int32) bool {
	if v := n.of(literal); v > 0 {
		return s.values[v-1] > 0
	} else {
		return s.values[-v-1] < 0
	}
}

func (s *solution) check(p *Problem, n *numbering) error {
	satisfied, number := false, 1
	for _, literal := range p.Clauses {
		switch {
		case literal != 0:
			satisfied = satisfied || s.isTrue(n, literal)
		case !satisfied:
			return fmt.Errorf("clause %d is not satisfied", number)
		default:
			satisfied = false
			number++
		}
	}
	for _, literal := range p.Assumptions {
		if !s.isTrue(n, literal) {
			return fmt.Errorf("assumption %d does not hold", literal)
		}
	}
	return nil
}

// costOf sums the softs as the problem states them.
func (s *solution) costOf(p *Problem, n *numbering) (cost uint64, known bool) {
	for _, soft := range p.Softs {
		if !s.isTrue(n, soft.Lit) {
			continue
		}
		var carry uint64
		if cost, carry = bits.Add64(cost, soft.Weight, 0); carry != 0 {
			return 0, false
		}
	}
	return cost, true
}
