package format

import (
	"io"
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Weighted is a clause with the cost of violating it. The weight of a hard clause is 0.
type Weighted struct {
	Lits   []int32
	Weight uint64
}

// WriteWeighted writes clauses as one formula, in any format but that of traces. In formats of
// clauses, the clauses keep their order, and soft clauses stay clauses. Formats without costs get
// only the hard clauses. MPS, LP and OPB have an objective, so soft clauses of several literals
// get relaxation variables there. The cost is the objective value of the file plus the offset.
func WriteWeighted(w io.Writer, f Format, clauses []Weighted, notes []string) (offset uint64, err error) {
	sum, maxVar, hard := uint64(0), int32(0), uint64(0)
	for _, c := range clauses {
		for _, l := range c.Lits {
			maxVar = max(maxVar, trace.Var(l))
		}
		if c.Weight == 0 {
			hard++
		}
		if !Of(f).Soft {
			continue
		}
		if c.Weight > MaxWeight {
			return 0, cannotSay(f, nil, -1, "weights are at most 2^63-1")
		}
		if sum += c.Weight; sum < c.Weight || sum == math.MaxUint64 {
			return 0, cannotSay(f, nil, -1, "the sum of the weights is not below 2^64-1")
		}
	}
	out := &text{to: w}
	switch f {
	case CNF:
		out.comments("c", notes)
		out.words("p cnf ").number(uint64(maxVar)).words(" ").number(hard).line()
		out.weighted(clauses, "", false)
	case ICNF, IncCNF:
		out.words("p ").words(string(f)).line()
		out.comments("c", notes)
		out.weighted(clauses, words[f].clause, false)
		out.words(words[f].solve).lits()
	case WCNF, WCNFI:
		out.comments("c", notes)
		if len(clauses) == 0 {
			out.noClauses()
		}
		out.weighted(clauses, "h ", true)
		if f == WCNFI {
			out.words(words[f].solve).lits()
		}
	case WCNFOld:
		out.comments("c", notes)
		top := strconv.FormatUint(sum+1, 10)
		out.words("p wcnf ").number(uint64(maxVar)).words(" ").number(uint64(len(clauses)))
		out.words(" ").words(top).line()
		out.weighted(clauses, top+" ", true)
	case WBO:
		formula := &Formula{MaxVar: maxVar}
		var softs []Weighted
		for _, c := range clauses {
			if c.Weight == 0 {
				formula.Clauses = append(formula.Clauses, c.Lits)
			} else {
				softs = append(softs, c)
			}
		}
		writeWBO(out, formula, softs, notes)
	default:
		return WriteFormula(w, f, relaxed(clauses, maxVar), &trace.Trace{Notes: notes})
	}
	return 0, out.close()
}

// weighted writes clauses, with the word hard before hard clauses and the weight before soft
// ones. If softs is false, it writes only the hard ones.
func (o *text) weighted(clauses []Weighted, hard string, softs bool) {
	for i := range clauses {
		switch c := &clauses[i]; {
		case c.Weight == 0:
			o.words(hard).lits(c.Lits...)
		case softs:
			o.number(c.Weight).words(" ").lits(c.Lits...)
		}
	}
}

// relaxed turns soft clauses into soft literals: a unit clause into its negation, another clause
// into its relaxation variable. Weights of equal literals add up.
func relaxed(clauses []Weighted, maxVar int32) *Formula {
	f := &Formula{MaxVar: maxVar}
	fresh := freshVars{greatest: maxVar, clauses: func(yield func([]int32) bool) {
		for _, c := range clauses {
			if !yield(c.Lits) {
				return
			}
		}
	}}
	at := make(map[int32]int)
	for _, c := range clauses {
		if c.Weight == 0 {
			f.Clauses = append(f.Clauses, c.Lits)
			continue
		}
		var soft int32
		if len(c.Lits) == 1 {
			soft = -c.Lits[0]
		} else {
			soft = fresh.next()
			f.MaxVar = max(f.MaxVar, soft)
			f.Clauses = append(f.Clauses, append(c.Lits[:len(c.Lits):len(c.Lits)], soft))
		}
		if i, again := at[soft]; again {
			f.Softs[i].Weight += c.Weight
			continue
		}
		at[soft] = len(f.Softs)
		f.Softs = append(f.Softs, Soft{soft, c.Weight})
	}
	return f
}
