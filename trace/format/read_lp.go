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
	token string // the current token; "" at the end of the file
	ended int    // line of the last right-hand side
}

// lpSections are the words that begin a section, in lower case. A blank joins two words.
var lpSections = map[string]string{
	"minimize": "min", "minimise": "min", "minimum": "min", "min": "min",
	"maximize": "max", "maximise": "max", "maximum": "max", "max": "max",
	"subject to": "rows", "such that": "rows", "st": "rows", "s.t.": "rows", "st.": "rows",
	"bounds": "bounds", "bound": "bounds", "binary": "binary", "binaries": "binary", "bin": "binary",
	"general": "integer", "generals": "integer", "gen": "integer",
	"integer": "integer", "integers": "integer", "int": "integer",
	"end": "end",
}

func readLP(in *scanner) *trace.Trace {
	r := &lpReader{program: newProgram(in)}
	r.next()
	section := r.section()
	if section != "min" && section != "max" {
		panic(r.unexpected("Minimize or Maximize"))
	}
	r.negative = section == "max"
	objective := &programRow{bound: new(big.Int)}
	r.rows = append(r.rows, objective)
	r.expression(objective)
	r.constant.Neg(objective.bound) // expression has moved constants to the other side
	for {
		switch section = r.section(); section {
		case "rows":
			r.all(r.row)
		case "bounds":
			r.all(r.bounds)
		case "binary", "integer":
			r.all(func() { r.kind(section) })
		case "end":
			if r.token != "" {
				panic(r.unexpected("the end of the file"))
			}
			return r.emit()
		default:
			panic(r.unexpected("Subject To, Bounds, Binary, General or End"))
		}
	}
}

// all calls item until the next section begins.
func (r *lpReader) all(item func()) {
	for {
		if r.token == "" {
			panic(r.unexpected("End"))
		}
		if _, isSection := lpSections[r.sectionWord()]; isSection {
			return
		}
		item()
	}
}

func (r *lpReader) unexpected(want string) error {
	if r.token == "" {
		return r.in.unexpected(nil, want)
	}
	return r.in.unexpected([]byte(r.token), want)
}

// sectionWord returns the token as lpSections spells it. After "subject" and "such", it adds
// the second word.
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

// section reads the word that begins a section.
func (r *lpReader) section() string {
	words := r.sectionWord()
	section, known := lpSections[words]
	if !known {
		return ""
	}
	r.next()
	if _, second, two := strings.Cut(words, " "); two {
		if strings.ToLower(r.token) != second {
			panic(r.unexpected(second))
		}
		r.next()
	}
	return section
}

const lpSigns = "+-<>=:"

// next goes to the next token: a sign, a relation, a number or a name.
func (r *lpReader) next() {
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
		if !in.next() {
			r.token = ""
			return
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
		panic(in.failure("a number, a name or a sign", printable.Excerpt(in.line[in.start:in.start+1])))
	}
	r.token = string(in.line[in.start:in.at])
}

func (r *lpReader) isNumber() bool {
	return r.token != "" && (r.token[0] >= '0' && r.token[0] <= '9' || r.token[0] == '.')
}

func (r *lpReader) isName() bool {
	_, isSection := lpSections[r.sectionWord()]
	return r.token != "" && !isSection && !r.isNumber() && strings.IndexByte(lpSigns+"[]*^", r.token[0]) < 0
}

