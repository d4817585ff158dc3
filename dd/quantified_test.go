package dd

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// stateAt returns the state of the instance before call number end.
func stateAt(t *trace.Trace, instance uint16, end int) *qbf.State {
	s := qbf.NewState(instance)
	for i := range t.Calls[:end] {
		s.Apply(t, i)
	}
	return s
}

// truths returns the formula of every solve and whether it is true.
func truths(t *trace.Trace) (formulas []qbf.Formula, found []quantified.Truth) {
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpSolve {
			state := stateAt(t, t.Calls[i].Instance, i)
			f := state.Formula()
			d := quantified.New(quantified.Config{})
			d.Pose(&f)
			formulas, found = append(formulas, f), append(found, d.Under(state.Assumptions()).Truth)
		}
	}
	return formulas, found
}

func universalOf(f *qbf.Formula) (n int) {
	for _, b := range f.Prefix {
		if b.Universal {
			n += len(b.Vars)
		}
	}
	return n
}

// TestQuantifiedPasses: Minimize reduces a quantified trace to what the failure needs.
func TestQuantifiedPasses(t *testing.T) {
	const given = `exists 1 2 0
forall 3 4 0
exists 5 0
extend 1 6 0
forall 0
exists 7 8 0
clause 1 -3 5 0
clause -1 3 7 0
push
clause 2 4 8 0
clause 3 4 0
solve
push
clause 3 -5 0
clause 4
clause -5 0
assume 1
solve
model
pop
pop
clause 6 -8 0
assume -6
solve
core
`
	for _, test := range []struct {
		name  string
		fails func(t *trace.Trace) bool
		want  string
	}{
		{"a false formula with a universal variable", func(t *trace.Trace) bool {
			for i, f := range first(truths(t)) {
				if _, all := truths(t); all[i] == quantified.False && universalOf(&f) > 0 {
					return true
				}
			}
			return false
		}, "forall 1 0; clause 0; solve"},
		{"a false formula and later a true one", func(t *trace.Trace) bool {
			_, all := truths(t)
			return len(all) > 1 && all[0] == quantified.False && all[len(all)-1] == quantified.True
		}, "push; clause 0; solve; pop; solve"},
		{"a block that is extended", func(t *trace.Trace) bool {
			return strings.Contains(string(t.AppendText(nil)), "extend")
		}, "exists 0; extend 1 1 0"},
		{"a clause of three literals", func(t *trace.Trace) bool {
			for i := range t.Calls {
				if c := &t.Calls[i]; c.Op == apimodel.OpClause && c.Len == 3 {
					return true
				}
			}
			return false
		}, "exists 1 0; clause 1 1 1 0"},
		{"an existential variable inside", func(t *trace.Trace) bool {
			for _, f := range first(truths(t)) {
				for i, b := range f.Prefix {
					if i > 1 && !b.Universal && len(b.Vars) > 0 && f.Prefix[i-1].Universal {
						return true
					}
				}
			}
			return false
		}, "exists 0; forall 0; exists 1 0; solve"},
	} {
		t.Run(test.name, func(t *testing.T) {
			from := testtrace.Parse(t, "ipafuzz 2 qbf\n"+given)
			result, err := Minimize(context.Background(), from, TestFunc(
				func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
					if err := trace.Check(c); err != nil {
						t.Fatalf("an illegal candidate: %v\n%s", err, c.AppendText(nil))
					}
					return Verdict{Same: test.fails(c), Call: -1}, nil
				}), Config{})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(strings.TrimSpace(string(result.Trace.AppendText(nil))), "\n", "; ")
			if _, got, _ = strings.Cut(got, "; "); got != test.want {
				t.Errorf("reduced to %q, want %q", got, test.want)
			}
		})
	}
}

func first(formulas []qbf.Formula, _ []quantified.Truth) []qbf.Formula { return formulas }

// TestRequantified: merging blocks and folding extensions makes a legal trace, in which each variable is in its block
// or in the one that takes its place.
func TestRequantified(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	for range 3000 {
		tr := &trace.Trace{Model: apimodel.QBF}
		next := int32(1)
		vars := func() (list []int32) {
			for range r.IntN(3) {
				list = append(list, next)
				next++
			}
			return list
		}
		blocks := 0
		for range 2 + r.IntN(8) {
			if blocks > 0 && r.IntN(3) == 0 {
				tr.Extend(0, 1+r.IntN(blocks), vars()...)
				continue
			}
			tr.List(0, [...]apimodel.Op{apimodel.OpExists, apimodel.OpForall}[r.IntN(2)], vars()...)
			blocks++
		}
		tr.Plain(0, apimodel.OpSolve)
		p := prefixOf(tr)
		into, folded := map[int]int{}, map[int]bool{}
		for _, i := range p.blocks {
			if p.outer[i] >= 0 && r.IntN(3) == 0 {
				into[i] = p.outer[i]
			}
		}
		for _, i := range p.extend {
			folded[i] = r.IntN(2) == 0
		}
		to := requantified(tr, p, &requantifying{into: into, folded: folded})
		if err := trace.Check(to); err != nil {
			t.Fatalf("%v\n%s\nbecomes\n%s", err, tr.AppendText(nil), to.AppendText(nil))
		}
		before, after := stateAt(tr, 0, len(tr.Calls)), stateAt(to, 0, len(to.Calls))
		for v := int32(1); v < next; v++ {
			block := p.blocks[before.Level(v)-1]
			for {
				outer, goes := into[block]
				if !goes {
					break
				}
				block = outer
			}
			level := 0
			for _, i := range p.blocks {
				if _, goes := into[i]; !goes && i <= block {
					level++
				}
			}
			if after.Level(v) != level {
				t.Fatalf("variable %d is at level %d, want %d\n%s\nbecomes\n%s", v, after.Level(v), level,
					tr.AppendText(nil), to.AppendText(nil))
			}
		}
	}
}

// TestLowerNumberDropsCalls: the search for the least number accepts a candidate that loses calls. Opening group 0 here
// makes the call that closes group 2 illegal.
func TestLowerNumberDropsCalls(t *testing.T) {
	given, err := trace.ParseString("ipafuzz 2 qbf\nexists 1 0\nopen 2\nclause 1 0\nclose 2\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		opened, closed, solved := int64(-1), false, false
		for i := range c.Calls {
			switch c.Calls[i].Op {
			case apimodel.OpOpen:
				opened = int64(c.Calls[i].Num)
			case apimodel.OpClose:
				closed = true
			case apimodel.OpSolve:
				solved = true
			}
		}
		return Verdict{Same: solved && (opened == 2 && closed || opened == 0 && !closed), Call: -1}, nil
	})
	result, err := Minimize(context.Background(), given, test, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := trace.CallsAlone(result.Trace), "ipafuzz 1 qbf\nopen 0\nsolve\n"; got != want {
		t.Errorf("reduced to\n%swant\n%s", got, want)
	}
}
