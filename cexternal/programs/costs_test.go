package programs

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// An optimiser finds the best solution of a small problem by trying all assignments. Its proof has a lemma for
// each one that it can skip.
type optimiser struct {
	vars    int
	clauses [][]int32
	costs   map[int32]int64 // of literals
	base    int64

	assigned []int32
	best     int64
	solution []int32 // nil: none
	lemmas   []string
}

// readProblem reads the files that ipafuzz writes in OPB, in which each row is a clause, and in WCNF.
func readProblem(text string) *optimiser {
	o := &optimiser{costs: map[int32]int64{}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		var clause []int32
		switch {
		case words[0] == "*" || words[0] == "c":
		case words[0] == "min:" || strings.HasPrefix(words[0], "+") || strings.HasPrefix(words[0], "-"):
			isCost := words[0] == "min:"
			for i := slices.Index(words, "min:") + 1; i+1 < len(words) && words[i+1][0] == 'x'; i += 2 {
				size, v := o.number(words[i]), int32(o.number(words[i+1][1:]))
				switch {
				case isCost:
					o.costs[v] = size
				case size < 0:
					clause = append(clause, -v)
				default:
					clause = append(clause, v)
				}
				o.vars = max(o.vars, int(v))
			}
			if !isCost {
				o.clauses = append(o.clauses, clause)
			}
		default:
			for _, word := range words[1 : len(words)-1] {
				clause = append(clause, int32(o.number(word)))
				o.vars = max(o.vars, int(max(clause[len(clause)-1], -clause[len(clause)-1])))
			}
			if words[0] == "h" {
				o.clauses = append(o.clauses, clause)
			} else {
				o.costs[-clause[0]] += o.number(words[0])
			}
		}
	}
	return o
}

func (o *optimiser) number(word string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(word, "+"), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// search tries all assignments after the current one that can be better.
func (o *optimiser) search(isProof bool) {
	isOpen := len(o.assigned) < o.vars
	cost := o.base
	for lit, size := range o.costs {
		if slices.Contains(o.assigned, lit) || size < 0 && !slices.Contains(o.assigned, -lit) {
			cost += size
		}
	}
	falsified := slices.ContainsFunc(o.clauses, func(clause []int32) bool {
		return !slices.ContainsFunc(clause, func(lit int32) bool { return !slices.Contains(o.assigned, -lit) })
	})
	switch {
	case falsified || o.solution != nil && cost >= o.best:
	case isOpen:
		v := int32(len(o.assigned) + 1)
		for _, lit := range []int32{v, -v} {
			o.assigned = append(o.assigned, lit)
			o.search(isProof)
			o.assigned = o.assigned[:len(o.assigned)-1]
		}
	default:
		o.best, o.solution = cost, slices.Clone(o.assigned)
	}
	if isProof {
		var lits []string
		for _, lit := range o.assigned {
			lits = append(lits, fmt.Sprint(-lit))
		}
		o.lemmas = append(o.lemmas, "rup "+sumOf(strings.Join(lits, " "))+" >= 1 ;\n")
	}
}

// sumOf writes literals as VeriPB reads them.
func sumOf(lits string) string {
	sum := ""
	for _, lit := range strings.Fields(lits) {
		sum += strings.Replace(" 1 x"+lit, "x-", "~x", 1)
	}
	return sum
}

func conclusion(what string) string {
	return "output NONE ;\nconclusion " + what + " ;\nend pseudo-Boolean proof ;\n"
}

// optimise is a solver: it prints the best solution and writes a proof.
func optimise(defect, formula, file string) int {
	text, err := os.ReadFile(formula)
	if err != nil {
		return 3
	}
	o := readProblem(string(text))
	o.search(false)
	o.search(true)
	proof := fmt.Sprintf("pseudo-Boolean proof version 3.0\nf %d ;\n", len(o.clauses))
	bounds := "BOUNDS INF INF"
	if o.solution != nil {
		var lits []string
		for _, lit := range o.solution {
			lits = append(lits, strings.Replace(fmt.Sprintf("x%d", lit), "x-", "~x", 1))
		}
		proof += "soli " + strings.Join(lits, " ") + " ;\n"
		bounds = fmt.Sprintf("BOUNDS %d %d", o.best, o.best)
	}
	switch defect {
	case "no lower bound":
		bounds = strings.Replace(bounds, fmt.Sprintf("BOUNDS %d", o.best), fmt.Sprintf("BOUNDS %d", o.best-1), 1)
	case "a bound above":
		bounds = strings.ReplaceAll(bounds, fmt.Sprint(o.best), fmt.Sprint(o.best+1))
	case "no lemmas":
		o.lemmas = nil
	case "cut":
		o.lemmas = append(o.lemmas, "rup 1")
		bounds = ""
	}
	proof += strings.Join(o.lemmas, "")
	if bounds != "" {
		proof += conclusion(bounds)
	}
	if defect != "no proof" {
		if err := os.WriteFile(file, []byte(proof), 0o644); err != nil {
			return 3
		}
	}
	if o.solution == nil {
		fmt.Println("s UNSATISFIABLE")
		return 20
	}
	line := "v"
	for _, lit := range o.solution {
		if strings.HasSuffix(formula, "opb") {
			line += strings.Replace(fmt.Sprintf(" x%d", lit), "x-", "-x", 1)
		} else if line = strings.TrimSuffix(line, " "); lit > 0 {
			line += "1"
		} else {
			line += "0"
		}
	}
	if !strings.HasSuffix(formula, "opb") {
		line = "v " + line[1:]
	}
	fmt.Printf("o %d\ns OPTIMUM FOUND\n%s\n", o.best, line)
	return 30
}

// TestCostProofs runs a program that proves its optimum: right proofs have no finding, and each planted
// defect has one of its class.
func TestCostProofs(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	formats := []string{"opb", "wcnf"}
	if testing.Short() {
		formats = formats[:1]
	}
	for _, format := range formats {
		for _, test := range []struct {
			defect string
			class  oracle.Class
		}{{"", ""}, {"no proof", oracle.ProofUnusable}, {"cut", oracle.ProofUnusable}, {"no lemmas", oracle.ProofWrong},
			{"a bound above", oracle.ProofWrong}, {"no lower bound", oracle.ProofOfOther}} {
			t.Run(format+" "+test.defect, func(t *testing.T) {
				entry := strings.Replace(prover(self, "cost", test.defect), `"cnf"`, `"`+format+`"`, 1)
				entry = strings.Replace(entry, `proof = "cost"`, "max-sum = 1000000\nproof = \"veripb\"", 1)
				class, after, proofs := firstFinding(t, entry, 60)
				if class != test.class || class == "" && proofs < 20 {
					t.Errorf("trace %d: class %q, not %q, %d proofs", after, class, test.class, proofs)
				}
			})
		}
	}
}
