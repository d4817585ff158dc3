package trace

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/reuse"
)

// The packed form is for archives of millions of traces. It is a third as long as the text, and takes a small fraction
// of the time to write. It lacks the notes, for which archives have another form. Traces that were packed together are
// four columns of varints and bytes. Each column has values of one sort, so that a code of its own for frequent ones
// makes it short:
//
//	heads  for each trace: the number of its API model and of its calls
//	calls  for each call: a byte (operation, flags), or packedClause and the number of literals
//	args   for each call: how many literals it has, if that varies, and what it has beside literals
//	lits   the literals
//
// packedInstance in calls says that the next call is of the instance whose number is in args. No call has all flags, so
// no other byte of calls is packedClause or more. A trace with more than notes and calls has 0 in place of the model,
// and then its text with the notes, after the length.

const (
	packedFlagShift = 6    // of the byte of a call
	packedClause    = 0xc0 // and more: a closed clause of so many literals
	packedInstance  = 0xff // the number of another instance follows
	packedText      = 0    // stands for an API model: the text of the trace follows

	mostInPackedClause = packedInstance - packedClause - 1 // literals; longer clauses have their number in args
)

// A Packer packs traces into columns.
type Packer struct{ Heads, Calls, Args, Lits []byte }

// Reset empties the columns.
func (p *Packer) Reset() {
	p.Heads, p.Calls, p.Args, p.Lits = reuse.Empty(p.Heads), reuse.Empty(p.Calls), reuse.Empty(p.Args), reuse.Empty(p.Lits)
}

// Len returns how many bytes the columns have.
func (p *Packer) Len() int { return len(p.Heads) + len(p.Calls) + len(p.Args) + len(p.Lits) }

// Packable reports whether columns can hold the trace other than as text.
func Packable(t *Trace) bool {
	return t.Model != nil && len(t.Want.Of) == 0 && len(t.Got.Of) == 0 && len(t.Planted) == 0
}

// Add packs a trace that is Packable, without its notes.
func (p *Packer) Add(t *Trace) {
	p.Heads = appendNumber(appendNumber(p.Heads, int(t.Model.ID)), len(t.Calls))
	p.addCalls(t)
}

// AddText adds the text of a trace.
func (p *Packer) AddText(text []byte) {
	p.Heads = append(appendNumber(append(p.Heads, packedText), len(text)), text...)
}

// A packing tells how calls of an operation are packed: as one byte and some literals, if nothing is in the way.
type packing struct {
	first  byte   // the byte of a call without flags, less its number of literals
	long   bool   // there is always more to say than the byte and the literals
	pos    uint32 // all bits if calls have literals, or else none
	count  uint32 // all bits if the number of literals is a part of the byte
	single uint32 // 1 if calls have one literal
}

var packings = func() (all [len(codes)]packing) {
	for i := range all {
		p := packing{first: byte(i)}
		switch form := codes[i].form; {
		case apimodel.Op(i) == apimodel.OpClause:
			p.first, p.pos, p.count = packedClause, math.MaxUint32, math.MaxUint32
		case form == apimodel.FormLit:
			p.pos, p.single = math.MaxUint32, 1
		case form.HasLits():
			p.pos, p.long = math.MaxUint32, true
		default:
			p.long = form == apimodel.FormNumber || form == apimodel.FormLong || form == apimodel.FormText
		}
		all[i] = p
	}
	return all
}()

// addCalls packs the calls. It has no branches that depend on what a usual call is, as processors cannot predict them.
func (p *Packer) addCalls(t *Trace) {
	p.Calls = slices.Grow(p.Calls, 2*len(t.Calls))
	calls, n := p.Calls[:cap(p.Calls)], len(p.Calls)
	instance := uint16(0)
	from, to := uint32(0), uint32(0) // of literals that the calls so far have, one behind the other
	for i := range t.Calls {
		c := &t.Calls[i]
		k := &packings[c.Op]
		if c.Instance != instance {
			instance = c.Instance
			calls[n] = packedInstance
			p.Args = binary.AppendUvarint(p.Args, uint64(instance))
			n++
		}
		inByte := c.Len & k.count
		lits := inByte | k.single
		first := k.first + byte(inByte)
		if k.long || c.Flags != 0 || lits > mostInPackedClause {
			first = byte(c.Op) | byte(c.Flags)<<packedFlagShift
			lits = p.addArgs(t, c)
		}
		calls[n] = first
		n++
		if (c.Pos^to)&k.pos != 0 && lits > 0 {
			p.addLits(t.Lits[from:to])
			from, to = c.Pos, c.Pos
		}
		to += lits
	}
	p.Calls = calls[:n]
	p.addLits(t.Lits[from:to])
}

// addArgs packs what a call has beside literals. It returns how many literals it has.
func (p *Packer) addArgs(t *Trace, c *Call) (lits uint32) {
	args := p.Args
	switch codes[c.Op].form {
	case apimodel.FormLits:
		lits = c.Len
		args = appendNumber(args, int(lits))
	case apimodel.FormLit:
		lits = 1
	case apimodel.FormExtend, apimodel.FormWeighted:
		lits = c.Len
		args = appendNumber(binary.AppendUvarint(args, c.Num), int(lits))
	case apimodel.FormSoft:
		lits = 1
		args = binary.AppendUvarint(args, c.Num)
	case apimodel.FormNumber, apimodel.FormLong:
		args = binary.AppendUvarint(args, c.Num)
	case apimodel.FormText:
		args = append(appendNumber(args, int(c.Len)), t.Bytes[c.Pos:c.Pos+c.Len]...)
	}
	p.Args = args
	return lits
}

// addLits packs literals. Those of small variables take one byte.
func (p *Packer) addLits(lits []int32) {
	p.Lits = slices.Grow(p.Lits, binary.MaxVarintLen32*len(lits))
	n, all := len(p.Lits), uint32(0)
	dst := p.Lits[n : n+len(lits)]
	for i, lit := range lits {
		word := uint32(lit<<1) ^ uint32(lit>>31)
		dst[i] = byte(word)
		all |= word
	}
	if all < 0x80 {
		p.Lits = p.Lits[:n+len(lits)]
		return
	}
	dst = p.Lits[:cap(p.Lits)]
	for _, lit := range lits {
		word := uint32(lit<<1) ^ uint32(lit>>31)
		for ; word >= 0x80; word >>= 7 {
			dst[n] = byte(word) | 0x80
			n++
		}
		dst[n] = byte(word)
		n++
	}
	p.Lits = dst[:n]
}

// appendNumber appends a number. Small numbers take one byte.
func appendNumber(dst []byte, n int) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, uint64(n))
}
