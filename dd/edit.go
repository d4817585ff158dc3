package dd

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A builder makes a candidate out of the calls of a trace. Expectations go with
// the calls that are kept as they are; a call that is replaced has none.
type builder struct {
	from, to *trace.Trace
}

// rewrite builds a candidate: each is called for every call of the trace and
// keeps it, puts something else in its place, or does nothing.
func rewrite(t *trace.Trace, each func(b *builder, i int, c *trace.Call)) *trace.Trace {
	b := &builder{t, &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.Planted}}
	b.to.Calls = make([]trace.Call, 0, len(t.Calls))
	b.to.Lits = make([]int32, 0, len(t.Lits))
	b.to.Want.Lits, b.to.Want.Text = t.Want.Lits, t.Want.Text // shared: nobody writes there
	for i := range t.Calls {
		each(b, i, &t.Calls[i])
	}
	return repaired(b.to)
}

// keep copies call number i.
func (b *builder) keep(i int) {
	b.to.Append(b.from, &b.from.Calls[i])
	b.expect(*b.from.Want.At(i))
}

// expect gives the last call its expectation, where the trace has any at all.
func (b *builder) expect(a trace.Answer) {
	if len(b.from.Want.Of) == 0 {
		return
	}
	for len(b.to.Want.Of) < len(b.to.Calls)-1 {
		b.to.Want.Of = append(b.to.Want.Of, trace.Answer{})
	}
	b.to.Want.Of = append(b.to.Want.Of, a)
}

// call adds a call with other literals or another number in place of call i.
func (b *builder) call(op apimodel.Op, flags trace.Flags, instance uint16, num uint64, lits ...int32) {
	b.to.Calls = append(b.to.Calls, trace.Call{Op: op, Flags: flags, Instance: instance, Num: num,
		Pos: uint32(len(b.to.Lits)), Len: uint32(len(lits))})
	b.to.Lits = append(b.to.Lits, lits...)
	b.expect(trace.Answer{})
}

// number keeps call i with another number.
func (b *builder) number(i int, num uint64) {
	b.keep(i)
	b.to.Calls[len(b.to.Calls)-1].Num = num
}

// without leaves out the calls that gone says.
func without(t *trace.Trace, gone func(i int) bool) *trace.Trace {
	return rewrite(t, func(b *builder, i int, _ *trace.Call) {
		if !gone(i) {
			b.keep(i)
		}
	})
}

// repaired leaves out the calls that have become illegal: queries whose solve
// is gone, an init whose release is gone. So what belongs together need not be
// found together.
func repaired(t *trace.Trace) *trace.Trace {
	walker := apimodel.NewWalker(t.Model)
	var illegal []int
	for i := range t.Calls {
		c := &t.Calls[i]
		if walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0}) != nil {
			illegal = append(illegal, i)
		}
	}
	if len(illegal) == 0 {
		return t
	}
	return without(t, func(i int) bool {
		if len(illegal) > 0 && illegal[0] == i {
			illegal = illegal[1:]
			return true
		}
		return false
	})
}

// renamed maps all literals; what is expected of the calls is dropped.
func renamed(t *trace.Trace, name func(lit int32) int32) *trace.Trace {
	to := &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.RenamePlanted(name), Calls: t.Calls, Bytes: t.Bytes, Lits: make([]int32, len(t.Lits))}
	for i, lit := range t.Lits {
		to.Lits[i] = name(lit)
	}
	return to
}

// keyOf hashes what a candidate says, without its notes.
func keyOf(t *trace.Trace) engine.Key {
	if len(t.Want.Of) > 0 {
		unnoted := *t
		unnoted.Notes, unnoted.Planted = nil, nil
		return sha256.Sum256(unnoted.AppendText(nil))
	}
	content := make([]byte, 0, 12*len(t.Calls)+2*len(t.Lits))
	for i := range t.Calls {
		c := &t.Calls[i]
		content = append(content, byte(c.Op), byte(c.Flags))
		content = binary.AppendUvarint(content, uint64(c.Instance))
		content = binary.AppendUvarint(content, uint64(c.Len))
		content = binary.AppendUvarint(content, c.Num)
		if c.Op == apimodel.OpOption {
			content = append(content, t.Bytes[c.Pos:c.Pos+c.Len]...)
			continue
		}
		for _, lit := range t.Args(c) {
			content = binary.AppendVarint(content, int64(lit))
		}
	}
	return sha256.Sum256(content)
}

// variablesOf returns the variables of a trace in order of first occurrence.
func variablesOf(t *trace.Trace) []int32 {
	var vars []int32
	seen := make(map[int32]struct{})
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() {
			continue
		}
		for _, lit := range t.Args(c) {
			v := trace.Var(lit)
			if _, known := seen[v]; !known {
				seen[v] = struct{}{}
				vars = append(vars, v)
			}
		}
	}
	return vars
}
