package format

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A program is an integer program over variables that are 0 or 1. The reader of MPS files
// collects all rows, because only the end of a file tells what a row means.
type program struct {
	*builder
	rows     []*programRow
	byName   map[string]*programRow
	columns  []string // names, in order of first occurrence
	column   map[string]int
	binary   map[string]bool
	integer  map[string]bool // integers that are not yet known to be 0 or 1
	fixed    []int32         // literals that bounds make true; their variables are numbers of columns, from 1
	negative bool            // the objective is to be maximized
	constant *big.Int
	entries  int
}

type programRow struct {
	relation string // "" for the objective, "-" for a row that is ignored
	terms    []columnTerm
	bound    *big.Int
}

type columnTerm struct {
	coefficient *big.Int
	column      int
}

func newProgram(in *scanner) *program {
	return &program{
		builder:  newBuilder(in, apimodel.IPAMIR),
		byName:   make(map[string]*programRow),
		column:   make(map[string]int),
		binary:   make(map[string]bool),
		integer:  make(map[string]bool),
		constant: new(big.Int),
	}
}

// number reads a whole number in any spelling, such as 1, 1.0 or 1e3.
func (p *program) number(field string) *big.Int {
	const digits, exponent = 100, 5
	r, ok := new(big.Rat), false
	_, e, has := strings.Cut(strings.ToLower(field), "e")
	if len(field) <= digits && (!has || len(e) <= exponent-2) && !strings.ContainsAny(field, "/xXpP_") {
		r, ok = r.SetString(field)
	}
	if field == "" {
		panic(p.in.unexpected(nil, "a whole number"))
	}
	if !ok || !r.IsInt() {
		panic(p.in.unexpected([]byte(field), "a whole number"))
	}
	return new(big.Int).Set(r.Num())
}

// columnOf returns the number of a column. A new name gets a new number.
func (p *program) columnOf(name string) int {
	i, known := p.column[name]
	if !known {
		i = len(p.columns)
		p.column[name] = i
		p.columns = append(p.columns, name)
	}
	return i
}

func (p *program) add(r *programRow, coefficient *big.Int, column int) {
	if p.entries++; p.entries > p.in.limits.Literals {
		panic(p.in.failure("at most "+strconv.Itoa(p.in.limits.Literals)+" literals", "more"))
	}
	r.terms = append(r.terms, columnTerm{coefficient, column})
}

// variables returns the variable of each column. If all names are x and a number, these numbers are
// the variables. Otherwise, columns are numbered in order of first occurrence.
func (p *program) variables() []int32 {
	vars := make([]int32, len(p.columns))
	for i, name := range p.columns {
		digits, isX := strings.CutPrefix(name, "x")
		v, ok := trace.ParseUnsigned([]byte(digits), math.MaxInt32)
		if !isX || !ok || v == 0 {
			for i := range vars {
				vars[i] = int32(i + 1)
			}
			return vars
		}
		vars[i] = int32(v)
	}
	return vars
}

// emit turns the program into clauses and soft literals.
func (p *program) emit() *trace.Trace {
	vars := p.variables()
	for i, name := range p.columns {
		if !p.binary[name] {
			panic(p.in.failure("variables that are all 0 or 1",
				"the variable "+printable.Excerpt([]byte(name))+", which may be something else"))
		}
		p.see(vars[i : i+1])
	}
	sum := func(r *programRow) []summand {
		terms := make([]summand, len(r.terms))
		for i, t := range r.terms {
			terms[i] = summand{t.coefficient, vars[t.column]}
		}
		return terms
	}
	for _, r := range p.rows {
		if r.relation != "" {
			continue
		}
		terms := sum(r)
		if p.negative {
			p.note("the file maximises its objective: here it is negated")
			p.constant.Neg(p.constant)
			for i := range terms {
				terms[i].coefficient = new(big.Int).Neg(terms[i].coefficient)
			}
		}
		p.minimize(terms, p.constant)
		break
	}
	for _, r := range p.rows {
		if r.relation == "" || r.relation == "-" {
			continue
		}
		p.relation(sum(r), r.relation, r.bound, 0)
	}
	for _, column := range p.fixed {
		lit := vars[max(column, -column)-1]
		if column < 0 {
			lit = -lit
		}
		p.clause([]int32{lit})
	}
	p.solve()
	return p.finish()
}

// bounded applies bounds to a variable: they say that an integer is 0 or 1, or fix a variable. It
// returns false for bounds that allow another value.
func (p *program) bounded(name string, lower, upper *big.Int) bool {
	zero, one := new(big.Int), big.NewInt(1)
	column := int32(p.columnOf(name) + 1)
	switch {
	case lower.Cmp(zero) == 0 && upper.Cmp(one) == 0:
	case lower.Cmp(zero) == 0 && upper.Cmp(zero) == 0:
		p.fixed = append(p.fixed, -column)
	case lower.Cmp(one) == 0 && upper.Cmp(one) == 0:
		p.fixed = append(p.fixed, column)
	default:
		return false
	}
	p.binary[name] = true
	return true
}
