// Package trace defines traces: sequences of calls to a solver library, with answers that a
// target gave and answers that are right. A trace exists in memory (this file), as text
// (print.go, parse.go), in binary for the executor (binary.go, file.go), and packed for
// archives (pack.go). check.go checks it against its API model.
package trace

import (
	"bytes"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/reuse"
)

// A Trace is a sequence of calls of one model. Its call records point into shared arenas, so
// that a trace of a thousand calls takes a handful of allocations, and its memory can be reused.
type Trace struct {
	Model *apimodel.Model
	Notes []string // the header: comment lines before the first call, without "# "
	Calls []Call
	Lits  []int32 // the literals of all calls
	Bytes []byte  // the option names and values of all calls: "name\x00value"

	Planted []Planted // assignments in the header

	// Want holds the right answers, as far as they are known. Got holds the answers that a
	// target once gave. Each has no answers, or one for each call. Got is a record for
	// people. It does not narrow what is legal, and the judge does not use it.
	Want, Got Answers

	given given
}

// A Call is one record. The meaning of its fields depends on the form of the operation
// (Op.Form):
//
//	FormLits      Lits[Pos:Pos+Len] without the final 0; Open if a clause lacks it
//	FormLit       Lits[Pos]
//	FormSoft      Lits[Pos], Num is the weight
//	FormNumber    Num; Off removes the callback or limit
//	FormLong      Num
//	FormText      Bytes[Pos:Pos+Len]
//	FormExtend    Num is the level, Lits[Pos:Pos+Len] the variables without the final 0
//	FormWeighted  Num is the weight, Lits[Pos:Pos+Len] the clause without the final 0
type Call struct {
	Op       apimodel.Op
	Flags    Flags
	Instance uint16
	Pos, Len uint32
	Num      uint64
}

// Flags of a call.
type Flags uint8

const (
	Open Flags = flagOpen // a clause without its final 0
	Off  Flags = flagOff  // terminate off, learn off, limit-conflicts off ...
)

// Reset empties the trace for reuse with a model and keeps the memory that it needs.
func (t *Trace) Reset(m *apimodel.Model) {
	t.Model = m
	t.Notes = t.Notes[:0]
	t.Planted = t.Planted[:0]
	t.Calls = reuse.Empty(t.Calls)
	t.Lits = reuse.Empty(t.Lits)
	t.Bytes = reuse.Empty(t.Bytes)
	t.Want.Reset()
	t.Got.Reset()
	t.given = given{}
}

// Clone returns a copy that shares no memory with t.
func (t *Trace) Clone() *Trace {
	return &Trace{
		Model: t.Model,
		Notes: append([]string(nil), t.Notes...),
		Calls: append([]Call(nil), t.Calls...),
		Lits:  append([]int32(nil), t.Lits...),
		Bytes: append([]byte(nil), t.Bytes...),
		Want:  t.Want.Clone(),
		Got:   t.Got.Clone(),

		Planted: clonePlanted(t.Planted),
		given:   t.given,
	}
}

// Args returns the literals of a call, as part of the arena.
func (t *Trace) Args(c *Call) []int32 { return t.Lits[c.Pos : c.Pos+c.Len : c.Pos+c.Len] }

// Lit returns the literal of a call with one literal.
func (t *Trace) Lit(c *Call) int32 { return t.Lits[c.Pos] }

// Option returns the name and the value of an option call.
func (t *Trace) Option(c *Call) (name, value string) {
	before, after, _ := bytes.Cut(t.Bytes[c.Pos:c.Pos+c.Len], nul)
	return string(before), string(after)
}

// Plain adds a call without arguments.
func (t *Trace) Plain(instance uint16, op apimodel.Op) {
	t.Calls = append(t.Calls, Call{Op: op, Instance: instance})
}

// Idle adds a call that only creates a solver. A formula file has none, so its trace stays empty.
func (t *Trace) Idle() {
	if t.Model.Call(apimodel.OpInit) != nil {
		t.Plain(0, apimodel.OpInit)
	}
}

// Clause adds a clause. If closed is false, the clause lacks its final 0.
func (t *Trace) Clause(instance uint16, closed bool, lits ...int32) {
	t.List(instance, apimodel.OpClause, lits...)
	if !closed {
		t.Calls[len(t.Calls)-1].Flags = Open
	}
}

// Literal adds a call with one literal.
func (t *Trace) Literal(instance uint16, op apimodel.Op, lit int32) { t.List(instance, op, lit) }

