package format

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// comment reads a comment of the DIMACS family, or an empty line. It returns false for other lines.
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
func (b *builder) header(name string) {
	for b.in.next() {
		if b.comment() {
			continue
		}
		for _, word := range []string{"p", name} {
			if field := b.in.field(); string(field) != word {
				panic(b.in.unexpected(field, `the line "p `+name+`" before all clauses`))
			}
		}
		return
	}
	panic(b.in.unexpected(nil, `the line "p `+name+`"`))
}

// readDIMACS reads CNF and WCNF before 2022, whose clauses may span lines.
func (b *builder) readDIMACS(f Format) *trace.Trace {
	in, name := b.in, "cnf"
	if f == WCNFOld {
		name = "wcnf"
	}
	b.header(name)
	vars := in.unsigned(in.field(), "the number of variables,", 0, math.MaxInt32)
	clauses := in.unsigned(in.field(), "the number of clauses,", 0, math.MaxInt64)
	b.greatest = int32(vars)
	var top uint64 // weight of hard clauses; 0: there are none
	if f == WCNFOld {
		if field := in.field(); field != nil {
			top = in.unsigned(field, "the weight of hard clauses,", 1, math.MaxUint64)
		}
	}
	in.end()
	return b.body(f, int32(vars), clauses, top)
}

// body reads the clauses after the header.
func (b *builder) body(f Format, vars int32, clauses, top uint64) *trace.Trace {
	in := b.in
	var lits []int32
	var weight uint64
	count := clauseCount{in: in, announced: clauses}
	for in.next() {
		if b.comment() {
			continue
		}
		for field := in.field(); field != nil; field = in.field() {
			if !count.open {
				count.begin(field)
				lits = lits[:0]
				if f == WCNFOld {
					weight = b.oldWeight(field, top)
					continue
				}
			}
			lit := in.lit(field)
			if trace.Var(lit) > vars {
				panic(in.unexpected(field, "a literal of at most "+strconv.Itoa(int(vars))+" variables, as the header says"))
			}
			if lit != 0 {
				lits = append(lits, lit)
				b.checkLimits(len(lits))
				continue
			}
			count.end()
			if f == WCNFOld && weight != 0 {
				b.softClause(lits, weight)
			} else {
				b.clause(lits)
			}
		}
	}
	count.finish()
	b.solve()
	return b.finish()
}

// oldWeight reads the weight before a clause and returns 0 for a hard one.
func (b *builder) oldWeight(field []byte, top uint64) uint64 {
	greatest := uint64(MaxWeight)
	if top > 0 {
		greatest = top
	}
	weight := b.in.unsigned(field, "a weight", 1, greatest)
	if weight == top {
		return 0
	}
	if weight > MaxWeight {
		panic(b.in.unexpected(field, "a weight from 1 to 9223372036854775807, or that of hard clauses"))
	}
	return weight
}

// readLines reads the formats with one clause per line: WCNF from 2022 on, WCNFI and
// both kinds of iCNF.
func (b *builder) readLines(f Format) *trace.Trace {
	in := b.in
	if b.t.Model == apimodel.IPASIR {
		b.header(map[Format]string{ICNF: "icnf", IncCNF: "inccnf"}[f])
		in.end()
	}
	l := &lineReader{builder: b, format: f, weights: make(map[int32]uint64), known: make(map[string]int32), solved: -1}
	for in.next() {
		if !b.comment() {
			l.line()
		}
	}
	if f == WCNF {
		b.solve()
	} else if l.solved < 0 {
		line := map[Format]string{WCNFI: "a line r", ICNF: "a line q", IncCNF: "a line a"}[f]
		panic(in.unexpected(nil, line+" (a file without one solves nothing)"))
	}
	return b.finish()
}

// A lineReader reads line by line.
type lineReader struct {
	*builder
	format Format
	lits   []int32
	solved int  // the last solve; -1 before the first
	asked  bool // no line has told the answer of the last solve yet

	// For WCNFI: the weights of soft literals and soft clauses. known holds the fresh
	// variables of the soft clauses.
	weights      map[int32]uint64
	known        map[string]int32
	key          []byte
	freshWeights []uint64
}

func (l *lineReader) line() {
	field := l.in.field()
	switch head := string(field); {
	case head == "h" && (l.format == WCNF || l.format == WCNFI), head == "i" && l.format == ICNF:
		l.hard()
	case head == "r" && l.format == WCNFI, head == "a" && l.format == IncCNF, head == "q" && l.format == ICNF:
		l.query()
	case l.format == WCNF:
		weight := l.in.unsigned(field, "h or a weight", 1, MaxWeight)
		l.readLits()
		l.softClause(l.lits, weight)
	case l.format == WCNFI:
		weight := l.in.unsigned(field, "h, r or a weight", 0, MaxWeight)
		l.readLits()
		l.replace(weight)
	case l.format == IncCNF:
		l.in.back()
		l.hard()
	case head == "s":
		l.status()
	case head != "m" && head != "u":
		panic(l.in.unexpected(field, "i, q, s, m or u"))
	case l.solved < 0:
		panic(l.in.unexpected(field, "a line q before"))
	default: // ignore the model or core: other solvers may answer with another one
		l.readLits()
	}
}

// readLits reads the rest of the line: literals and the final 0.
func (l *lineReader) readLits() {
	l.lits = l.lits[:0]
	for {
		field := l.in.field()
		if field == nil {
			panic(l.in.unexpected(nil, "a literal, or 0 to end the clause"))
		}
		lit := l.in.lit(field)
		if lit == 0 {
			l.in.end()
			return
		}
		l.lits = append(l.lits, lit)
		l.checkLimits(len(l.lits))
	}
}

func (l *lineReader) hard() {
	l.readLits()
	l.clause(l.lits)
}

func (l *lineReader) query() {
	l.readLits()
	l.see(l.lits)
	for _, lit := range l.lits {
		l.t.Literal(0, apimodel.OpAssume, lit)
		l.checkLimits(0)
	}
	l.solved, l.asked = len(l.t.Calls), true
	l.solve()
}

// status reads a line s of iCNF, which tells the answer of the last solve.
func (l *lineReader) status() {
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
		panic(l.in.unexpected(field, "SATISFIABLE, UNSATISFIABLE or UNKNOWN"))
	}
	if !l.asked || len(l.t.Calls) != l.solved+2 {
		panic(l.in.unexpected(field, "a line q before this one"))
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
	l.in.end()
}

// replace sets the weight of a soft clause of WCNFI, which may have had another weight.
func (l *lineReader) replace(weight uint64) {
	if len(l.lits) == 1 {
		lit := -l.lits[0]
		l.count(l.weights[lit], weight)
		l.weights[lit] = weight
		l.see(l.lits)
		l.t.Soft(0, lit, weight)
		l.checkLimits(0)
		return
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
		l.relaxed(l.lits, number)
	}
	l.count(l.freshWeights[number], weight)
	l.freshWeights[number] = weight
	l.freshSoft(number, weight)
}
