package format

import (
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A builder makes a trace while a reader reads a file.
type builder struct {
	in       *scanner // for the places of errors
	t        *trace.Trace
	greatest int32 // the greatest variable that the file names or its header announces
	fresh    int32 // number of fresh variables
	patches  []patch
	softs    map[int32]int // the call that declares each soft literal
	sum      uint64
	notes    int // bytes of notes
}

// A patch is the place of a fresh variable among the literals. Fresh variables get numbers above
// all variables of the file, so their numbers are known only at its end.
type patch struct{ at, number int32 }

func newBuilder(in *scanner, m *apimodel.Model) *builder {
	return &builder{in: in, t: &trace.Trace{Model: m}, softs: make(map[int32]int)}
}

// note adds a comment to the notes if it comes before the first call.
func (b *builder) note(text string) {
	limits := &b.in.limits
	if len(b.t.Calls) > 0 || len(b.t.Notes) >= limits.Notes || b.notes+len(text) > limits.NoteBytes {
		return
	}
	b.notes += len(text)
	b.t.Notes = append(b.t.Notes, text)
}

// checkLimits refuses a file with more calls or literals than a trace may have.
func (b *builder) checkLimits(lits int) {
	limits := &b.in.limits
	switch {
	case len(b.t.Calls) >= limits.Calls:
		panic(b.in.failure("at most "+strconv.Itoa(limits.Calls)+" calls", "more"))
	case len(b.t.Lits)+lits > limits.Literals:
		panic(b.in.failure("at most "+strconv.Itoa(limits.Literals)+" literals", "more"))
	}
}

func (b *builder) see(lits []int32) {
	for _, lit := range lits {
		b.greatest = max(b.greatest, trace.Var(lit))
	}
}

func (b *builder) clause(lits []int32) {
	b.see(lits)
	b.t.Clause(0, true, lits...)
	b.checkLimits(0)
}

// freshAt records the place of a fresh variable, whose number is not yet known.
func (b *builder) freshAt(place, number int32) { b.patches = append(b.patches, patch{place, number}) }

// relaxed adds a clause with a fresh variable in it.
func (b *builder) relaxed(lits []int32, number int32) {
	b.see(lits)
	b.freshAt(int32(len(b.t.Lits)+len(lits)), number)
	b.t.Clause(0, true, append(lits, 1)...)
	b.checkLimits(0)
}

func (b *builder) freshSoft(number int32, weight uint64) {
	b.freshAt(int32(len(b.t.Lits)), number)
	b.t.Soft(0, 1, weight)
	b.checkLimits(0)
}

func (b *builder) newVariable() int32 {
	b.fresh++
	return b.fresh - 1
}

// soft adds the weight to the cost of the literal. If a file has two soft clauses of one literal,
// the cost is the sum of their weights.
func (b *builder) soft(lit int32, weight uint64) {
	b.count(0, weight)
	b.see([]int32{lit})
	if at, again := b.softs[lit]; again {
		b.t.Calls[at].Num += weight
		return
	}
	b.softs[lit] = len(b.t.Calls)
	b.t.Soft(0, lit, weight)
	b.checkLimits(0)
}

// softClause adds a soft clause of any length.
func (b *builder) softClause(lits []int32, weight uint64) {
	if b.t.Model.File {
		b.count(0, weight)
		b.see(lits)
		b.t.SoftClause(weight, lits...)
		b.checkLimits(0)
		return
	}
	if len(lits) == 1 {
		b.soft(-lits[0], weight)
		return
	}
	b.count(0, weight)
	number := b.newVariable()
	b.relaxed(lits, number)
	b.freshSoft(number, weight)
}

// count replaces a weight in the sum of the weights. It refuses a sum of more than 64 bits.
func (b *builder) count(before, weight uint64) {
	if rest := b.sum - before; rest+weight < rest {
		panic(b.in.failure("weights whose sum is below 2^64", "a greater sum"))
	}
	b.sum += weight - before
}

// solve adds a solve and the queries about its answer.
func (b *builder) solve() {
	b.t.Plain(0, apimodel.OpSolve)
	if b.t.Model.Call(apimodel.OpObj) != nil {
		b.t.Plain(0, apimodel.OpObj)
	}
	b.t.Plain(0, apimodel.OpModel)
	b.checkLimits(0)
}

// finish gives the fresh variables their numbers and returns the trace. If any call has a right
// answer, the last calls get answers, too: Want has none or one for each call.
func (b *builder) finish() *trace.Trace {
	if int64(b.greatest)+int64(b.fresh) > math.MaxInt32 {
		panic(b.in.failure("variables that leave numbers for "+strconv.Itoa(int(b.fresh))+" fresh ones",
			strconv.Itoa(int(b.greatest))))
	}
	for _, p := range b.patches {
		sign := b.t.Lits[p.at]
		b.t.Lits[p.at] = sign * (b.greatest + 1 + p.number)
	}
	for n := len(b.t.Want.Of); n > 0 && n < len(b.t.Calls); n++ {
		b.t.Want.Of = append(b.t.Want.Of, trace.Answer{})
	}
	return b.t
}
