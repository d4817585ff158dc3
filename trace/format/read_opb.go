package format

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An opbReader reads OPB and WBO. Constraints end with ';', not at the end of the line.
type opbReader struct {
	*builder
	format      Format
	pending     []byte // rest of a field with a ';' in it
	vars        uint64 // number of variables in the header; 0: there is no header
	constraints uint64
	hasHeader   bool
	relaxed     []softRow
}

type softRow struct {
	weight uint64
	number int32
}

func readOPB(in *scanner, f Format) *trace.Trace {
	r := &opbReader{builder: newBuilder(in, apimodel.IPAMIR), format: f}
	found := uint64(0)
	top := (*big.Int)(nil)
	for first := true; ; first = false {
		word := r.word()
		if word == "" {
			break
		}
		switch {
		case word == "min:" && f == OPB && first:
			sum, end := r.terms("")
			if end != ";" {
				panic(r.in.unexpected([]byte(end), "a coefficient or ;"))
			}
			r.minimize(sum, new(big.Int))
			continue
		case word == "soft:" && f == WBO && first:
			if word = r.word(); word != ";" {
				top = r.number(word)
				r.semicolon()
			}
			continue
		}
		r.constraint(word)
		found++
	}
	if r.hasHeader && found != r.constraints {
		panic(in.failure(strconv.FormatUint(r.constraints, 10)+" constraints, as the header says",
			strconv.FormatUint(found, 10)))
	}
	r.finishSofts(top)
	r.solve()
	return r.finish()
}

// word returns the next word, or "" at the end of the file.
func (r *opbReader) word() string {
	if len(r.pending) > 0 {
		word := string(r.pending)
		r.pending = nil
		return word
	}
	for {
		field := r.in.field()
		if field == nil {
			if !r.in.next() {
				return ""
			}
			if bytes.HasPrefix(r.in.line, []byte("*")) {
				r.remark()
				r.in.at = len(r.in.line)
			}
			continue
		}
		if before, found := bytes.CutSuffix(field, []byte(";")); found && len(before) > 0 {
			r.pending = []byte(";")
			field = before
		}
		return string(field)
	}
}

func (r *opbReader) semicolon() {
	if word := r.word(); word != ";" {
		panic(r.in.unexpected([]byte(word), ";"))
	}
}

// remark reads a comment. The first comment is the header.
func (r *opbReader) remark() {
	fields := strings.Fields(strings.ReplaceAll(string(r.in.line[1:]), "= ", "="))
	if r.in.number > 1 || len(fields) < 2 || !strings.HasPrefix(fields[0], "#variable=") ||
		!strings.HasPrefix(fields[1], "#constraint=") {
		r.note(strings.TrimPrefix(string(r.in.line[1:]), " "))
		return
	}
	var ok, ok2 bool
	r.vars, ok = trace.ParseUnsigned([]byte(strings.TrimPrefix(fields[0], "#variable=")), math.MaxInt32)
	r.constraints, ok2 = trace.ParseUnsigned([]byte(strings.TrimPrefix(fields[1], "#constraint=")), math.MaxInt64)
	if !ok || !ok2 {
		panic(r.in.failure("* #variable= N #constraint= N", printable.Excerpt(r.in.line)))
	}
	r.hasHeader = true
	r.greatest = int32(r.vars)
}

func (r *opbReader) number(word string) *big.Int {
	n, ok := new(big.Int).SetString(word, 10)
	const digits = 100
	if !ok || len(word) > digits {
		panic(r.in.unexpected([]byte(word), "a whole number"))
	}
	return n
}

// terms reads coefficients and literals, and returns the word after them. If word is not "",
// it is the first coefficient.
func (r *opbReader) terms(word string) (sum []summand, end string) {
	for {
		if word == "" {
			word = r.word()
		}
		if word == "" || word == ";" || strings.ContainsAny(word, "<>=") {
			return sum, word
		}
		coefficient := r.number(word)
		word = r.word()
		name, negated := strings.CutPrefix(word, "~")
		most := uint64(math.MaxInt32)
		if r.hasHeader {
			most = r.vars
		}
		v, ok := trace.ParseUnsigned([]byte(strings.TrimPrefix(name, "x")), most)
		if !ok || v == 0 || !strings.HasPrefix(name, "x") {
			panic(r.in.unexpected([]byte(word),
				"a variable from x1 to x"+strconv.FormatUint(most, 10)+", or ~ and one"))
		}
		lit := int32(v)
		if negated {
			lit = -lit
		}
		r.checkLimits(len(sum))
		sum = append(sum, summand{coefficient, lit})
		word = ""
	}
}

// constraint reads a constraint. word is its first word.
func (r *opbReader) constraint(word string) {
	weight := uint64(0)
	if digits, isSoft := strings.CutPrefix(word, "["); isSoft && r.format == WBO {
		var ok bool
		weight, ok = trace.ParseUnsigned([]byte(strings.TrimSuffix(digits, "]")), MaxWeight)
		if !ok || weight == 0 || !strings.HasSuffix(digits, "]") {
			panic(r.in.unexpected([]byte(word), "[ and a weight from 1 to 9223372036854775807 and ]"))
		}
		word = ""
	}
	sum, relation := r.terms(word)
	if relation != ">=" && relation != "=" && relation != "<=" {
		panic(r.in.unexpected([]byte(relation), "a coefficient, >= or ="))
	}
	bound := r.number(r.word())
	r.semicolon()
	if weight == 0 {
		r.relation(sum, relation, bound, 0)
		return
	}
	if lit, unit := unitOf(sum, relation, bound); unit {
		r.see([]int32{lit})
		r.soft(-lit, weight)
		return
	}
	r.count(0, weight)
	number := r.newVariable()
	r.relaxed = append(r.relaxed, softRow{weight, number})
	r.relation(sum, relation, bound, number+1)
}

// unitOf returns the literal to which a constraint is equivalent, if there is one.
func unitOf(sum []summand, relation string, bound *big.Int) (int32, bool) {
	if len(sum) != 1 || relation != ">=" || !sum[0].coefficient.IsInt64() || !bound.IsInt64() {
		return 0, false
	}
	switch c, b := sum[0].coefficient.Int64(), bound.Int64(); {
	case c > 0 && 0 < b && b <= c:
		return sum[0].lit, true
	case c < 0 && c < b && b <= 0:
		return -sum[0].lit, true
	}
	return 0, false
}

// finishSofts declares the fresh variables of soft constraints soft. It refuses a top cost that a
// solution might reach.
func (r *opbReader) finishSofts(top *big.Int) {
	for _, s := range r.relaxed {
		r.freshSoft(s.number, s.weight)
	}
	if top == nil || top.Cmp(new(big.Int).SetUint64(r.sum)) > 0 {
		return
	}
	panic(r.in.failure(
		"a top cost above the sum of all weights, "+strconv.FormatUint(r.sum, 10)+" (lower ones are not read)",
		top.String()))
}
