package format

import (
	"math/big"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace"
)

// An mpsReader reads free MPS, and fixed MPS whose names have no blanks.
type mpsReader struct {
	*program
	section string
	integer bool // between the markers of integer columns
	sets    map[string]string
}

var mpsSections = []string{"NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA"}

func readMPS(in *scanner) *trace.Trace {
	r := &mpsReader{program: newProgram(in), sets: make(map[string]string)}
	for in.next() {
		if strings.HasPrefix(string(in.line), "*") {
			r.note(strings.TrimPrefix(string(in.line[1:]), " "))
			continue
		}
		if in.blank() {
			continue
		}
		if in.line[0] != ' ' && in.line[0] != '\t' {
			r.begin()
		} else {
			r.data()
		}
		if r.section == "ENDATA" {
			return r.emit()
		}
	}
	panic(in.unexpected(nil, "the line ENDATA"))
}

// begin reads the first line of a section. Sections must be in order.
func (r *mpsReader) begin() {
	field := r.in.field()
	word := string(field)
	at := slices.Index(mpsSections, word)
	if at <= slices.Index(mpsSections, r.section) || word == "COLUMNS" && r.section != "ROWS" {
		panic(r.in.unexpected(field, "a section, in this order: "+strings.Join(mpsSections, ", ")))
	}
	r.section = word
	if word == "NAME" {
		return
	}
	if word == "OBJSENSE" {
		if field = r.in.field(); field != nil {
			r.sense(field)
			return
		}
	}
	r.in.end()
}

func (r *mpsReader) sense(field []byte) {
	switch string(field) {
	case "MAX", "MAXIMIZE":
		r.negative = true
	case "MIN", "MINIMIZE":
	default:
		panic(r.in.unexpected(field, "MIN or MAX"))
	}
	r.in.end()
}

var mpsRelations = map[string]string{"N": "-", "G": ">=", "L": "<=", "E": "="}

func (r *mpsReader) data() {
	first := r.in.field()
	switch r.section {
	case "OBJSENSE":
		r.sense(first)
	case "ROWS":
		r.row(first)
	case "COLUMNS", "RHS":
		r.pairs(first)
	case "BOUNDS":
		r.bound(first)
	default:
		panic(r.in.unexpected(first, "another section (ranges are not read)"))
	}
}

func (r *mpsReader) row(kind []byte) {
	relation, known := mpsRelations[string(kind)]
	if !known {
		panic(r.in.unexpected(kind, "N, G, L or E"))
	}
	field := r.in.field()
	name := string(field)
	if _, twice := r.byName[name]; field == nil || twice {
		panic(r.in.unexpected(field, "the name of another row"))
	}
	row := &programRow{relation: relation, bound: new(big.Int)}
	if relation == "-" && !slices.ContainsFunc(r.rows, func(other *programRow) bool { return other.relation == "" }) {
		row.relation = "" // the first such row is the objective
	}
	r.rows = append(r.rows, row)
	r.byName[name] = row
	r.checkLimits(len(r.rows))
	r.in.end()
}

// pairs reads a line of a column or of right-hand sides: pairs of a row and a number.
func (r *mpsReader) pairs(first []byte) {
	name := string(first)
	second := r.in.field()
	if r.section == "COLUMNS" && string(second) == "'MARKER'" {
		switch third := r.in.field(); string(third) {
		case "'INTORG'":
			r.integer = true
		case "'INTEND'":
			r.integer = false
		default:
			panic(r.in.unexpected(third, "'INTORG' or 'INTEND'"))
		}
		r.in.end()
		return
	}
	if r.section == "COLUMNS" && r.integer {
		r.program.integer[name] = true
	}
	if r.section == "RHS" && second == nil {
		panic(r.in.unexpected(nil, "the name of the right side, a row and a number"))
	}
	if r.section == "RHS" {
		if known := r.sets["RHS"]; known != "" && known != name {
			panic(r.in.unexpected(first, "the right side "+known+": only one is read"))
		}
		r.sets["RHS"] = name
	}
	for field := second; ; {
		row := r.byName[string(field)]
		if row == nil {
			panic(r.in.unexpected(field, "the name of a row"))
		}
		field = r.in.field()
		n := r.number(string(field))
		switch {
		case r.section == "COLUMNS":
			r.add(row, n, r.columnOf(name))
		case row.relation == "": // subtract the constant of the objective, as most readers do
			r.constant.Neg(n)
		default:
			row.bound = n
		}
		if field = r.in.field(); field == nil {
			return
		}
	}
}

func (r *mpsReader) bound(kind []byte) {
	what := string(kind)
	set := r.in.field()
	if known := r.sets["BOUNDS"]; known != "" && known != string(set) {
		panic(r.in.unexpected(set, "the bounds "+known+": only one set is read"))
	}
	r.sets["BOUNDS"] = string(set)
	field := r.in.field()
	name := string(field)
	if _, known := r.column[name]; field == nil || !known {
		panic(r.in.unexpected(field, "the name of a column"))
	}
	if what == "BV" {
		r.binary[name] = true
		if field = r.in.field(); field == nil || string(field) == "1" || string(field) == "1.0" {
			r.in.end()
			return
		}
		panic(r.in.unexpected(field, "the end of the line"))
	}
	field = r.in.field()
	n := r.number(string(field))
	whole := r.program.integer[name] || r.binary[name]
	good := false
	switch what {
	case "UP":
		good = whole && r.bounded(name, new(big.Int), n)
	case "LO":
		good = whole && (n.Sign() == 0 || r.binary[name] && r.bounded(name, n, big.NewInt(1)))
	case "FX":
		good = r.bounded(name, n, n)
	default:
		panic(r.in.unexpected(kind, "BV, UP, LO or FX"))
	}
	if !good {
		panic(r.in.unexpected(field, "a bound of a variable that is 0 or 1"))
	}
	r.in.end()
}
