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

func readMPS(in *scanner) (*trace.Trace, error) {
	r := &mpsReader{program: newProgram(in), sets: make(map[string]string)}
	for {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, in.unexpected(nil, "the line ENDATA")
		}
		if strings.HasPrefix(string(in.line), "*") {
			r.note(strings.TrimPrefix(string(in.line[1:]), " "))
			continue
		}
		if in.blank() {
			continue
		}
		if in.line[0] != ' ' && in.line[0] != '\t' {
			err = r.begin()
		} else {
			err = r.data()
		}
		if err != nil {
			return nil, err
		}
		if r.section == "ENDATA" {
			return r.emit()
		}
	}
}

// begin takes the first line of a section. Sections have an order.
func (r *mpsReader) begin() error {
	field := r.in.field()
	word := string(field)
	at := slices.Index(mpsSections, word)
	if at <= slices.Index(mpsSections, r.section) || word == "COLUMNS" && r.section != "ROWS" {
		return r.in.unexpected(field, "a section, in this order: "+strings.Join(mpsSections, ", "))
	}
	r.section = word
	if word == "NAME" {
		return nil
	}
	if word == "OBJSENSE" {
		if field = r.in.field(); field != nil {
			return r.sense(field)
		}
	}
	return r.in.end()
}

func (r *mpsReader) sense(field []byte) error {
	switch string(field) {
	case "MAX", "MAXIMIZE":
		r.negative = true
	case "MIN", "MINIMIZE":
	default:
		return r.in.unexpected(field, "MIN or MAX")
	}
	return r.in.end()
}

var mpsRelations = map[string]string{"N": "-", "G": ">=", "L": "<=", "E": "="}

func (r *mpsReader) data() error {
	first := r.in.field()
	switch r.section {
	case "OBJSENSE":
		return r.sense(first)
	case "ROWS":
		return r.row(first)
	case "COLUMNS", "RHS":
		return r.pairs(first)
	case "BOUNDS":
		return r.bound(first)
	}
	return r.in.unexpected(first, "another section (ranges are not read)")
}

func (r *mpsReader) row(kind []byte) error {
	relation, known := mpsRelations[string(kind)]
	if !known {
		return r.in.unexpected(kind, "N, G, L or E")
	}
	field := r.in.field()
	name := string(field)
	if _, twice := r.byName[name]; field == nil || twice {
		return r.in.unexpected(field, "the name of another row")
	}
	row := &programRow{relation: relation, bound: new(big.Int)}
	if relation == "-" && !slices.ContainsFunc(r.rows, func(other *programRow) bool { return other.relation == "" }) {
		row.relation = "" // the first such row is the objective
	}
	r.rows = append(r.rows, row)
	r.byName[name] = row
	if err := r.checkLimits(len(r.rows)); err != nil {
		return err
	}
	return r.in.end()
}

// pairs reads a column, or a set of right sides, with one or two rows and numbers.
func (r *mpsReader) pairs(first []byte) error {
	name := string(first)
	second := r.in.field()
	if r.section == "COLUMNS" && string(second) == "'MARKER'" {
		switch third := r.in.field(); string(third) {
		case "'INTORG'":
			r.integer = true
		case "'INTEND'":
			r.integer = false
		default:
			return r.in.unexpected(third, "'INTORG' or 'INTEND'")
		}
		return r.in.end()
	}
	if r.section == "COLUMNS" && r.integer {
		r.program.integer[name] = true
	}
	if r.section == "RHS" && second == nil {
		return r.in.unexpected(nil, "the name of the right side, a row and a number")
	}
	if r.section == "RHS" {
		if known := r.sets["RHS"]; known != "" && known != name {
			return r.in.unexpected(first, "the right side "+known+": a second one is not read")
		}
		r.sets["RHS"] = name
	}
	for field := second; ; {
		row := r.byName[string(field)]
		if row == nil {
			return r.in.unexpected(field, "the name of a row")
		}
		field = r.in.field()
		n, err := r.number(string(field))
		if err != nil {
			return err
		}
		switch {
		case r.section == "COLUMNS":
			err = r.add(row, n, r.columnOf(name))
		case row.relation == "": // it is subtracted, as in most readers
			r.constant.Neg(n)
		default:
			row.bound = n
		}
		if err != nil {
			return err
		}
		if field = r.in.field(); field == nil {
			return nil
		}
	}
}

func (r *mpsReader) bound(kind []byte) error {
	what := string(kind)
	set := r.in.field()
	if known := r.sets["BOUNDS"]; known != "" && known != string(set) {
		return r.in.unexpected(set, "the bounds "+known+": a second set is not read")
	}
	r.sets["BOUNDS"] = string(set)
	field := r.in.field()
	name := string(field)
	if _, known := r.column[name]; field == nil || !known {
		return r.in.unexpected(field, "the name of a column")
	}
	if what == "BV" {
		r.binary[name] = true
		if field = r.in.field(); field == nil || string(field) == "1" || string(field) == "1.0" {
			return r.in.end()
		}
		return r.in.unexpected(field, "the end of the line")
	}
	field = r.in.field()
	n, err := r.number(string(field))
	if err != nil {
		return err
	}
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
		return r.in.unexpected(kind, "BV, UP, LO or FX")
	}
	if !good {
		return r.in.unexpected(field, "a bound of a variable that is 0 or 1")
	}
	return r.in.end()
}
