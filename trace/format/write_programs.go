package format

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// A weightedRow is a row of WBO with its weight.
type weightedRow struct {
	row
	weight uint64
}

// writeWBO writes each soft clause as a constraint with a weight. The empty clause becomes two, of which every solution
// falsifies one.
func writeWBO(out *text, f *Formula, softs []Weighted, notes []string) {
	rows, vars := f.linear()
	var softRows []weightedRow
	sum, least, greatest := new(big.Int), uint64(0), uint64(0)
	for _, s := range softs {
		if len(s.Lits) == 0 {
			vars = max(vars, 1)
		}
		for _, r := range rowsOf(s.Lits) {
			softRows = append(softRows, weightedRow{r, s.Weight})
			if least == 0 || s.Weight < least {
				least = s.Weight
			}
			greatest = max(greatest, s.Weight)
			sum.Add(sum, new(big.Int).SetUint64(s.Weight))
		}
	}
	out.words("* #variable= ").number(vars).words(" #constraint= ").number(uint64(len(rows) + len(softRows)))
	out.words(" #soft= ").number(uint64(len(softRows)))
	out.words(" mincost= ").number(least).words(" maxcost= ").number(greatest).words(" sumcost= " + sum.String()).line()
	out.comments("*", notes)
	top := sum.Add(sum, big.NewInt(1)) // some readers need one; no solution reaches it
	out.words("soft: " + top.String() + " ;").line()
	for _, r := range rows {
		out.terms(r.terms).words(" >= ").signed(r.least).words(" ;").line()
	}
	for _, r := range softRows {
		out.words("[").number(r.weight).words("] ").terms(r.terms).words(" >= ").signed(r.least).words(" ;").line()
	}
}

// Columns returns the variables of the formula in ascending order. The columns of an MPS file have
// the same order: some solvers answer with numbers of columns.
func (f *Formula) Columns() []int32 {
	if f.Lines != nil {
		f = relaxed(f.Lines, f.MaxVar)
	}
	rows, _ := f.linear()
	objective, _ := f.objective()
	return columnsOf(rows, objective)
}

func columnsOf(rows []row, objective []term) (vars []int32) {
	for _, t := range objective {
		vars = append(vars, t.v)
	}
	for _, r := range rows {
		for _, t := range r.terms {
			vars = append(vars, t.v)
		}
	}
	if len(vars) == 0 { // some readers refuse a program without columns
		return []int32{1}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// An entry is a term of a row. Row 0 is the objective.
type entry struct {
	row int
	term
}

// entriesOf returns the entries of each variable. MPS lists rows by column.
func entriesOf(rows []row, objective []term) map[int32][]entry {
	entries := make(map[int32][]entry)
	for _, t := range objective {
		entries[t.v] = append(entries[t.v], entry{0, t})
	}
	for i, r := range rows {
		for _, t := range r.terms {
			entries[t.v] = append(entries[t.v], entry{i + 1, t})
		}
	}
	return entries
}

// writeMPS writes lines that are both free and fixed MPS, because not all readers detect the kind.
// That works for names of up to 8 characters and numbers of up to 12. writeMPS omits the constant
// of the objective, because readers disagree about its sign, and returns it as the offset.
func writeMPS(out *text, f *Formula, notes []string) (offset uint64) {
	rows, _ := f.linear()
	objective, offset := f.objective()
	out.comments("*", notes)
	if offset > 0 {
		out.words("* the cost is the objective plus ").number(offset).line()
	}
	out.words("NAME          formula").line()
	out.words("ROWS").line()
	out.words(" N  cost").line()
	for i := range rows {
		out.words(" G  c").number(uint64(i + 1)).line()
	}
	vars, entries := columnsOf(rows, objective), entriesOf(rows, objective)
	out.words("COLUMNS").line()
	for _, v := range vars {
		if len(entries[v]) == 0 {
			entries[v] = []entry{{0, term{v: v}}}
		}
		for _, e := range entries[v] {
			name, number := "cost", strconv.FormatUint(e.size, 10)
			if e.row > 0 {
				name = "c" + strconv.Itoa(e.row)
			}
			if e.negative {
				number = "-" + number
			}
			out.fields("    ", "x"+strconv.Itoa(int(v)), name, number)
		}
	}
	out.words("RHS").line()
	for i, r := range rows {
		if r.least != 0 {
			out.fields("    ", "rhs", "c"+strconv.Itoa(i+1), strconv.FormatInt(r.least, 10))
		}
	}
	out.words("BOUNDS").line()
	for _, v := range vars {
		out.words(" BV bound     x").number(uint64(v)).line()
	}
	out.words("ENDATA").line()
	return offset
}

// fields writes a line of MPS with names in columns 5 and 15 and a number that ends in
// column 36.
func (o *text) fields(start, first, second, number string) {
	o.words(fmt.Sprintf("%s%-8s  %-8s  %12s", start, first, second, number)).line()
}

// lpLine bounds the terms of a line in an LP file. Readers accept lines of 510 or 560 characters.
const lpLine = 200

// writeLP writes CPLEX's LP format.
func writeLP(out *text, f *Formula, notes []string) (offset uint64) {
	rows, _ := f.linear()
	objective, offset := f.objective()
	out.comments("\\", notes)
	if offset > 0 {
		out.words("\\ the cost is the objective plus ").number(offset).line()
	}
	vars := columnsOf(rows, objective)
	if len(objective) == 0 { // readers want at least one term
		objective = []term{{v: vars[0]}}
	}
	out.words("Minimize").line()
	out.words(" cost:").wrapped(objective)
	out.line()
	out.words("Subject To").line()
	for i, r := range rows {
		out.words(" c").number(uint64(i + 1)).words(":").wrapped(r.terms).words(" >= ").signed(r.least).line()
	}
	if len(rows) == 0 {
		out.words(" c1: x").number(uint64(vars[0])).words(" >= 0").line()
	}
	out.words("Binary").line()
	for _, v := range vars {
		out.words(" x").number(uint64(v)).line()
	}
	out.words("End").line()
	return offset
}

// wrapped writes terms with blanks around every sign, and begins new lines before they get too
// long.
func (o *text) wrapped(terms []term) *text {
	length := 0
	for _, t := range terms {
		sign := " + "
		if t.negative {
			sign = " - "
		}
		piece := sign + strconv.FormatUint(t.size, 10) + " x" + strconv.Itoa(int(t.v))
		if length += len(piece); length > lpLine {
			o.line()
			length = len(piece)
		}
		o.words(piece)
	}
	return o
}
