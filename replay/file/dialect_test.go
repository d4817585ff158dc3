package file

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// TestDialects checks that output of real programs is read right.
func TestDialects(t *testing.T) {
	const nothing = ""
	tests := []struct {
		dialect, output, file string
		want                  string // status, objective, values; or the fault
	}{
		{"sat", "c hello\ns SATISFIABLE\nv 1 -2\nv 3 0\n", nothing, "10 - 1 -2 3"},
		{"sat", "s UNSATISFIABLE\n", nothing, "20 -"},
		{"sat", "s UNKNOWN\r\n", nothing, "0 -"},
		{"sat", "s SATISFIABLE\nv 1 0 2\n", nothing, faultValues},
		{"sat", "s SATISFIABLE\nv 1 x\n", nothing, faultValues},
		{"sat", "s SATISFIABLE\nv 1 -1 0\n", nothing, faultValues},
		{"sat", "s SATISFIABLE\nv 99999999999 0\n", nothing, faultValues},
		{"sat", "s SATISFIABL\n", nothing, faultStatus},
		{"sat", "s SATISFIABLE\ns UNSATISFIABLE\n", nothing, faultTwice},
		{"sat", "v" + strings.Repeat(" 1 2 3", 3) + " 0\n", nothing, "none - 1 2 3"},
		{"sat", "v" + numbers(101) + " 0\n", nothing, faultTooMany},
		{"mse", "o 17\no 5\ns OPTIMUM FOUND\nv 0110\n", nothing, "30 5 -1 2 3 -4"},
		{"mse", "s OPTIMUM FOUND\nv 0120\n", nothing, faultValues},
		{"mse", "o five\n", nothing, faultObjective},
		{"mse", "o 18446744073709551616\n", nothing, faultObjective},
		{"mse", "o 18446744073709551616\ns UNSATISFIABLE\n", nothing, "20 -"},
		{"mse", "o 18446744073709551616\ns UNKNOWN\n", nothing, "0 -"},
		{"mse", "o -1\n", nothing, faultObjective},
		{"mse-old", "v 1 -2 0\no 9\nv -1 2\nv 3 0\no 8\ns OPTIMUM FOUND\n", nothing, "30 8 -1 2 3"},
		{"sat", "s SATISFIABLE\nv 1 -2\nc time\n\nv 3 0\n", nothing, "10 - 1 -2 3"},
		{"sat", "s SATISFIABLE\nv 1 -2 0\nc better\nv -1 0\n", nothing, "10 - -1"},
		{"pb", "s SATISFIABLE\nv x1 -x2\nc\nv x3\n", nothing, "10 - 1 -2 3"},
		{"pb", "s SATISFIABLE\nv x1 -x2\nc\nv -x1\n", nothing, "10 - -1"},
		{"mse", "s OPTIMUM FOUND\nv 10\nc\nv 01\n", nothing, "30 - -1 2"},
		{"mse-old", "s OPTIMUM FOUND\nv\n", nothing, "30 - (no values)"},
		{"pb", "o -4\ns OPTIMUM FOUND\nv -x1 x2 -x3\n", nothing, faultObjective},
		{"pb", "o 4\ns OPTIMUM FOUND\nv -x1 x2 -x3\n", nothing, "30 4 -1 2 -3"},
		{"pb", "s SATISFIABLE\nv ~x1\n", nothing, faultValues},
		{"minisat", "SATISFIABLE\n", "SAT\n1 -2 3 0\n", "10 - 1 -2 3"},
		{"minisat", "UNSATISFIABLE\n", "UNSAT\n", "20 -"},
		{"minisat", "UNSATISFIABLE\n", nothing, "none -"},
		{"z3", "sat\n(define-fun k!1 () Bool\n  false)\n(define-fun k!3 () Bool\n  true)\n   12\n", nothing, "30 12 -1 3"},
		{"z3", "unsat\n  [0:5]\n", nothing, "20 -"},
		{"toulbar2", "Optimum: 7 in 0 backtracks\n", "0 1 1\n", "30 7 -1 2 3"},
		{"toulbar2", "No solution found by initial propagation!\n", nothing, "20 -"},
		{"cbc", "Optimal - objective value 9\n", "Optimal - objective value 4.00000000\n      1 x3    1   5\n",
			"30 4 -1 -2 3"},
		{"cbc", nothing, "Infeasible - objective value 0.00000000\n 0 x1 1 1\n", "20 -"},
		{"cbc", nothing, "Integer infeasible - objective value 0.00000000\n", "20 -"},
		{"cbc", nothing, "Stopped on time - objective value 3.00000000\n", "0 -"},
		{"cbc", nothing, "Optimal - objective value 4.00000000\n 1 x3 0.5 5\n", faultValues},
		{"glpsol", nothing, "c Problem\ns mip 2 2 o 4\ni 1 1\nj 1 0\nj 2 1\ne o f\n", "30 4 -2 7"},
		{"glpsol", nothing, "s mip 2 2 n 0\nj 1 0\n", "20 -"},
		{"glpsol", nothing, "s mip 2 2 o 4\nj 3 1\n", faultValues},
		{"lp_solve", "\nValue of objective function: 4.00000000\n\nActual values of the variables:\n" +
			"x2     0\nx3    1\n\nActual values of the constraints:\nc1  1\n", nothing, "30 4 -2 3"},
		{"lp_solve", "This problem is infeasible\n", nothing, "20 -"},
		{"qdimacs", "s cnf 1 3 2\nV 1 0\nV -2 0\n", nothing, "10 - 1 -2"},
		{"qdimacs", "s cnf 0 3 2\nv -1 2 0\n", nothing, "20 - -1 2"},
		{"qdimacs", "v 1.2\nv\nv 1 2\nv 1 0 2 0\nv 0 1\ns cnf 0 3 2\n", nothing, "20 -"},
		{"qdimacs", "V x 0\n", nothing, faultValues},
	}
	for _, test := range tests {
		dialect, err := dialectNamed(test.dialect)
		if err != nil {
			t.Fatal(err)
		}
		s := &result{formula: &format.Formula{MaxVar: 3}, columns: []int32{2, 7}}
		dialect.read(s, []byte(test.output), []byte(test.file))
		s.settle(0)
		if got := s.text(); got != test.want {
			t.Errorf("%s, %q and %q: %s, want %s", test.dialect, test.output, test.file, got, test.want)
		}
	}
}

