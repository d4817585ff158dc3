package veripb

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// problem: x1 or x2, x1 or x3, not all; x1 costs 3, x2 and x3 cost 2 each.
var problem = Problem{Clauses: []int32{1, 2, 0, 1, 3, 0, -1, -2, -3, 0}, Costs: []Cost{{1, 3}, {2, 2}, {3, 2}, {-3, 0}}}

const (
	header = "pseudo-Boolean proof version 3.0\n"
	output = "output NONE ;\n"
	end    = "end pseudo-Boolean proof ;\n"
	right  = header + "f 3 ;\nsoli x1 ~x2 ~x3 ;\nrup 1 x2 >= 1 ; rup 1 x3 >= 1 ;\nrup >= 1 ;\n" + output +
		"conclusion BOUNDS 3 3 ;\n" + end
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, proof, want string
	}{
		{"right", right, "BOUNDS 3 3"},
		{"comments, colons, lines", header + "f\n3; % three\nsoli x1 ~x2 ~x3 : 3;rup >= 1:1 2 -1;" + output +
			"conclusion BOUNDS 3 3;end pseudo-Boolean proof;", "BOUNDS 3 3"},
		{"weaker", header + "soli x1 ~x2 ~x3 ;\n" + output + "conclusion BOUNDS 0 7 ;\n" + end, "BOUNDS 0 7"},
		{"propagated solution", header + "sol ~x2 ~x3 ;\n" + output + "conclusion BOUNDS 0 3 ;\n" + end, "BOUNDS 0 3"},
		{"SAT with an objective", header + "sol ~x2 ~x3 ;\n" + output + "conclusion SAT ;\n" + end, "unsupported"},
		{"another cost", header + "sol x1 ~x2 ~x3 : 4 ;\n", "line 2: unjustified"},
		{"a cost and more", header + "sol x1 ~x2 ~x3 : 3 3 ;\n", "line 2: malformed"},
		{"too few hints", header + "soli x1 ~x2 ~x3 ;\nrup >= 1 : 1 2 ~ ;\n", "line 3: unjustified"},
		{"a hint that is no id", header + "rup >= 0 : 1 hello ;\n", "line 2: malformed"},
		{"a hint above all ids", header + "soli x1 ~x2 ~x3 ; rup >= 1 : 1 2 4 5 ;\n" + output +
			"conclusion BOUNDS 3 3 ;\n" + end, "BOUNDS 3 3"},
		{"no hint", header + "rup 1 x1 >= 0 : 0 ;\n", "line 2: malformed"},
		{"a deleted hint", header + "soli x1 ~x2 ~x3 ;\ndel id 4 ;\nrup 2 x2 2 x3 >= 4 : 4 1 ;\n", "line 4: unjustified"},
		{"deletion once more", header + "rup 1 x1 >= 0 ;\ndel id 4 4 ;\ndel id 4 ;\n", "line 4: unjustified"},
		{"a label", header + "rup >= 0 : @a ;\n", "unsupported"},
		{"NONE and more", header + output + "conclusion NONE 1 ;\n" + end, "unsupported"},
		{"nothing", header + output + "conclusion NONE ;\n" + end, "NONE"},
		{"a bound that a constraint says", header + "soli x1 ~x2 ~x3 ;\nrup 2 x2 2 x3 >= 4 ;\n" + output +
			"conclusion BOUNDS 3 3 ;\n" + end, "BOUNDS 3 3"},
		{"empty", "", "line 1: truncated"},
		{"no header", "f 3 ;\n", "line 1: malformed"},
		{"another version", "pseudo-Boolean proof version 2.0\n", "unsupported"},
		{"another formula", header + "f 4 ;\n", "line 2: different"},
		{"the formula again", header + "f 3 ; rup >= 0 ; f 4 ;\n", "unsupported"},
		{"a bound below 0", header + output + "conclusion BOUNDS -1 INF ;\n" + end, "unsupported"},
		{"no step", header + "soli x1 ~x2 ~x3 ;\n" + output + "conclusion BOUNDS 3 3 ;\n" + end, "line 4: unjustified"},
		{"not RUP", header + "rup 1 x1 >= 1 ;\n", "line 2: unjustified"},
		{"no solution", header + "soli ~x1 ~x2 x3 ;\n", "line 2: unjustified"},
		{"two values", header + "soli x1 ~x1 ;\n", "line 2: unjustified"},
		{"an open cost", header + "soli x1 ;\n", "line 2: unjustified"},
		{"not better", header + "soli x1 ~x2 ~x3 ;\nsoli x1 ~x2 ~x3 ;\n", "line 3: unjustified"},
		{"an upper bound without a solution", header + output + "conclusion BOUNDS 0 7 ;\n" + end, "line 3: unjustified"},
		{"a lower bound without a step", header + output + "conclusion BOUNDS 2 INF ;\n" + end, "line 3: unjustified"},
		{"above a solution", header + "soli x1 ~x2 ~x3 ; rup >= 1 ;\n" + output + "conclusion BOUNDS 4 4 ;\n" + end,
			"line 4: unjustified"},
		{"no solution after one", header + "soli x1 ~x2 ~x3 ; rup >= 1 ;\n" + output + "conclusion BOUNDS INF INF ;\n" + end,
			"line 4: unjustified"},
		{"UNSAT after a solution", header + "soli x1 ~x2 ~x3 ; rup >= 1 ;\n" + output + "conclusion UNSAT ;\n" + end,
			"line 4: unjustified"},
		{"no contradiction", header + output + "conclusion UNSAT ;\n" + end, "line 3: unjustified"},
		{"no conclusion", header + output + end, "line 3: truncated"},
		{"a step after the output", header + output + "rup >= 0 ;\nconclusion NONE ;\n" + end, "line 3: malformed"},
		{"no end", header + output + "conclusion NONE ;\n", "line 3: truncated"},
		{"within a step", header + "rup 1 x1", "line 2: truncated"},
		{"no output", header + "conclusion NONE ;\n", "line 2: malformed"},
		{"a word", header + "hello ;\n", "line 2: malformed"},
		{"no coefficient", header + "rup x1 >= 1 ;\n", "line 2: malformed"},
		{"pol", header + "pol 1 2 + ;\n", "unsupported"},
		{"a new variable", header + "rup 1 _b1 >= 1 ;\n", "unsupported"},
		{"a large number", header + "rup 99999999999999999999 x1 >= 1 ;\n", "unsupported"},
		{"deletion", header + "soli x1 ~x2 ~x3 ; rup 1 x2 >= 1 ; del id 5 ; rup >= 1 ;\n" + output +
			"conclusion BOUNDS 3 3 ;\n" + end, "BOUNDS 3 3"},
		{"deletion of what is needed", header + "soli x1 ~x2 ~x3 ; del id 4 ; rup >= 1 ;\n", "line 2: unjustified"},
		{"deletion of nothing", header + "del id 9 ;\n", "line 2: unjustified"},
		{"deletion of an input", header + "del id 1 ;\n", "unsupported"},
	} {
		if got := verdict(&problem, test.proof); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestDecision: the same for a problem without an objective and without a solution.
func TestDecision(t *testing.T) {
	p := Problem{Clauses: []int32{1, 0, -1, 0}, NoCosts: true}
	for _, test := range []struct{ steps, want string }{
		{"rup >= 1 ;\n" + output + "conclusion UNSAT ;\n", "UNSAT"},
		{"rup >= 1 ;\n" + output + "conclusion UNSAT : 3 ;\n", "UNSAT"},
		{"rup >= 1 ;\n" + output + "conclusion UNSAT : -1 ;\n", "UNSAT"},
		{"rup >= 1 ;\n" + output + "conclusion UNSAT : 2 ;\n", "line 4: unjustified"},
		{"rup >= 1 ;\n" + output + "conclusion UNSAT : 4 ;\n", "line 4: unjustified"},
		{"rup >= 1 ;\n" + output + "conclusion UNSAT hello ;\n", "unsupported"},
		{"rup >= 1 ;\n" + output + "conclusion BOUNDS INF INF ;\n", "unsupported"},
		{"rup >= 1 : 1 ;\n", "line 2: unjustified"},
		{"rup >= 1 : 2 1 ;\n" + output + "conclusion NONE ;\n", "NONE"},
	} {
		if got := verdict(&p, header+test.steps+end); got != test.want {
			t.Errorf("%q: %s, want %s", test.steps, got, test.want)
		}
	}
}

func verdict(p *Problem, proof string) string {
	result, err := Check(p, strings.NewReader(proof))
	var rejection *read.Rejection
	switch {
	case errors.Is(err, read.ErrUnsupported):
		return "unsupported"
	case errors.As(err, &rejection):
		return fmt.Sprintf("line %d: %v", rejection.Line, rejection.Kind)
	case err != nil:
		return "error: " + err.Error()
	}
	return result.Conclusion.String()
}

// TestBounds: for random problems and proofs of random steps, no wrong conclusion is accepted.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	accepted, optimal := 0, 0
	for range 20_000 {
		const vars = 4
		lit := func() int32 { return int32(1+r.IntN(vars)) * int32(1-2*r.IntN(2)) }
		p := Problem{}
		for range r.IntN(6) {
			for range r.IntN(4) {
				p.Clauses = append(p.Clauses, lit())
			}
			p.Clauses = append(p.Clauses, 0)
		}
		for v := int32(1); v <= vars; v++ {
			p.Costs = append(p.Costs, Cost{v, uint64(r.IntN(4))}, Cost{-v, uint64(r.IntN(3))})
		}
		var proof strings.Builder
		proof.WriteString(header)
		rows := strings.Count(fmt.Sprint(append(p.Clauses, 0)), " 0")
		for range r.IntN(12) {
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&proof, "soli %s %s %s %s ;\n", name(1-2*int32(r.IntN(2))), name(2*(1-2*int32(r.IntN(2)))),
					name(3*(1-2*int32(r.IntN(2)))), name(4*(1-2*int32(r.IntN(2)))))
			case 1:
				fmt.Fprintf(&proof, "rup >= 1 ;\n")
			case 2:
				fmt.Fprintf(&proof, "del id %d ;\n", rows+r.IntN(4))
			default:
				fmt.Fprintf(&proof, "rup %d %s %d %s >= %d ;\n", 1+r.IntN(3), name(lit()), r.IntN(5)-2, name(lit()), r.IntN(4))
			}
		}
		low := r.IntN(6)
		both := fmt.Sprintf("BOUNDS %d %d", low, low+r.IntN(2)*r.IntN(4))
		claims := []string{both, "BOUNDS INF INF", "UNSAT", "BOUNDS 2 INF"}
		steps := strings.Split(strings.TrimSuffix(proof.String(), "\n"), "\n")
		for { // without the rejected steps
			text := strings.Join(steps, "\n") + "\n" + output + "conclusion " + claims[r.IntN(len(claims))] + " ;\n" + end
			result, err := Check(&p, strings.NewReader(text))
			if err == nil {
				accepted++
				if _, ok := result.Conclusion.Optimum(); ok {
					optimal++
				}
				compare(t, &p, &result.Conclusion, text)
				break
			}
			var rejection *read.Rejection
			if !errors.As(err, &rejection) || rejection.Line < 2 || int(rejection.Line) > len(steps) {
				break
			}
			steps = append(steps[:rejection.Line-1], steps[rejection.Line:]...)
		}
	}
	if accepted < 1000 || optimal < 10 {
		t.Errorf("only %d proofs were accepted, %d of an optimum", accepted, optimal)
	}
}

