package oracle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// plantedCheck tries the solution that a generator built its formula around and
// wrote into the header of the trace:
//
//	# planted @0 bound=17 1 -2 3 1001
//
// Nothing of it is believed, not even the bound: the assignment is checked
// against the clauses and assumptions of the solve, and its cost is added up. So
// a header that is wrong, or a trace that was changed since, does no harm.
type plantedCheck struct{}

func (plantedCheck) name() string { return "planted" }

func (plantedCheck) explain(*Judge, *instance, proof) string {
	return "the planted solution in the header of the trace, checked against every hard clause and assumption"
}

func (plantedCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if len(j.planted) == 0 || !in.beyond || s.truth.decided || s.truth.feasible == no {
		return
	}
	denied := s.status == apimodel.Unsatisfied
	priced := s.optimal && in.sumHi == 0 && j.weightsClear(in)
	if !denied && !priced {
		return
	}
	for i := range j.planted {
		p := &j.planted[i]
		if p.instance != in.id || !in.models.fulfils(in, p.completed(in), in.assumed) {
			continue
		}
		j.provedFeasible(in, s.call)
		if denied {
			j.decide()
			return
		}
		if hi, cost := in.models.cost(in); hi == 0 {
			s.truth.improve(cost, j.proof(s.call))
		}
	}
}

// A plantedSolution is one note of the header.
type plantedSolution struct {
	instance uint16
	lits     []int32
	model    storedModel
}

// completed turns the literals into values by index.
func (p *plantedSolution) completed(in *instance) *storedModel {
	m := &p.model
	m.values = m.values[:0]
	for range in.vars.all {
		m.values = append(m.values, unasked)
	}
	for _, number := range p.lits {
		if index := in.vars.find(trace.Var(number)); index >= 0 {
			m.values[index] = isTrue
			if number < 0 {
				m.values[index] = isFalse
			}
		}
	}
	return m
}

// plantedIn reads the notes of a trace. What is no such note says nothing.
func plantedIn(notes []string, known []plantedSolution) []plantedSolution {
	for _, note := range notes {
		rest, found := strings.CutPrefix(note, "planted @")
		if !found {
			continue
		}
		words := strings.Fields(rest)
		if p, err := parsePlanted(words); err == nil {
			known = append(known, p)
		}
	}
	return known
}

func parsePlanted(words []string) (p plantedSolution, err error) {
	if len(words) < 2 {
		return p, fmt.Errorf("planted: want an instance, a bound and literals")
	}
	instance, err := strconv.ParseUint(words[0], 10, 16)
	if err != nil {
		return p, err
	}
	p.instance = uint16(instance)
	for _, word := range words[2:] {
		number, err := strconv.ParseInt(word, 10, 32)
		if err != nil || number == 0 || int32(number) == -1<<31 {
			return p, fmt.Errorf("planted: %q is no literal", word)
		}
		p.lits = append(p.lits, int32(number))
	}
	return p, nil
}
