package format

import (
	"math/big"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An lpReader reads programs over variables that are 0 or 1 in CPLEX's LP format:
// objective, constraints, bounds, and the kinds of the variables.
type lpReader struct {
	*program
	token string // the current one; "" at the end
}

// lpSections are the words that begin a section, in lower case, two words joined by a
// blank.
var lpSections = map[string]string{
	"minimize": "min", "minimise": "min", "minimum": "min", "min": "min",
	"maximize": "max", "maximise": "max", "maximum": "max", "max": "max",
	"subject to": "rows", "such that": "rows", "st": "rows", "s.t.": "rows", "st.": "rows",
	"bounds": "bounds", "bound": "bounds", "binary": "binary", "binaries": "binary", "bin": "binary",
	"general": "integer", "generals": "integer", "gen": "integer",
	"integer": "integer", "integers": "integer", "int": "integer",
	"end": "end",
}

func readLP(in *scanner) (*trace.Trace, error) {
	r := &lpReader{program: newProgram(in)}
	if err := r.next(); err != nil {
		return nil, err
	}
	section, err := r.section()
	if err != nil {
		return nil, err
	}
	if section != "min" && section != "max" {
		return nil, r.unexpected("Minimize or Maximize")
	}
	r.negative = section == "max"
	objective := &programRow{bound: new(big.Int)}
	r.rows = append(r.rows, objective)
	if err := r.expression(objective); err != nil {
		return nil, err
	}
	r.constant.Neg(objective.bound) // a row has constants on its other side
	for {
		if section, err = r.section(); err != nil {
			return nil, err
		}
		switch section {
		case "rows":
			err = r.all(r.row)
		case "bounds":
			err = r.all(r.bounds)
		case "binary", "integer":
			err = r.all(func() error { return r.kind(section) })
		case "end":
			if r.token != "" {
				return nil, r.unexpected("the end of the file")
			}
			return r.emit()
		default:
			return nil, r.unexpected("Subject To, Bounds, Binary, General or End")
		}
		if err != nil {
			return nil, err
		}
	}
}

// all reads items up to the next section.
func (r *lpReader) all(item func() error) error {
	for {
		if r.token == "" {
			return r.unexpected("End")
		}
		if _, isSection := lpSections[r.sectionWord()]; isSection {
			return nil
		}
		if err := item(); err != nil {
			return err
		}
	}
}

func (r *lpReader) unexpected(want string) error {
	if r.token == "" {
		return r.in.unexpected(nil, want)
	}
	return r.in.unexpected([]byte(r.token), want)
}

// sectionWord returns the token in the spelling of the table, both words for "subject"
// and "such".
func (r *lpReader) sectionWord() string {
	switch word := strings.ToLower(r.token); word {
	case "subject":
		return "subject to"
	case "such":
		return "such that"
	default:
		return word
	}
}

// section takes the word that begins a section.
func (r *lpReader) section() (string, error) {
	words := r.sectionWord()
	section, known := lpSections[words]
	if !known {
		return "", nil
	}
	if err := r.next(); err != nil {
		return "", err
	}
	if _, second, two := strings.Cut(words, " "); two {
		if strings.ToLower(r.token) != second {
			return "", r.unexpected(second)
		}
		if err := r.next(); err != nil {
			return "", err
		}
	}
	return section, nil
}

const lpSigns = "+-<>=:"

// next goes to the next token: a sign, a relation, a number or a name.
func (r *lpReader) next() error {
	in := r.in
	for {
		for in.at < len(in.line) && (in.line[in.at] == ' ' || in.line[in.at] == '\t') {
			in.at++
		}
		if in.at < len(in.line) && in.line[in.at] != '\\' {
			break
		}
		if in.at < len(in.line) {
			r.note(strings.TrimPrefix(string(in.line[in.at+1:]), " "))
		}
		more, err := in.next()
		if err != nil {
			return err
		}
		if !more {
			r.token = ""
			return nil
		}
	}
	in.start = in.at
	if c := in.line[in.at]; strings.IndexByte(lpSigns, c) >= 0 {
		in.at++
		if (c == '<' || c == '>' || c == '=') && in.at < len(in.line) && strings.IndexByte("<>=", in.line[in.at]) >= 0 {
			in.at++
		}
	} else {
		number := c >= '0' && c <= '9' || c == '.'
		for in.at < len(in.line) && in.line[in.at] > ' ' && in.line[in.at] != '\\' {
			c := in.line[in.at]
			exponent := number && (c == '+' || c == '-') && (in.line[in.at-1] == 'e' || in.line[in.at-1] == 'E')
			ends := strings.IndexByte(lpSigns, c) >= 0 || number && strings.IndexByte("0123456789.eE", c) < 0
			if ends && !exponent {
				break
			}
			in.at++
		}
	}
	if in.at == in.start {
		return in.failure("a number, a name or a sign", printable.Excerpt(in.line[in.start:in.start+1]))
	}
	r.token = string(in.line[in.start:in.at])
	return nil
}

func (r *lpReader) isNumber() bool {
	return r.token != "" && (r.token[0] >= '0' && r.token[0] <= '9' || r.token[0] == '.')
}

func (r *lpReader) isName() bool {
	_, isSection := lpSections[r.sectionWord()]
	return r.token != "" && !isSection && !r.isNumber() && strings.IndexByte(lpSigns+"[]*^", r.token[0]) < 0
}

// expression reads a sum of terms, perhaps after a name and a colon. A constant goes to
// the other side, into the bound of the row.
func (r *lpReader) expression(row *programRow) error {
	terms := 0
	for first := true; ; first = false {
		negative, signed := false, false
		for r.token == "+" || r.token == "-" {
			negative, signed = negative != (r.token == "-"), true
			if err := r.next(); err != nil {
				return err
			}
		}
		if terms > 0 && !signed {
			return nil
		}
		coefficient, hasNumber := big.NewInt(1), false
		if r.isNumber() {
			var err error
			if coefficient, err = r.number(r.token); err != nil {
				return err
			}
			hasNumber = true
			if err := r.next(); err != nil {
				return err
			}
		}
		if negative {
			coefficient.Neg(coefficient)
		}
		switch {
		case r.isName():
			name := r.token
			if err := r.next(); err != nil {
				return err
			}
			if first && !signed && !hasNumber && r.token == ":" {
				if err := r.next(); err != nil {
					return err
				}
				continue
			}
			terms++
			if err := r.add(row, coefficient, r.columnOf(name)); err != nil {
				return err
			}
		case hasNumber:
			terms++
			row.bound.Sub(row.bound, coefficient)
		case signed:
			return r.unexpected("a number or a variable")
		default:
			return nil
		}
	}
}

// relationWord takes <=, >= or =, in any of their spellings.
func (r *lpReader) relationWord() (string, error) {
	relation := map[string]string{"<": "<=", "<=": "<=", "=<": "<=", ">": ">=", ">=": ">=", "=>": ">=", "=": "="}[r.token]
	if relation == "" {
		return "", r.unexpected("<=, >= or =")
	}
	return relation, r.next()
}

func (r *lpReader) row() error {
	row := &programRow{bound: new(big.Int)}
	if err := r.expression(row); err != nil {
		return err
	}
	var err error
	if row.relation, err = r.relationWord(); err != nil {
		return err
	}
	bound, err := r.signedNumber()
	if err != nil {
		return err
	}
	row.bound.Add(row.bound, bound)
	r.rows = append(r.rows, row)
	return r.checkLimits(len(r.rows))
}

func (r *lpReader) signedNumber() (*big.Int, error) {
	negative := false
	for r.token == "+" || r.token == "-" {
		negative = negative != (r.token == "-")
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	if !r.isNumber() {
		return nil, r.unexpected("a number")
	}
	n, err := r.number(r.token)
	if err != nil {
		return nil, err
	}
	if negative {
		n.Neg(n)
	}
	return n, r.next()
}

// bounds reads "0 <= x <= 1", "x <= 1", "x >= 0" and "x = 1". The lower bound is 0 if
// there is none.
func (r *lpReader) bounds() error {
	lower, upper := new(big.Int), (*big.Int)(nil)
	if r.isNumber() || r.token == "-" || r.token == "+" {
		n, err := r.signedNumber()
		if err != nil {
			return err
		}
		if relation, err := r.relationWord(); err != nil || relation != "<=" {
			if err == nil {
				err = r.unexpected("a bound like 0 <= x <= 1")
			}
			return err
		}
		lower = n
	}
	name := r.token
	if !r.isName() {
		return r.unexpected("a variable")
	}
	if err := r.next(); err != nil {
		return err
	}
	if strings.ContainsAny(r.token, "<>=") {
		relation, err := r.relationWord()
		if err != nil {
			return err
		}
		n, err := r.signedNumber()
		if err != nil {
			return err
		}
		switch relation {
		case "<=":
			upper = n
		case ">=":
			lower = n
		default:
			lower, upper = n, n
		}
	}
	if upper == nil && lower.Sign() == 0 {
		return nil
	}
	if upper == nil || !r.bounded(name, lower, upper) {
		return r.in.failure("bounds of 0 and 1", "others, of "+printable.Excerpt([]byte(name)))
	}
	if lower.Cmp(upper) != 0 && !r.integer[name] { // it is an integer only if a section says so
		r.binary[name] = false
		r.integer[name] = true
	}
	return nil
}

// kind takes a variable of the section Binary or General. The latter has integers,
// which are 0 or 1 if bounds say so.
func (r *lpReader) kind(section string) error {
	if !r.isName() {
		return r.unexpected("a variable")
	}
	if section == "binary" || r.integer[r.token] {
		r.binary[r.token] = true
	}
	r.columnOf(r.token)
	return r.next()
}
