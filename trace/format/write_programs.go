package format

import "strconv"

// writeWBO writes each soft literal as a constraint with a weight.
func writeWBO(out *text, f *Formula, notes []string) {
	rows, vars := f.linear()
	out.words("* #variable= ").number(vars).words(" #constraint= ").number(uint64(len(rows) + len(f.Softs)))
	out.words(" #soft= ").number(uint64(len(f.Softs)))
	sum, _ := f.Sum()
	least := f.MaxWeight()
	for _, s := range f.Softs {
		least = min(least, s.Weight)
	}
	out.words(" mincost= ").number(least).words(" maxcost= ").number(f.MaxWeight()).words(" sumcost= ").number(sum).line()
	out.comments("*", notes)
	out.words("soft: ;").line()
	for _, r := range rows {
		out.terms(r.terms).words(" >= ").signed(r.least).words(" ;").line()
	}
	for _, s := range f.Softs {
		r := rowsOf([]int32{-s.Lit})[0]
		out.words("[").number(s.Weight).words("] ").terms(r.terms).words(" >= ").signed(r.least).words(" ;").line()
	}
}

// columns returns the entries of each variable that a row or the objective has,
// by variable: the order of MPS.
func columns(rows []row, objective []term) (order []int32, entries map[int32][]entry) {
	entries = make(map[int32][]entry)
	add := func(number int, t term) {
		if len(entries[t.v]) == 0 {
			order = append(order, t.v)
		}
		entries[t.v] = append(entries[t.v], entry{number, t})
	}
	for _, t := range objective {
		add(0, t)
	}
	for i, r := range rows {
		for _, t := range r.terms {
			add(i+1, t)
		}
	}
	return order, entries
}

// An entry is a term in a row; row 0 is the objective.
type entry struct {
	row int
	term
}

// writeMPS leaves the constant of the objective out: solvers do not agree on its
// sign. It is the offset.
func writeMPS(out *text, f *Formula, notes []string) (offset uint64) {
	rows, _ := f.linear()
	objective, offset := f.objective()
	out.comments("*", notes)
	if offset > 0 {
		out.words("* the cost is the objective plus ").number(offset).line()
	}
	out.words("NAME formula").line()
	out.words("ROWS").line()
	out.words(" N cost").line()
	for i := range rows {
		out.words(" G c").number(uint64(i + 1)).line()
	}
	order, entries := columns(rows, objective)
	if len(order) == 0 { // a program without columns is none to some readers
		order, entries = []int32{1}, map[int32][]entry{1: {{0, term{v: 1}}}}
	}
	out.words("COLUMNS").line()
	for _, v := range order {
		for _, e := range entries[v] {
			out.words(" x").number(uint64(v)).words(" ")
			if e.row == 0 {
				out.words("cost ")
			} else {
				out.words("c").number(uint64(e.row)).words(" ")
			}
			if e.negative {
				out.words("-")
			}
			out.number(e.size).line()
		}
	}
	out.words("RHS").line()
	for i, r := range rows {
		if r.least != 0 {
			out.words(" rhs c").number(uint64(i + 1)).words(" ").signed(r.least).line()
		}
	}
	out.words("BOUNDS").line()
	for _, v := range order {
		out.words(" BV bound x").number(uint64(v)).line()
	}
	out.words("ENDATA").line()
	return offset
}

// lpLine is how long a line of an LP file may get: readers end at 510 or 560.
const lpLine = 200

// writeLP writes CPLEX's LP format.
func writeLP(out *text, f *Formula, notes []string) (offset uint64) {
	rows, _ := f.linear()
	objective, offset := f.objective()
	out.comments("\\", notes)
	if offset > 0 {
		out.words("\\ the cost is the objective plus ").number(offset).line()
	}
	order, _ := columns(rows, objective)
	if len(objective) == 0 { // readers want a term
		v := int32(1)
		if len(order) > 0 {
			v = order[0]
		}
		objective = []term{{v: v}}
		order, _ = columns(rows, objective)
	}
	out.words("Minimize").line()
	out.words(" cost:").wrapped(objective)
	out.line()
	out.words("Subject To").line()
	for i, r := range rows {
		out.words(" c").number(uint64(i + 1)).words(":").wrapped(r.terms).words(" >= ").signed(r.least).line()
	}
	if len(rows) == 0 {
		out.words(" c1: x").number(uint64(order[0])).words(" >= 0").line()
	}
	out.words("Binary").line()
	for _, v := range order {
		out.words(" x").number(uint64(v)).line()
	}
	out.words("End").line()
	return offset
}

// wrapped writes terms with blanks around every sign, and line ends in between.
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
