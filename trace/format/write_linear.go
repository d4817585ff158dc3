package format

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A term is a variable with a coefficient. The coefficient is a sign and a size, because weights
// need all 64 bits.
type term struct {
	v        int32
	negative bool
	size     uint64
}

// A row is a constraint: the sum of its terms is at least Least.
type row struct {
	terms []term
	least int64
}

// rowsOf turns a clause into rows over variables: a negated literal is 1 minus its variable.
// Repeated literals count once, and a tautology has no row. The empty clause becomes two
// contradictory rows over variable 1, because readers disagree on rows without terms.
func rowsOf(clause []int32) []row {
	if len(clause) == 0 {
		return []row{{[]term{{1, false, 1}}, 1}, {[]term{{1, true, 1}}, 0}}
	}
	lits := slices.Clone(clause)
	slices.SortFunc(lits, func(a, b int32) int {
		return cmp.Or(cmp.Compare(trace.Var(a), trace.Var(b)), cmp.Compare(a, b))
	})
	lits = slices.Compact(lits)
	r := row{least: 1}
	for i, lit := range lits {
		if i > 0 && lit == -lits[i-1] {
			return nil
		}
		r.terms = append(r.terms, term{trace.Var(lit), lit < 0, 1})
		if lit < 0 {
			r.least--
		}
	}
	return []row{r}
}

// objective returns the cost as terms, at most one for each variable, plus a constant.
func (f *Formula) objective() (terms []term, offset uint64) {
	type pair struct{ positive, negative uint64 }
	weights := make(map[int32]*pair)
	var order []int32
	for _, s := range f.Softs {
		p := weights[trace.Var(s.Lit)]
		if p == nil {
			p = &pair{}
			weights[trace.Var(s.Lit)] = p
			order = append(order, trace.Var(s.Lit))
		}
		if s.Lit > 0 {
			p.positive = s.Weight
		} else {
			p.negative = s.Weight
		}
	}
	for _, v := range order {
		p := weights[v]
		offset += p.negative // cannot overflow: it is at most the sum of all weights
		size, borrow := bits.Sub64(p.positive, p.negative, 0)
		switch {
		case borrow != 0:
			terms = append(terms, term{v, true, -size})
		case size > 0:
			terms = append(terms, term{v, false, size})
		}
	}
	if len(terms) == 0 && len(order) > 0 { // all terms cancel out, but the file must have an objective
		terms = append(terms, term{order[0], false, 0})
	}
	return terms, offset
}

func (o *text) terms(terms []term) *text {
	for i, t := range terms {
		if i > 0 {
			o.words(" ")
		}
		sign := "+"
		if t.negative {
			sign = "-"
		}
		o.words(sign).number(t.size).words(" x").number(uint64(t.v))
	}
	return o
}

func (o *text) signed(n int64) *text { return o.words(strconv.FormatInt(n, 10)) }

// linear returns the rows of all clauses and the number of variables.
func (f *Formula) linear() (rows []row, vars uint64) {
	vars = uint64(f.MaxVar)
	for clause := range f.Hard {
		rows = append(rows, rowsOf(clause)...)
		if len(clause) == 0 {
			vars = max(vars, 1)
		}
	}
	return rows, vars
}

// writeOPB writes OPB without negated variables, because not all readers know them. The offset is
// the constant that this leaves.
func writeOPB(out *text, f *Formula, notes []string) (offset uint64) {
	rows, vars := f.linear()
	terms, offset := f.objective()
	out.words("* #variable= ").number(vars).words(" #constraint= ").number(uint64(len(rows))).line()
	out.comments("*", notes)
	if offset > 0 {
		out.words("* the cost is the objective plus ").number(offset).line()
	}
	if len(terms) > 0 {
		out.words("min: ").terms(terms).words(" ;").line()
	}
	for _, r := range rows {
		out.terms(r.terms).words(" >= ").signed(r.least).words(" ;").line()
	}
	return offset
}
