package format_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A problem is a random linear program over variables of 0 and 1, small enough to try all assignments.
type problem struct {
	vars      int
	objective []int
	rows      []problemRow
	softs     []problemRow // WBO
}

type problemRow struct {
	terms    []int
	relation string
	bound    int
	weight   int
}

func randomProblem(r *rand.Rand) *problem {
	p := &problem{vars: 1 + r.IntN(6)}
	coefficients := func() []int {
		terms := make([]int, p.vars)
		for i := range terms {
			if r.IntN(3) > 0 {
				terms[i] = r.IntN(13) - 6
			}
		}
		terms[r.IntN(p.vars)] = 1 + r.IntN(5) // a row without terms is a syntax error
		return terms
	}
	p.objective = coefficients()
	for range r.IntN(4) {
		p.rows = append(p.rows, problemRow{coefficients(), []string{">=", "<=", "="}[r.IntN(3)], r.IntN(13) - 4, 0})
	}
	for range r.IntN(4) {
		p.softs = append(p.softs, problemRow{coefficients(), ">=", r.IntN(13) - 4, 1 + r.IntN(9)})
	}
	return p
}

func value(terms []int, bits int) (sum int) {
	for i, c := range terms {
		if bits>>i&1 == 1 {
			sum += c
		}
	}
	return sum
}

func (r *problemRow) holds(bits int) bool {
	switch sum := value(r.terms, bits); r.relation {
	case ">=":
		return sum >= r.bound
	case "<=":
		return sum <= r.bound
	default:
		return sum == r.bound
	}
}

// best returns the least value of the objective, or with soft the least weight of violated soft rows.
func (p *problem) best(soft bool) (best int, feasible bool) {
	for bits := range 1 << p.vars {
		cost, good := value(p.objective, bits), true
		for _, r := range p.rows {
			good = good && r.holds(bits)
		}
		if soft {
			cost = 0
			for _, r := range p.softs {
				if !r.holds(bits) {
					cost += r.weight
				}
			}
		}
		if good && (!feasible || cost < best) {
			best, feasible = cost, true
		}
	}
	return best, feasible
}

func terms(terms []int, form string) string {
	var b strings.Builder
	for i, c := range terms {
		if c != 0 {
			fmt.Fprintf(&b, form, c, i+1)
		}
	}
	return b.String()
}

func (p *problem) text(f format.Format) string {
	var b strings.Builder
	switch f {
	case format.OPB, format.WBO:
		if f == format.OPB {
			fmt.Fprintf(&b, "min: %s;\n", terms(p.objective, "%d x%d "))
		} else {
			b.WriteString("soft: ;\n")
		}
		for _, r := range p.rows {
			fmt.Fprintf(&b, "%s%s %d ;\n", terms(r.terms, "%+d x%d "), r.relation, r.bound)
		}
		for _, r := range p.softs {
			if f == format.WBO {
				fmt.Fprintf(&b, "[%d] %s%s %d ;\n", r.weight, terms(r.terms, "%+d x%d "), r.relation, r.bound)
			}
		}
	case format.MPS:
		b.WriteString("NAME test\nROWS\n N cost\n")
		for i, r := range p.rows {
			fmt.Fprintf(&b, " %s r%d\n", map[string]string{">=": "G", "<=": "L", "=": "E"}[r.relation], i)
		}
		b.WriteString("COLUMNS\n")
		for v := range p.vars {
			fmt.Fprintf(&b, " x%d cost %d\n", v+1, p.objective[v])
			for i, r := range p.rows {
				fmt.Fprintf(&b, " x%d r%d %d\n", v+1, i, r.terms[v])
			}
		}
		b.WriteString("RHS\n")
		for i, r := range p.rows {
			fmt.Fprintf(&b, " rhs r%d %d\n", i, r.bound)
		}
		b.WriteString("BOUNDS\n")
		for v := range p.vars {
			fmt.Fprintf(&b, " BV bound x%d\n", v+1)
		}
		b.WriteString("ENDATA\n")
	}
	return b.String()
}