// TestWordsOfQDIMACS: a word tells the status if neither a status line nor the exit code does.
func TestWordsOfQDIMACS(t *testing.T) {
	for _, test := range []struct {
		output string
		code   int
		want   string
	}{
		{"SAT\nv -1 0\n", 0, "10 - -1"},
		{"v -1 0\nUNSAT\n", 0, "20 - -1"},
		{"UNSAT\nUNSAT\n", 0, "20 -"},
		{"SAT\nUNSAT\n", 0, "none -"},
		{"SAT\nUNSAT\n", 20, "20 -"},
		{"SAT\n", 20, "20 -"},
		{"SAT\ns cnf 0 3 2\n", 0, "20 -"},
		{"c SAT\nSAT solver\nno SAT\n", 0, "none -"},
	} {
		s := &result{formula: &format.Formula{MaxVar: 3}}
		dialect, err := dialectNamed("qdimacs")
		policy, err2 := exitPolicyNamed("qdimacs")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		dialect.read(s, []byte(test.output), nil)
		policy.answers(s, test.code)
		if got := s.text(); got != test.want {
			t.Errorf("%q and exit code %d: %s, want %s", test.output, test.code, got, test.want)
		}
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %d", i+1)
	}
	return b.String()
}

func (s *result) text() string {
	if s.fault != "" {
		return s.fault
	}
	text := "none"
	if s.hasStatus {
		text = fmt.Sprint(s.status)
	}
	if s.objective == nil {
		text += " -"
	} else {
		text += " " + s.objective.String()
	}
	var vars []int32
	for v := range int32(10) {
		if _, known := s.value(v + 1); known && s.hasValues {
			vars = append(vars, v+1)
		}
	}
	slices.Sort(vars)
	for _, v := range vars {
		if value, _ := s.value(v); !value {
			v = -v
		}
		text += fmt.Sprint(" ", v)
	}
	if s.hasValues && len(vars) == 0 {
		text += " (no values)"
	}
	return text
}

