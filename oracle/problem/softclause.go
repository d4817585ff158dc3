package problem

import (
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/cube"
)

// A softClause costs its weight if all its literals are false. A soft clause of one literal is a soft literal instead,
// its negation.
type softClause struct {
	end    uint32 // of its literals in softLits; they follow those of the soft clause before it
	weight uint64
}

// AddSoftClause adds a soft clause. The weights of equal clauses add up. A tautology costs nothing, but its weight
// counts in the sum of all weights.
func (p *Problem) AddSoftClause(numbers []int32, weight uint64, b *cube.Budget) {
	start := len(p.softLits)
	for _, number := range numbers {
		p.softLits = append(p.softLits, p.Use(number))
	}
	p.addToSum(weight)
	lits := p.softLits[start:]
	slices.Sort(lits)
	lits = slices.Compact(lits)
	if isTautology(lits) {
		p.softLits = p.softLits[:start]
		return
	}
	p.costsStale = true
	p.WeightVersion++
	for _, l := range lits {
		if v := &p.Vars.All[l.Index()]; v.Dim < 0 {
			p.MakeDim(v, b)
		}
	}
	if len(lits) == 1 && p.addToWeight(lits[0].Not(), weight) {
		p.softLits = p.softLits[:start]
		return
	}
	p.softLits = p.softLits[:start+len(lits)]
	p.softClauses = append(p.softClauses, softClause{uint32(len(p.softLits)), weight})
}

func (p *Problem) addToSum(weight uint64) {
	var carry uint64
	p.SumLo, carry = bits.Add64(p.SumLo, weight, 0)
	p.SumHi += carry
}

// isTautology reports whether sorted literals contain both literals of a variable.
func isTautology(lits []Lit) bool {
	for i := 1; i < len(lits); i++ {
		if lits[i] == lits[i-1].Not() {
			return true
		}
	}
	return false
}

// addToWeight adds to what a literal costs. It does nothing and returns false if the sum does not fit.
func (p *Problem) addToWeight(l Lit, weight uint64) bool {
	v := &p.Vars.All[l.Index()]
	sum, carry := bits.Add64(v.Weight[l.Sign()], weight, 0)
	if carry != 0 {
		return false
	}
	v.Weight[l.Sign()] = sum
	if !v.soft {
		v.soft = true
		p.Softs = append(p.Softs, uint32(l.Index()))
	}
	return true
}

// SoftClauses returns the number of soft clauses that are no soft literals.
func (p *Problem) SoftClauses() int { return len(p.softClauses) }

// SoftClause returns the literals of soft clause number i, each once, and its weight.
func (p *Problem) SoftClause(i int) ([]Lit, uint64) {
	from := uint32(0)
	if i > 0 {
		from = p.softClauses[i-1].end
	}
	return p.softLits[from:p.softClauses[i].end], p.softClauses[i].weight
}

// clauseValue returns the value of a clause under the values of its variables, or Unasked if it is open.
func clauseValue(lits []Lit, value func(index int) Value) Value {
	result := False
	for _, l := range lits {
		switch value(l.Index()) {
		case TrueOf(l.Sign()):
			return True
		case TrueOf(1 - l.Sign()):
		default:
			result = Unasked
		}
	}
	return result
}

// costOfSoftClauses sums the weights of the soft clauses that the values falsify. total is false if some are open.
func (p *Problem) costOfSoftClauses(value func(index int) Value) (hi, lo uint64, total bool) {
	total = true
	for i := range p.softClauses {
		lits, weight := p.SoftClause(i)
		switch clauseValue(lits, value) {
		case Unasked:
			total = false
		case False:
			var carry uint64
			lo, carry = bits.Add64(lo, weight, 0)
			hi += carry
		}
	}
	return hi, lo, total
}

// weighSoftClauses adds the soft clauses to the costs over the dimensions of the cube.
func (p *Problem) weighSoftClauses() {
	for i := range p.softClauses {
		lits, weight := p.SoftClause(i)
		falsified := cube.Anything()
		for _, l := range lits {
			falsified.Require(p.Vars.All[l.Index()].Dim, 1-l.Sign())
		}
		p.costs.AddIf(&falsified, weight)
	}
}

// WordsPerSoftClause is how many words of a set a search passes in the time that a soft clause takes in a word.
const WordsPerSoftClause = 8

// SearchWords returns what a search of the cube for the least cost takes of a budget.
func (p *Problem) SearchWords() int {
	return p.Feasible.Words() * (1 + WordsPerSoftClause*len(p.softClauses))
}

// Relaxation returns the relaxation of soft clause number i in the numbers of a problem for the reference: a further
// variable, which costs the weight and may be false only if the clause is true.
func (p *Problem) Relaxation(i int) int32 { return int32(len(p.Vars.All) + 1 + i) }

// RelaxedClauses appends the soft clauses, each with its relaxation and a 0, in the numbers of a problem for the
// reference.
func (p *Problem) RelaxedClauses(to []int32) []int32 {
	for i := range p.softClauses {
		lits, _ := p.SoftClause(i)
		for _, l := range lits {
			to = append(to, NumberOf(l))
		}
		to = append(to, p.Relaxation(i), 0)
	}
	return to
}

// Relaxations appends the literals of the relaxations that complete a solution with these values. A relaxation is true
// unless its clause is true for sure.
func (p *Problem) Relaxations(to []int32, value func(index int) Value) []int32 {
	for i := range p.softClauses {
		lits, _ := p.SoftClause(i)
		if clauseValue(lits, value) == True {
			to = append(to, -p.Relaxation(i))
		} else {
			to = append(to, p.Relaxation(i))
		}
	}
	return to
}

// WithoutRelaxations returns a solution of the reference without the relaxations, which stand at its end.
func (p *Problem) WithoutRelaxations(model []int32) []int32 {
	n := len(model)
	for n > 0 && max(model[n-1], -model[n-1]) > int32(len(p.Vars.All)) {
		n--
	}
	return model[:n]
}