func compare(t *testing.T, p *Problem, c *Conclusion, proof string) {
	t.Helper()
	least, isThere := uint64(0), false
	for bits := range 16 {
		isTrue := func(lit int32) bool { return (bits>>(max(lit, -lit)-1)&1 == 1) == (lit > 0) }
		fulfilled, ok := false, true
		for _, lit := range p.Clauses {
			if lit == 0 {
				ok = ok && fulfilled
				fulfilled = false
			} else {
				fulfilled = fulfilled || isTrue(lit)
			}
		}
		cost := uint64(0)
		for _, term := range p.Costs {
			if isTrue(term.Lit) {
				cost += term.Weight
			}
		}
		if ok && (!isThere || cost < least) {
			least, isThere = cost, true
		}
	}
	isWrong := c.NoSolution() && isThere
	if c.Kind == "BOUNDS" && !c.NoSolution() {
		isWrong = c.HasLower && isThere && least < c.Lower || c.HasUpper && (!isThere || least > c.Upper)
	}
	if isWrong {
		t.Fatalf("%v was accepted; solution: %v, least cost: %d\n%s%s", c, isThere, least, p.OPB(), proof)
	}
}

func TestOPB(t *testing.T) {
	p := Problem{Clauses: []int32{1, -2, 0, 0}, Costs: []Cost{{-3, 1<<64 - 1}}}
	const want = "* #variable= 3 #constraint= 2\nmin: +18446744073709551615 ~x3 ;\n+1 x1 +1 ~x2 >= 1 ;\n>= 1 ;\n"
	if got := string(p.OPB()); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(right)
	f.Add(header + "sol ~x2 : 3 ; del id 4 ; rup -1 ~x1 >= -3 : 1 ~ ;\n" + output + "conclusion UNSAT ;")
	f.Fuzz(func(t *testing.T, proof string) {
		var rejection *read.Rejection
		result, err := Check(&problem, strings.NewReader(proof))
		switch {
		case err == nil:
			compareKnown(t, &result.Conclusion, proof)
		case !errors.As(err, &rejection) && !errors.Is(err, read.ErrUnsupported):
			t.Errorf("%q: %v", proof, err)
		}
	})
}

// compareKnown does the same for the problem above, whose optimum is 3.
func compareKnown(t *testing.T, c *Conclusion, proof string) {
	if c.NoSolution() || c.HasLower && c.Lower > 3 || c.HasUpper && c.Upper < 3 {
		t.Errorf("%v was accepted: %q", c, proof)
	}
}