// FuzzDialects: no output does harm.
func FuzzDialects(f *testing.F) {
	f.Add(uint8(0), "s SATISFIABLE\nv 1 -2 0\n", "")
	f.Add(uint8(5), "sat\n(define-fun k!1 () Bool\n  false)\n   12\n", "")
	f.Add(uint8(7), "", "Optimal - objective value 4.0\n 1 x3 1 5\n")
	f.Add(uint8(8), "", "s mip 2 2 o 4\nj 1 0\n")
	f.Add(uint8(9), "Value of objective function: 4.0\nActual values of the variables:\nx2 0\n", "")
	f.Fuzz(func(t *testing.T, which uint8, output, file string) {
		d := &dialects[int(which)%len(dialects)]
		s := &result{formula: &format.Formula{MaxVar: 3}, columns: []int32{2, 7}}
		d.read(s, []byte(output), []byte(file))
		s.settle(1)
		if s.fault == "" && s.objective != nil && !s.objective.IsUint64() {
			t.Errorf("the cost %v was taken", s.objective)
		}
	})
}

func TestExitPolicies(t *testing.T) {
	for _, c := range []struct {
		policy string
		status int32
		code   int
		want   codeVerdict
	}{
		{"mse2024", 30, 30, codeFits}, {"mse2024", 20, 20, codeFits}, {"mse2024", 10, 10, codeFits},
		{"mse2024", 0, 0, codeFits},
		{"mse2024", 30, 0, codeContradicts}, {"mse2024", 30, 10, codeContradicts}, {"mse2024", 0, 20, codeContradicts},
		{"mse2024", 30, 1, codeOfDeath}, {"mse2024", 0, 255, codeOfDeath}, {"mse2024", 20, 128, codeOfDeath},
		{"mse2024", 0, 134, codeOfSignal}, {"mse2024", 0, 139, codeOfSignal}, {"mse2024", 0, -1, codeOfDeath},
		{"mse2023", 30, 0, codeFits}, {"mse2023", 30, 10, codeFits}, {"mse2023", 20, 1, codeOfDeath},
		{"mse2023", 30, 139, codeOfSignal},
		{"sat", 10, 10, codeFits}, {"sat", 10, 20, codeContradicts}, {"sat", 10, 30, codeOfDeath},
		{"qdimacs", 10, 10, codeFits}, {"qdimacs", 20, 0, codeFits}, {"qdimacs", 0, 0, codeFits},
		{"qdimacs", 0, 30, codeFits}, {"qdimacs", 10, 30, codeContradicts},
		{"qdimacs", 10, 20, codeContradicts}, {"qdimacs", 20, 1, codeOfDeath}, {"qdimacs", 10, 139, codeOfSignal},
		{"zero", 30, 0, codeFits}, {"zero", 30, 30, codeOfDeath}, {"zero", 0, 134, codeOfSignal},
		{"lp_solve", apimodel.Unsatisfiable, 2, codeFits}, {"lp_solve", apimodel.Optimum, 2, codeContradicts},
	} {
		policy, err := exitPolicyNamed(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if got := policy.judge(c.status, c.code); got != c.want {
			t.Errorf("%s, status %d, exit code %d: %d, want %d", c.policy, c.status, c.code, got, c.want)
		}
	}
	for name, want := range map[string]string{"cnf": "sat", "wcnf": "mse2024", "opb": "mse2023", "qdimacs": "qdimacs"} {
		made, err := (&Entry{Format: name}).Driver(new(apimodel.Bounds))
		if err != nil {
			t.Fatal(err)
		}
		if got := made.(*driver).exit.Name; got != want {
			t.Errorf("%s: exit codes %s, want %s", name, got, want)
		}
	}
	if _, err := exitPolicyNamed("mse1999"); err == nil {
		t.Error("there is no policy mse1999")
	}
}

// TestFileTargetsAreDocumented: the pages have a row for every exit policy and
// every dialect.
func TestFileTargetsAreDocumented(t *testing.T) {
	has := func(file, row string) {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), row) {
			t.Errorf("%s must have this row:\n%s", file, row)
		}
	}
	for _, p := range exitPolicies {
		has("../../docs/judging.md", fmt.Sprintf("| `%s` | %s |", p.Name, p.Doc))
	}
	for _, d := range dialects {
		has("../../docs/targets.md", fmt.Sprintf("| `%s` | %s |", d.Name, d.Doc))
	}
	for _, word := range unreadableWords {
		has("../../docs/targets.md", "`"+word+"`")
	}
}
