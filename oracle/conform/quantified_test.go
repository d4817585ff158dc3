package conform

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// followQuantified works out the answers that a case of model qbf expects, by trying both values of one
// variable after the other. A case may expect a value or a failed assumption only if every other answer is
// wrong.
func followQuantified(t *testing.T, tr *trace.Trace) {
	states := make(map[uint16]*qbf.State)
	for i := range tr.Calls {
		c := &tr.Calls[i]
		if states[c.Instance] == nil {
			states[c.Instance] = qbf.NewState(c.Instance)
		}
		s := states[c.Instance]
		f, assumed := s.Formula(), s.Assumed()
		universal, outer := s.Outermost()
		want := tr.Want.At(i)
		truth := isTrue(f, assumed)
		switch {
		case want.Kind != trace.Answered:
		case c.Op == apimodel.OpSolve:
			if isTrue(f, s.Assumptions()) != (want.Num == 10) {
				t.Errorf("call %d: the answer %d is wrong", i+1, want.Num)
			}
		case c.Op == apimodel.OpVal:
			lit, v := int32(want.Num), trace.Var(tr.Lit(c))
			wins := truth != universal && slices.Contains(outer, v)
			if wins != (lit != 0) {
				t.Errorf("call %d: the value %d is wrong", i+1, lit)
			} else if wins && !slices.Contains(assumed, lit) &&
				(isTrue(f, append(slices.Clone(assumed), lit)) != truth ||
					isTrue(f, append(slices.Clone(assumed), -lit)) == truth) {
				t.Errorf("call %d: the value %d is not the only one", i+1, lit)
			}
		case c.Op == apimodel.OpFailed || c.Op == apimodel.OpCore:
			blamed := tr.Want.ListOf(want)
			if c.Op == apimodel.OpFailed {
				if blamed = tr.Args(c); want.Num != 1 {
					t.Errorf("call %d: that an assumption did not fail is hard to know", i+1)
				}
			}
			for _, lit := range blamed {
				rest := slices.DeleteFunc(slices.Clone(assumed), func(l int32) bool { return l == lit })
				if len(rest) == len(assumed) || isTrue(f, rest) == truth {
					t.Errorf("call %d: the answer does not rest on %d", i+1, lit)
				}
			}
			if c.Op == apimodel.OpCore && isTrue(f, blamed) != truth {
				t.Errorf("call %d: the core has too little", i+1)
			}
		}
		s.Apply(tr, i)
	}
}

func isTrue(f qbf.Formula, assumptions []int32) bool {
	value := make(map[int32]bool)
	for _, lit := range assumptions {
		value[trace.Var(lit)] = lit > 0
	}
	var play func(blocks []qbf.Block) bool
	play = func(blocks []qbf.Block) bool {
		if len(blocks) == 0 {
			return !slices.ContainsFunc(f.Clauses, func(clause []int32) bool {
				return !slices.ContainsFunc(clause, func(lit int32) bool { return value[trace.Var(lit)] == (lit > 0) })
			})
		}
		b := blocks[0]
		for at, v := range b.Vars {
			if _, given := value[v]; given {
				continue
			}
			rest := slices.Concat([]qbf.Block{{Universal: b.Universal, Vars: b.Vars[at+1:]}}, blocks[1:])
			defer delete(value, v)
			for _, value[v] = range []bool{false, true} {
				if play(rest) != b.Universal {
					return !b.Universal
				}
			}
			return b.Universal
		}
		return play(blocks[1:])
	}
	return play(slices.Concat([]qbf.Block{{Vars: f.Free()}}, f.Prefix))
}