// Soft adds a soft literal.
func (t *Trace) Soft(instance uint16, lit int32, weight uint64) {
	t.Literal(instance, apimodel.OpSoft, lit)
	t.Calls[len(t.Calls)-1].Num = weight
}

// SoftClause adds a soft clause of a formula file.
func (t *Trace) SoftClause(weight uint64, lits ...int32) {
	t.List(0, apimodel.OpSoftClause, lits...)
	t.Calls[len(t.Calls)-1].Num = weight
}

// Count adds a call with a number.
func (t *Trace) Count(instance uint16, op apimodel.Op, n uint32) {
	t.Calls = append(t.Calls, Call{Op: op, Instance: instance, Num: uint64(n)})
}

// TakeAway adds a call that removes a callback or limit: "off" in place of a number.
func (t *Trace) TakeAway(instance uint16, op apimodel.Op) {
	t.Calls = append(t.Calls, Call{Op: op, Flags: Off, Instance: instance})
}

// Havoc adds a havoc call.
func (t *Trace) Havoc(instance uint16, value uint64) {
	t.Calls = append(t.Calls, Call{Op: apimodel.OpHavoc, Instance: instance, Num: value})
}

// List adds a call with any number of literals, such as a clause or a block.
func (t *Trace) List(instance uint16, op apimodel.Op, lits ...int32) {
	t.Calls = append(t.Calls, Call{Op: op, Instance: instance, Pos: uint32(len(t.Lits)), Len: uint32(len(lits))})
	t.Lits = append(t.Lits, lits...)
}

// Extend adds a call that adds variables to a block of the prefix.
func (t *Trace) Extend(instance uint16, level int, vars ...int32) {
	t.List(instance, apimodel.OpExtend, vars...)
	t.Calls[len(t.Calls)-1].Num = uint64(level)
}

// SetOption adds an option call. The name and the value must be as Check requires.
func (t *Trace) SetOption(instance uint16, name, value string) {
	pos := len(t.Bytes)
	t.Bytes = append(t.Bytes, name...)
	t.Bytes = append(t.Bytes, 0)
	t.Bytes = append(t.Bytes, value...)
	t.Calls = append(t.Calls, Call{Op: apimodel.OpOption, Instance: instance,
		Pos: uint32(pos), Len: uint32(len(t.Bytes) - pos)})
}

// Append adds a copy of call c of trace from, without its answers.
func (t *Trace) Append(from *Trace, c *Call) {
	copied := *c
	if c.Op.Form() == apimodel.FormText {
		copied.Pos = uint32(len(t.Bytes))
		t.Bytes = append(t.Bytes, from.Bytes[c.Pos:c.Pos+c.Len]...)
	} else {
		copied.Pos = uint32(len(t.Lits))
		t.Lits = append(t.Lits, from.Args(c)...)
	}
	t.Calls = append(t.Calls, copied)
}

// validLit reports whether lit is a literal: not 0, and not INT32_MIN, whose negation
// overflows.
func validLit(lit int32) bool { return lit != 0 && lit != math.MinInt32 }

// Var returns the variable of a literal.
func Var(lit int32) int32 {
	if lit < 0 {
		return -lit
	}
	return lit
}

// InUse returns the distinct variables that the solver of an instance has named before call
// end, in order of first occurrence. A model call at end asks about them.
func (t *Trace) InUse(instance uint16, end int) []int32 {
	var vars distinct
	for i := range t.Calls[:end] {
		c := &t.Calls[i]
		switch {
		case c.Instance != instance:
		case c.Op == apimodel.OpRelease:
			vars = distinct{}
		default:
			vars.add(t, c)
		}
	}
	return vars.list
}

// distinct collects distinct variables in order of first occurrence.
type distinct struct {
	list []int32
	seen map[int32]struct{}
}

func (d *distinct) add(t *Trace, c *Call) {
	if !c.Op.HasLits() {
		return
	}
	if d.seen == nil {
		d.seen = make(map[int32]struct{})
	}
	for _, lit := range t.Args(c) {
		v := Var(lit)
		if _, known := d.seen[v]; !known {
			d.seen[v] = struct{}{}
			d.list = append(d.list, v)
		}
	}
}

// Solves counts the solve calls.
func (t *Trace) Solves() int {
	n := 0
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpSolve {
			n++
		}
	}
	return n
}