// TestLinearMeansTheSame: the trace read from a linear program has the optimum that trying all assignments of the
// program finds.
func TestLinearMeansTheSame(t *testing.T) {
	t.Parallel()
	seed := testseed.Of(t, 1)
	target, err := targets.Resolve("ref", "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	solver, err := replay.Open(target, replay.InProcess, replay.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	r := rand.New(rand.NewPCG(seed, 0))
	infeasible := 0
	for range 300 {
		p := randomProblem(r)
		for _, f := range []format.Format{format.OPB, format.WBO, format.MPS} {
			text := p.text(f)
			read, err := format.Read(strings.NewReader(text), "file", f, trace.Limits{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			run := new(trace.Run)
			if err := solver.Run(context.Background(), read, run); err != nil {
				t.Fatal(err)
			}
			solve := len(read.Calls) - 3
			want, feasible := p.best(f == format.WBO)
			status := run.Answers.At(solve).Int()
			if (status == apimodel.Optimum) != feasible || status != apimodel.Optimum && status != apimodel.Unsatisfiable {
				t.Fatalf("seed %d: the status is %d, feasible: %v\n%s%s", seed, status, feasible, text, read)
			}
			if !feasible {
				infeasible++
				continue
			}
			got, constant := int(run.Answers.At(solve+1).Num), 0
			if n := len(read.Notes); n > 0 {
				fmt.Sscanf(read.Notes[n-1], "the objective of the file is the cost plus %d", &constant)
			}
			if got+constant != want {
				t.Fatalf("seed %d: the optimum is %d plus the constant %d, want %d\n%s%s", seed, got, constant, want, text, read)
			}
		}
	}
	if infeasible == 0 || infeasible > 750 {
		t.Errorf("seed %d: %d of 900 programs are infeasible", seed, infeasible)
	}
}

func TestLinearErrors(t *testing.T) {
	t.Parallel()
	const mps = "NAME x\nROWS\n N c\n G r\nCOLUMNS\n x r 1\n"
	tests := []struct {
		format format.Format
		text   string
		want   string
	}{
		{format.OPB, "+1 y1 >= 1 ;\n", `file:1:4: want a variable from x1 to x2147483647, or ~ and one, got "y1"`},
		{format.OPB, "* #variable= 2 #constraint= 1\n+1 x3 >= 1 ;\n",
			`file:2:4: want a variable from x1 to x2, or ~ and one, got "x3"`},
		{format.OPB, "* #variable= 2 #constraint= 2\n+1 x2 >= 1 ;\n",
			`file:3:1: want 2 constraints, as the header says, got 1`},
		{format.OPB, "+1 x1 x2 >= 1 ;\n", `file:1:7: want a whole number, got "x2"`},
		{format.OPB, "+1 x1 > 1 ;\n", `file:1:7: want a coefficient, >= or =, got ">"`},
		{format.OPB, "+1 x1 >= 1\n", `file:2:1: want ;, got ""`},
		{format.OPB, "+1 x1 >= 1.5 ;\n", `file:1:10: want a whole number, got "1.5"`},
		{format.OPB, "2000000000000000000 x1 >= 1 ;\n", `file:1:29: want coefficients that sum to at most 2^60, got more`},
		{format.WBO, "soft: 4 ;\n[5] 1 x1 >= 1 ;\n",
			`file:3:1: want a top cost above the sum of all weights, 5 (lower ones are not read), got 4`},
		{format.WBO, "[0] 1 x1 >= 1 ;\n", `file:1:1: want [ and a weight from 1 to 9223372036854775807 and ], got "[0]"`},
		{format.MPS, "ROWS\n Q c\n", `file:2:2: want N, G, L or E, got "Q"`},
		{format.MPS, mps + "RHS\n rhs z 1\n", `file:8:6: want the name of a row, got "z"`},
		{format.MPS, mps, `file:7:1: want the line ENDATA, got the end of the file`},
		{format.MPS, mps + "ENDATA\n", `file:7:7: want variables that are all 0 or 1, got the variable "x", which may be ` +
			`something else`},
		{format.MPS, mps + "RANGES\n rhs r 4\n", `file:8:2: want another section (ranges are not read), got "rhs"`},
		{format.MPS, mps + "BOUNDS\n UP b x 4\n", `file:8:9: want a bound of a variable that is 0 or 1, got "4"`},
		{format.MPS, mps + "COLUMNS\n", `file:7:1: want a section, in this order: NAME, OBJSENSE, ROWS, COLUMNS, RHS, ` +
			`RANGES, BOUNDS, ENDATA, got "COLUMNS"`},
	}
	for _, test := range tests {
		if _, err := read(test.text, test.format); err == nil || err.Error() != test.want {
			t.Errorf("%s %q:\ngot  %v\nwant %s", test.format, test.text, err, test.want)
		}
	}
}
