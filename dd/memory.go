package dd

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A memory holds the changes that quick passes have tried in vain. As long as the calls that
// share variables with the changed calls stay the same, a change mostly has the same effect.
// Quick passes prove nothing, so they need not try it again. Passes that rename do not use the
// memory, because changes that differ only in the numbers of variables count as the same.
type memory map[uint64]bool

// failedBefore reports whether a quick pass has tried the same change in vain.
func (r *reducer) failedBefore(candidate *trace.Trace) bool {
	return r.running.remembers() && len(r.memory) > 0 && r.memory[changeOf(r.best, candidate)]
}

func (p *pass) remembers() bool { return p.quick && !p.renames }

func (r *reducer) remember(candidate *trace.Trace, v engine.Verdict) {
	if r.running.remembers() && !v.Holds {
		r.memory[changeOf(r.best, candidate)] = true
	}
}

// changeOf hashes what a candidate changes: the calls that it removes and adds, and all
// calls that share a variable with them. Variables count by their order, not by their
// numbers.
func changeOf(from, to *trace.Trace) uint64 {
	calls := make(map[string]int)
	for i := range from.Calls {
		calls[string(callText(from, i, nil))]++
	}
	touched := make(map[int32]bool)
	touch := func(t *trace.Trace, i int) {
		for _, lit := range litsOf(t, i) {
			touched[trace.Var(lit)] = true
		}
	}
	comes := make([]bool, len(to.Calls))
	for i := range to.Calls {
		text := string(callText(to, i, nil))
		if calls[text]--; calls[text] < 0 {
			comes[i] = true
			touch(to, i)
		}
	}
	goes := make([]bool, len(from.Calls))
	for i := range from.Calls {
		text := string(callText(from, i, nil))
		if calls[text] > 0 {
			calls[text]--
			goes[i] = true
			touch(from, i)
		}
	}
	near := func(t *trace.Trace, i int) bool {
		lits := litsOf(t, i)
		return lits == nil || slices.ContainsFunc(lits, func(lit int32) bool { return touched[trace.Var(lit)] })
	}
	var vars []int32
	for i := range to.Calls {
		if near(to, i) {
			for _, lit := range litsOf(to, i) {
				vars = append(vars, trace.Var(lit))
			}
		}
	}
	replaces := slices.Contains(comes, true)
	if !replaces {
		for i := range from.Calls {
			if goes[i] {
				for _, lit := range litsOf(from, i) {
					vars = append(vars, trace.Var(lit))
				}
			}
		}
	}
	slices.Sort(vars)
	rank := make(map[int32]int32)
	for _, v := range slices.Compact(vars) {
		rank[v] = int32(len(rank) + 1)
	}
	h := fnv.New64a()
	for i := range to.Calls {
		if near(to, i) {
			h.Write(callText(to, i, rank))
		}
	}
	if !replaces {
		h.Write([]byte{0})
		for i := range from.Calls {
			if goes[i] {
				h.Write(callText(from, i, rank))
			}
		}
	}
	return h.Sum64()
}

// litsOf returns the literals of a call, or nil if it cannot have any.
func litsOf(t *trace.Trace, i int) []int32 {
	if c := &t.Calls[i]; c.Op.HasLits() {
		return t.Args(c)
	}
	return nil
}

// callText encodes a call. If rank is not nil, it gives the numbers of the variables.
func callText(t *trace.Trace, i int, rank map[int32]int32) []byte {
	c := &t.Calls[i]
	text := []byte{byte(c.Op), byte(c.Flags)}
	text = binary.AppendUvarint(text, uint64(c.Instance))
	text = binary.AppendUvarint(text, c.Num)
	text = binary.AppendUvarint(text, uint64(c.Len))
	if c.Op.Form() == apimodel.FormText {
		return append(text, t.Bytes[c.Pos:c.Pos+c.Len]...)
	}
	for _, lit := range litsOf(t, i) {
		if n, ok := rank[trace.Var(lit)]; ok {
			if lit > 0 {
				lit = n
			} else {
				lit = -n
			}
		}
		text = binary.AppendVarint(text, int64(lit))
	}
	return text
}
