package format

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// QDIMACS 1.1 has the line "p cnf VARIABLES CLAUSES", lines "a V... 0" and "e V... 0" from the
// outermost block inwards, and clauses. Variables of clauses that no block has are free. The
// reader also accepts what the standard forbids but has only one meaning: empty blocks, neighbours
// of one quantifier, an innermost universal block, empty clauses, comments anywhere.

// A quantifiedReader reads the prefix and the clauses of QDIMACS.
type quantifiedReader struct {
	*builder // reads comments and the header; it makes no trace
	f        *qbf.Formula
	vars     uint64 // of the header
	clauses  clauseCount
	lines    map[int32]int // the line of each variable of the prefix
	literals int
	lits     []int32           // literals of the open clause
	refused  *trace.CheckError // nil, or an error about the clause to stop at
}

func readQDIMACS(in *scanner, refused *trace.CheckError) (*qbf.Formula, []string) {
	b := &builder{in: in, t: &trace.Trace{}}
	b.header("cnf")
	q := &quantifiedReader{builder: b, f: new(qbf.Formula), lines: make(map[int32]int), refused: refused}
	q.vars = in.unsigned(in.field(), "the number of variables,", 0, math.MaxInt32)
	q.clauses = clauseCount{in: in, announced: in.unsigned(in.field(), "the number of clauses,", 0, math.MaxInt64)}
	in.end()
	for in.next() {
		if b.comment() {
			continue
		}
		field := in.field()
		if head := string(field); head == "a" || head == "e" {
			q.block(head == "a", field)
			continue
		}
		for ; field != nil; field = in.field() {
			q.literal(field)
		}
	}
	q.clauses.finish()
	return q.f, b.t.Notes
}

// block reads the rest of a line of the prefix.
func (q *quantifiedReader) block(universal bool, head []byte) {
	in := q.in
	if q.clauses.open || len(q.f.Clauses) > 0 {
		panic(in.unexpected(head, "the whole prefix before all clauses"))
	}
	block := qbf.Block{Universal: universal}
	for {
		field := in.field()
		if field == nil {
			panic(in.unexpected(nil, "a variable, or 0 to end the block"))
		}
		v := in.unsigned(field, "a variable, or 0 to end the block, a number", 0, math.MaxInt32)
		if v == 0 {
			in.end()
			q.f.Prefix = append(q.f.Prefix, block)
			q.checkSize()
			return
		}
		q.checkVariable(field, v)
		if line, again := q.lines[int32(v)]; again {
			panic(in.unexpected(field, "a variable that the prefix does not have yet, as in line "+strconv.Itoa(line)))
		}
		q.lines[int32(v)] = in.number
		block.Vars = append(block.Vars, int32(v))
		q.literals++
		q.checkSize()
	}
}

// literal reads a literal of a clause, or its end.
func (q *quantifiedReader) literal(field []byte) {
	in := q.in
	if !q.clauses.open {
		q.clauses.begin(field)
	}
	lit := in.lit(field)
	if lit == 0 {
		q.f.Clauses = append(q.f.Clauses, q.lits)
		q.lits = nil
		q.clauses.end()
		q.checkSize()
		return
	}
	q.checkVariable(field, uint64(trace.Var(lit)))
	if q.refused != nil && q.refused.Call == len(q.f.Prefix)+len(q.f.Clauses) {
		if misuse, ok := errors.AsType[*trace.Misuse](q.refused); ok && misuse.Arg == len(q.lits)+1 {
			panic(in.failure(misuse.Want, fmt.Sprintf("%q (%s)", field, misuse.Problem)))
		}
	}
	q.lits = append(q.lits, lit)
	q.literals++
	q.checkSize()
}

func (q *quantifiedReader) checkVariable(field []byte, v uint64) {
	if v > q.vars {
		panic(q.in.unexpected(field, fmt.Sprintf("one of at most %d variables, as the header says", q.vars)))
	}
}

// checkSize refuses a formula with more blocks, clauses or literals than a trace may have.
func (q *quantifiedReader) checkSize() {
	limits := &q.in.limits
	switch {
	case len(q.f.Prefix)+len(q.f.Clauses) >= limits.Calls:
		panic(q.in.failure("at most "+strconv.Itoa(limits.Calls)+" calls", "more"))
	case q.literals > limits.Literals:
		panic(q.in.failure("at most "+strconv.Itoa(limits.Literals)+" literals", "more"))
	}
}

// writeQDIMACS writes a quantified formula, with its notes as comments. It changes the formula
// to one that the standard allows, with the same meaning: it omits empty blocks and joins
// neighbours of one quantifier. If the innermost block is universal, or there is no clause, or an
// empty one, it adds a new innermost existential variable. Its unit clause stands for nothing, and
// empty clauses become two unit clauses that contradict each other. Free variables stay free.
func writeQDIMACS(out *text, f *qbf.Formula, notes []string) {
	prefix, clauses, greatest := joined(f.Prefix), f.Clauses, int32(0)
	for _, block := range f.Prefix {
		for _, v := range block.Vars {
			greatest = max(greatest, v)
		}
	}
	isEmpty := func(clause []int32) bool { return len(clause) == 0 }
	for _, clause := range f.Clauses {
		for _, lit := range clause {
			greatest = max(greatest, trace.Var(lit))
		}
	}
	n, anyEmpty := len(prefix), slices.ContainsFunc(clauses, isEmpty)
	if n > 0 && prefix[n-1].Universal || len(clauses) == 0 || anyEmpty {
		unused := unusedVariable(f, greatest)
		greatest = max(greatest, unused)
		if n > 0 && !prefix[n-1].Universal {
			prefix[n-1].Vars = append(slices.Clone(prefix[n-1].Vars), unused)
		} else {
			prefix = append(prefix, qbf.Block{Vars: []int32{unused}})
		}
		clauses = append(slices.DeleteFunc(slices.Clone(clauses), isEmpty), []int32{unused})
		if anyEmpty {
			clauses = append(clauses, []int32{-unused})
		}
	}
	out.comments("c", notes)
	out.words("p cnf ").number(uint64(greatest)).words(" ").number(uint64(len(clauses))).line()
	for _, block := range prefix {
		quantifier := "e "
		if block.Universal {
			quantifier = "a "
		}
		out.words(quantifier).lits(block.Vars...)
	}
	for _, clause := range clauses {
		out.lits(clause...)
	}
}

// unusedVariable returns the variable after the greatest one or, if that would be too large, the least
// one that the formula does not have.
func unusedVariable(f *qbf.Formula, greatest int32) int32 {
	if greatest < math.MaxInt32 {
		return greatest + 1
	}
	used := make(map[int32]bool)
	for _, block := range f.Prefix {
		for _, v := range block.Vars {
			used[v] = true
		}
	}
	for _, clause := range f.Clauses {
		for _, lit := range clause {
			used[trace.Var(lit)] = true
		}
	}
	v := int32(1)
	for used[v] {
		v++
	}
	return v
}

// joined returns the prefix without empty blocks. It joins neighbours of one quantifier.
func joined(prefix []qbf.Block) (blocks []qbf.Block) {
	for _, block := range prefix {
		switch n := len(blocks); {
		case len(block.Vars) == 0:
		case n > 0 && blocks[n-1].Universal == block.Universal:
			last := blocks[n-1].Vars
			blocks[n-1].Vars = append(last[:len(last):len(last)], block.Vars...)
		default:
			blocks = append(blocks, block)
		}
	}
	return blocks
}