// expression reads an optional name with a colon, and a sum of terms. It moves constants to the
// other side, into the bound of the row, and returns the number of terms.
func (r *lpReader) expression(row *programRow) (terms int) {
	for first := true; ; first = false {
		negative, signed := false, false
		for r.token == "+" || r.token == "-" {
			negative, signed = negative != (r.token == "-"), true
			r.next()
		}
		if terms > 0 && !signed {
			return terms
		}
		coefficient, hasNumber := big.NewInt(1), false
		if r.isNumber() {
			coefficient, hasNumber = r.number(r.token), true
			r.next()
		}
		if negative {
			coefficient.Neg(coefficient)
		}
		switch {
		case r.isName():
			name := r.token
			r.next()
			if first && !signed && !hasNumber && r.token == ":" {
				r.next()
				continue
			}
			terms++
			r.add(row, coefficient, r.columnOf(name))
		case hasNumber:
			terms++
			row.bound.Sub(row.bound, coefficient)
		case signed:
			panic(r.unexpected("a number or a variable"))
		default:
			return terms
		}
	}
}

// relationWord reads <=, >= or =, in any of their spellings.
func (r *lpReader) relationWord() string {
	relation := map[string]string{"<": "<=", "<=": "<=", "=<": "<=", ">": ">=", ">=": ">=", "=>": ">=", "=": "="}[r.token]
	if relation == "" {
		panic(r.unexpected("<=, >= or ="))
	}
	r.next()
	return relation
}

func (r *lpReader) row() {
	row := &programRow{bound: new(big.Int)}
	if r.expression(row) == 0 {
		panic(r.unexpected("a number or a variable"))
	}
	row.relation = r.relationWord()
	row.bound.Add(row.bound, r.signedNumber())
	r.ends()
	r.rows = append(r.rows, row)
	r.checkLimits(len(r.rows))
}

// ends expects the end of a constraint or a bound after its right-hand side. Otherwise, the reader would take a second
// relation or more terms in the same line for another constraint.
func (r *lpReader) ends() {
	switch {
	case strings.ContainsAny(r.token, "<>="):
		panic(r.unexpected("one relation in a constraint (write two constraints)"))
	case r.token != "" && r.in.number == r.ended && (r.token == "+" || r.token == "-" || r.isNumber()):
		panic(r.unexpected("the end of the line behind the right-hand side, which is one number"))
	}
}

func (r *lpReader) signedNumber() *big.Int {
	negative := false
	for r.token == "+" || r.token == "-" {
		negative = negative != (r.token == "-")
		r.next()
	}
	if !r.isNumber() {
		panic(r.unexpected("a number"))
	}
	n := r.number(r.token)
	if negative {
		n.Neg(n)
	}
	r.ended = r.in.number
	r.next()
	return n
}

// bounds reads "0 <= x <= 1", "x <= 1", "x >= 0" and "x = 1". The lower bound is 0 if
// there is none.
func (r *lpReader) bounds() {
	lower, upper, first := new(big.Int), (*big.Int)(nil), false
	if r.isNumber() || r.token == "-" || r.token == "+" {
		lower = r.signedNumber()
		if r.relationWord() != "<=" {
			panic(r.unexpected("a bound like 0 <= x <= 1"))
		}
		first = true
	}
	name := r.token
	if !r.isName() {
		panic(r.unexpected("a variable"))
	}
	r.next()
	if strings.ContainsAny(r.token, "<>=") {
		if first && r.token[0] != '<' && r.token != "=<" {
			panic(r.unexpected("a bound like 0 <= x <= 1"))
		}
		relation, n := r.relationWord(), r.signedNumber()
		r.ends()
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
		return
	}
	if upper == nil || !r.bounded(name, lower, upper) {
		panic(r.in.failure("bounds of 0 and 1", "others, of "+printable.Excerpt([]byte(name))))
	}
	if lower.Cmp(upper) != 0 && !r.integer[name] { // a later section may say that it is an integer
		r.binary[name] = false
		r.integer[name] = true
	}
}

// kind reads a variable in the section Binary or General. Variables in General are integers,
// which are 0 or 1 if bounds say so.
func (r *lpReader) kind(section string) {
	if !r.isName() {
		panic(r.unexpected("a variable"))
	}
	if section == "binary" || r.integer[r.token] {
		r.binary[r.token] = true
	}
	r.columnOf(r.token)
	r.next()
}
