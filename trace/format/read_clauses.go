package format

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// comment takes a comment line of the DIMACS family, or an empty line.
func (b *builder) comment() bool {
	line := b.in.line
	if b.in.blank() {
		return true
	}
	if line[0] != 'c' || len(line) > 1 && line[1] != ' ' && line[1] != '\t' {
		return false
	}
	b.note(string(bytes.TrimPrefix(line[1:], []byte(" "))))
	return true
}

// header reads a line "p NAME NUMBER...".
func (b *builder) header(name string) error {
	for {
		more, err := b.in.next()
		switch {
		case err != nil:
			return err
		case !more:
			return b.in.unexpected(nil, `the line "p `+name+`"`)
		case b.comment():
			continue
		}
		for _, word := range []string{"p", name} {
			if field := b.in.field(); string(field) != word {
				return b.in.unexpected(field, `the line "p `+name+`" before all clauses`)
			}
		}
		return nil
	}
}

// readDIMACS reads CNF and WCNF before 2022, whose clauses may span lines.
func readDIMACS(in *scanner, f Format) (*trace.Trace, error) {
	model, name := apimodel.IPASIR, "cnf"
	if f == WCNFOld {
		model, name = apimodel.IPAMIR, "wcnf"
	}
	b := newBuilder(in, model)
	if err := b.header(name); err != nil {
		return nil, err
	}
	vars, err := in.unsigned(in.field(), "the number of variables,", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	clauses, err := in.unsigned(in.field(), "the number of clauses,", 0, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	b.greatest = int32(vars)
	var top uint64 // 0: there are no hard clauses
	if f == WCNFOld {
		if field := in.field(); field != nil {
			if top, err = in.unsigned(field, "the weight of hard clauses,", 1, math.MaxUint64); err != nil {
				return nil, err
			}
		}
	}
	if err := in.end(); err != nil {
		return nil, err
	}
	return b.body(f, int32(vars), clauses, top)
}

// body reads the clauses after the header.
func (b *builder) body(f Format, vars int32, clauses, top uint64) (*trace.Trace, error) {
	in := b.in
	var lits []int32
	var weight, found uint64
	open := false
	for {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if b.comment() {
			continue
		}
		for field := in.field(); field != nil; field = in.field() {
			if !open && found == clauses {
				return nil, in.unexpected(field,
					"the end of the file after "+strconv.FormatUint(clauses, 10)+" clauses, as the header says")
			}
			if !open && f == WCNFOld {
				open, lits = true, lits[:0]
				if weight, err = b.oldWeight(field, top); err != nil {
					return nil, err
				}
				continue
			}
			if !open {
				open, lits = true, lits[:0]
			}
			lit, err := in.lit(field)
			if err != nil {
				return nil, err
			}
			if trace.Var(lit) > vars {
				return nil, in.unexpected(field, "a literal of at most "+strconv.Itoa(int(vars))+" variables, as the header says")
			}
			if lit != 0 {
				lits = append(lits, lit)
				if err := b.checkLimits(len(lits)); err != nil {
					return nil, err
				}
				continue
			}
			open = false
			found++
			if f == WCNFOld && weight != 0 {
				err = b.softClause(lits, weight)
			} else {
				err = b.clause(lits)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if open {
		return nil, in.unexpected(nil, "the 0 that ends the clause")
	}
	if found < clauses {
		return nil, in.unexpected(nil,
			strconv.FormatUint(clauses, 10)+" clauses, as the header says, not "+strconv.FormatUint(found, 10))
	}
	if err := b.solve(); err != nil {
		return nil, err
	}
	return b.finish()
}

// oldWeight reads the weight before a clause and returns 0 for a hard one.
func (b *builder) oldWeight(field []byte, top uint64) (uint64, error) {
	greatest := uint64(MaxWeight)
	if top > 0 {
		greatest = top
	}
	weight, err := b.in.unsigned(field, "a weight", 1, greatest)
	if err != nil {
		return 0, err
	}
	if weight == top {
		return 0, nil
	}
	if weight > MaxWeight {
		return 0, b.in.unexpected(field, "a weight from 1 to 9223372036854775807, or that of hard clauses")
	}
	return weight, nil
}

// readLines reads the formats with one clause per line: WCNF from 2022 on, WCNFI and
// both kinds of iCNF.
func readLines(in *scanner, f Format) (*trace.Trace, error) {
	model := apimodel.IPAMIR
	if f == ICNF || f == IncCNF {
		model = apimodel.IPASIR
	}
	b := newBuilder(in, model)
	if model == apimodel.IPASIR {
		if err := b.header(map[Format]string{ICNF: "icnf", IncCNF: "inccnf"}[f]); err != nil {
			return nil, err
		}
		if err := in.end(); err != nil {
			return nil, err
		}
	}
	l := &lineReader{builder: b, format: f, weights: make(map[int32]uint64), known: make(map[string]int32), solved: -1}
	for {
		more, err := in.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if b.comment() {
			continue
		}
		if err := l.line(); err != nil {
			return nil, err
		}
	}
	if f == WCNF {
		if err := b.solve(); err != nil {
			return nil, err
		}
	} else if l.solved < 0 {
		line := map[Format]string{WCNFI: "a line r", ICNF: "a line q", IncCNF: "a line a"}[f]
		return nil, in.unexpected(nil, line+" (a file without one solves nothing)")
	}
	return b.finish()
}

// A lineReader reads line by line.
type lineReader struct {
	*builder
	format Format
	lits   []int32
	solved int  // the last solve, -1 before the first
	asked  bool // its answer is not known yet

	// WCNFI: the weights of soft literals, and of soft clauses by their fresh
	// variables.
	weights      map[int32]uint64
	known        map[string]int32
	key          []byte
	freshWeights []uint64
}

func (l *lineReader) line() error {
	field := l.in.field()
	head := string(field)
	switch l.format {
	case WCNF:
		if head == "h" {
			return l.hard()
		}
		weight, err := l.in.unsigned(field, "h or a weight", 1, MaxWeight)
		if err != nil {
			return err
		}
		if err := l.readLits(); err != nil {
			return err
		}
		return l.softClause(l.lits, weight)
	case WCNFI:
		switch head {
		case "h":
			return l.hard()
		case "r":
			return l.query()
		}
		weight, err := l.in.unsigned(field, "h, r or a weight", 0, MaxWeight)
		if err != nil {
			return err
		}
		if err := l.readLits(); err != nil {
			return err
		}
		return l.replace(weight)
	case IncCNF:
		if head == "a" {
			return l.query()
		}
		l.in.back()
		return l.hard()
	}
	switch head {
	case "i":
		return l.hard()
	case "q":
		return l.query()
	case "s":
		return l.status()
	case "m", "u": // of one solver; another may answer otherwise
		if l.solved < 0 {
			return l.in.unexpected(field, "a line q before")
		}
		return l.readLits()
	}
	return l.in.unexpected(field, "i, q, s, m or u")
}

// readLits reads the rest of the line: literals and the final 0.
func (l *lineReader) readLits() error {
	l.lits = l.lits[:0]
	for {
		field := l.in.field()
		if field == nil {
			return l.in.unexpected(nil, "a literal, or 0 to end the clause")
		}
		lit, err := l.in.lit(field)
		if err != nil {
			return err
		}
		if lit == 0 {
			return l.in.end()
		}
		l.lits = append(l.lits, lit)
		if err := l.checkLimits(len(l.lits)); err != nil {
			return err
		}
	}
}

func (l *lineReader) hard() error {
	if err := l.readLits(); err != nil {
		return err
	}
	return l.clause(l.lits)
}

func (l *lineReader) query() error {
	if err := l.readLits(); err != nil {
		return err
	}
	l.see(l.lits)
	for _, lit := range l.lits {
		l.t.Literal(0, apimodel.OpAssume, lit)
		if err := l.checkLimits(0); err != nil {
			return err
		}
	}
	l.solved, l.asked = len(l.t.Calls), true
	return l.solve()
}

// status takes the line s of iCNF, the answer of the last solve.
func (l *lineReader) status() error {
	field := l.in.field()
	answer := trace.Answer{Kind: trace.Answered}
	switch string(field) {
	case "SATISFIABLE":
		answer.Num = apimodel.Satisfiable
	case "UNSATISFIABLE":
		answer.Num = apimodel.Unsatisfiable
	case "UNKNOWN":
		answer.Kind = trace.NotAnswered
	default:
		return l.in.unexpected(field, "SATISFIABLE, UNSATISFIABLE or UNKNOWN")
	}
	if !l.asked || len(l.t.Calls) != l.solved+2 {
		return l.in.unexpected(field, "a line q before this one")
	}
	l.asked = false
	if answer.Kind == trace.Answered {
		for len(l.t.Want.Of) <= l.solved {
			l.t.Want.Of = append(l.t.Want.Of, trace.Answer{})
		}
		l.t.Want.Of[l.solved] = answer
		if answer.Num == apimodel.Unsatisfiable { // there is no model
			l.t.Calls[l.solved+1].Op = apimodel.OpCore
		}
	}
	return l.in.end()
}

// replace gives a soft clause of WCNFI a weight instead of its previous one.
func (l *lineReader) replace(weight uint64) error {
	if len(l.lits) == 1 {
		lit := -l.lits[0]
		if err := l.count(l.weights[lit], weight); err != nil {
			return err
		}
		l.weights[lit] = weight
		l.see(l.lits)
		l.t.Soft(0, lit, weight)
		return l.checkLimits(0)
	}
	l.key = l.key[:0]
	for _, lit := range l.lits {
		l.key = binary.LittleEndian.AppendUint32(l.key, uint32(lit))
	}
	number, again := l.known[string(l.key)]
	if !again {
		number = l.newVariable()
		l.known[string(l.key)] = number
		l.freshWeights = append(l.freshWeights, 0)
		if err := l.relaxed(l.lits, number); err != nil {
			return err
		}
	}
	if err := l.count(l.freshWeights[number], weight); err != nil {
		return err
	}
	l.freshWeights[number] = weight
	return l.freshSoft(number, weight)
}
