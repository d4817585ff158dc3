package mutation

import (
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// writeQuantified writes a random legal trace with right answers.
func writeQuantified(r *rand.Rand) (*trace.Trace, *trace.Run) {
	t, run := &trace.Trace{Model: apimodel.QBF}, new(trace.Run)
	variable := func() int32 { return 1 + r.Int32N(6) }
	literal := func() int32 { return variable() * int32(1-2*r.IntN(2)) }
	framed, universal := r.IntN(2) == 0, r.IntN(2) == 0
	for range 12 + r.IntN(25) {
		instance, before, lits := uint16(r.IntN(12)/11), len(t.Calls), len(t.Lits)
		switch n := r.IntN(30); {
		case n < 3 || len(t.Calls) < 3:
			vars := r.Perm(6)[:r.IntN(4)]
			op := [...]apimodel.Op{apimodel.OpExists, apimodel.OpForall}[map[bool]int{true: 1}[universal]]
			universal = !universal
			t.List(instance, op)
			for _, v := range vars {
				t.Lits = append(t.Lits, int32(v+1))
				t.Calls[before].Len++
				if trace.Check(t) != nil {
					t.Lits = t.Lits[:len(t.Lits)-1]
					t.Calls[before].Len--
				}
			}
		case n < 4:
			t.Extend(instance, 1+r.IntN(3), variable())
		case n < 15:
			var clause []int32
			for range min(1, r.IntN(40)) * (1 + r.IntN(4)) {
				clause = append(clause, literal())
			}
			t.Clause(instance, len(clause) == 0 || r.IntN(20) > 0, clause...)
		case n < 18 && framed:
			t.Plain(instance, [...]apimodel.Op{apimodel.OpPush, apimodel.OpPop}[r.IntN(2)])
		case n < 18:
			t.Calls = append(t.Calls, trace.Call{Op: apimodel.OpOpen + apimodel.Op(r.IntN(5)), Instance: instance,
				Num: uint64(r.IntN(2)), Pos: uint32(lits)})
		case n < 23:
			t.Literal(instance, apimodel.OpAssume, literal())
		case n < 24 && r.IntN(4) == 0:
			t.Plain(instance, apimodel.OpRelease)
			t.Plain(instance, apimodel.OpInit)
		default:
			t.Plain(instance, apimodel.OpSolve)
		}
		if trace.Check(t) != nil {
			t.Calls, t.Lits = t.Calls[:before], t.Lits[:lits]
			continue
		}
		if t.Calls[before].Op == apimodel.OpSolve {
			ask(r, t, run, before, literal)
		}
	}
	return t, run
}

// ask adds a solve with its answer, and queries about it.
func ask(r *rand.Rand, t *trace.Trace, run *trace.Run, solve int, literal func() int32) {
	p := problemAt(t, solve)
	truth := p.isTrue(p.assumed)
	number := func(i int, num uint64) {
		for len(run.Answers.Of) <= i {
			run.Answers.Of = append(run.Answers.Of, trace.Answer{Kind: trace.Answered})
		}
		run.Answers.Of[i].Num = num
	}
	list := func(lits []int32) {
		i := len(t.Calls) - 1
		number(i, 0)
		a := &run.Answers.Of[i]
		a.Pos, a.Len = uint32(len(run.Answers.Lits)), uint32(len(lits))
		run.Answers.Lits = append(run.Answers.Lits, lits...)
	}
	number(solve, map[bool]uint64{true: 10, false: 20}[truth])
	outer, universal := p.outermost()
	values := slices.Clone(p.assumed)
	value := map[int32]int32{}
	for _, v := range outer {
		if truth == universal {
			break
		}
		for _, l := range []int32{v, -v} {
			if slices.Contains(values, -l) || p.isTrue(append(slices.Clone(values), l)) != truth {
				continue
			}
			value[v] = l
			if !slices.Contains(values, l) {
				values = append(values, l)
			}
			break
		}
	}
	for v, l := range value { // calls without influence on the answers
		rest := slices.DeleteFunc(slices.Clone(values), func(o int32) bool { return o == l })
		if !slices.Contains(p.assumed, l) && p.isTrue(rest) == truth && r.IntN(2) == 0 {
			delete(value, v)
			values = rest
		}
	}
	core := slices.Clone(p.assumed)
	for _, l := range p.assumed {
		rest := slices.DeleteFunc(slices.Clone(core), func(o int32) bool { return o == l })
		if p.isTrue(rest) == truth {
			core = rest
		}
	}
	instance := t.Calls[solve].Instance
	for range r.IntN(4) {
		switch l := literal(); r.IntN(4) {
		case 0:
			t.Literal(instance, apimodel.OpVal, l)
			number(len(t.Calls)-1, uint64(int64(value[max(l, -l)])))
		case 1:
			t.Plain(instance, apimodel.OpModel)
			var all []int32
			for _, l := range value {
				all = append(all, l)
			}
			slices.Sort(all)
			list(all)
		case 2:
			if len(p.assumed) > 0 {
				l = p.assumed[r.IntN(len(p.assumed))]
			}
			t.Literal(instance, apimodel.OpFailed, l)
			number(len(t.Calls)-1, map[bool]uint64{true: 1}[slices.Contains(core, l)])
		case 3:
			t.Plain(instance, apimodel.OpCore)
			list(core)
		}
	}
}

// alterQuantified changes one answer and returns a description of the change.
func alterQuantified(r *rand.Rand, t *trace.Trace, run *trace.Run) string {
	for range 50 {
		i := r.IntN(len(t.Calls))
		a := run.Answers.At(i)
		lits := slices.Clone(run.Answers.ListOf(a))
		switch t.Calls[i].Op {
		case apimodel.OpSolve:
			a.Num = 30 - a.Num
			return "another status"
		case apimodel.OpVal:
			l := t.Lit(&t.Calls[i])
			a.Num = [...]uint64{uint64(int64(l)), uint64(int64(-l)), 0, uint64(int64(-int32(a.Num)))}[r.IntN(4)]
			return "another value"
		case apimodel.OpFailed:
			a.Num = [...]uint64{1 - a.Num, 1 - a.Num, 2}[r.IntN(3)]
			return "another failed"
		case apimodel.OpModel, apimodel.OpCore:
			what := "a literal negated"
			switch n := len(lits); {
			case n == 0 || r.IntN(3) == 0:
				l := (1 + r.Int32N(6)) * int32(1-2*r.IntN(2))
				if slices.Contains(lits, l) || slices.Contains(lits, -l) || !isNamed(t, i, max(l, -l)) {
					continue
				}
				lits, what = append(lits, l), "a literal added"
			case r.IntN(2) == 0:
				lits[r.IntN(n)] *= -1
			default:
				lits, what = slices.Delete(lits, 0, 1), "a literal dropped"
			}
			a.Pos, a.Len = uint32(len(run.Answers.Lits)), uint32(len(lits))
			run.Answers.Lits = append(run.Answers.Lits, lits...)
			return t.Calls[i].Op.String() + ": " + what
		}
	}
	return ""
}

// isNamed reports whether an earlier call of the same instance has named a variable.
func isNamed(t *trace.Trace, call int, v int32) bool {
	for i := range t.Calls[:call] {
		c := &t.Calls[i]
		if c.Instance == t.Calls[call].Instance && c.Op.HasLits() &&
			(slices.Contains(t.Args(c), v) || slices.Contains(t.Args(c), -v)) {
			return true
		}
	}
	return false
}
