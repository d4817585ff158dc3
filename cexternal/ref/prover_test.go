package ref

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
)

const gaveUp = 0 // the status that Solve returned

func prover(t testing.TB) *Prover {
	p := NewProver()
	t.Cleanup(p.Close)
	return p
}

// random returns a random formula over these variables.
func random(r *rand.Rand, numbers []int32, clauses int) []int32 {
	var formula []int32
	for range clauses {
		length := 1 + r.IntN(4)
		if r.IntN(60) == 0 {
			length = 0
		}
		for range length {
			formula = append(formula, numbers[r.IntN(len(numbers))]*int32(1-2*r.IntN(2)))
		}
		formula = append(formula, 0)
	}
	return formula
}

// pigeons returns the formula with one pigeon more than holes.
func pigeons(holes int) []int32 {
	in := func(pigeon, hole int) int32 { return int32(pigeon*holes + hole + 1) }
	var formula []int32
	for p := range holes + 1 {
		for h := range holes {
			formula = append(formula, in(p, h))
		}
		formula = append(formula, 0)
		for other := range p {
			for h := range holes {
				formula = append(formula, -in(p, h), -in(other, h), 0)
			}
		}
	}
	return formula
}

// fault describes what is wrong with a model; "" if it is right.
func fault(formula, model []int32) string {
	variables := map[int32]bool{}
	for _, literal := range formula {
		if literal != 0 {
			variables[max(literal, -literal)] = true
		}
	}
	values := map[int32]bool{}
	for _, literal := range model {
		values[literal] = true
	}
	if len(values) != len(variables) || len(model) != len(variables) {
		return fmt.Sprintf("%d values for %d variables", len(model), len(variables))
	}
	some := false
	for _, literal := range formula {
		if literal == 0 && !some {
			return "a clause is false"
		}
		some = literal != 0 && (some || values[literal])
		if values[literal] && values[-literal] {
			return "both signs"
		}
	}
	return ""
}

// satisfiable tries all assignments.
func satisfiable(formula []int32) bool {
	var variables []int32
	for _, literal := range formula {
		if v := max(literal, -literal); v != 0 && !slices.Contains(variables, v) {
			variables = append(variables, v)
		}
	}
	model := slices.Clone(variables)
	for assignment := range 1 << len(variables) {
		for i, v := range variables {
			model[i] = v * int32(1-2*(assignment>>i&1))
		}
		if fault(formula, model) == "" {
			return true
		}
	}
	return false
}

func TestProverOnSmallFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	p := prover(t)
	count := map[int]int{}
	for range 4000 {
		numbers := []int32{1, 2, 3, 4, 5, 6, 7}
		if r.IntN(4) == 0 {
			numbers = []int32{2147483647, 5, 1 << 30, 77777, 123456789}
		}
		formula := random(r, numbers, r.IntN(30))
		result, err := p.Solve(formula, 1000)
		if err != nil {
			t.Fatal(err)
		}
		count[result.Status]++
		switch result.Status {
		case Satisfiable:
			if why := fault(formula, result.Model); why != "" {
				t.Fatalf("%s: %v for %v", why, result.Model, formula)
			}
		case Unsatisfiable:
			if err := new(lrat.Checker).Check(formula, result.Proof); err != nil {
				t.Fatalf("%v\n%v\n%s", err, formula, result.Proof)
			}
		}
		if want := map[bool]int{true: Satisfiable, false: Unsatisfiable}[satisfiable(formula)]; result.Status != want {
			t.Fatalf("%v: answers %d, not %d", formula, result.Status, want)
		}
	}
	if count[Satisfiable] < 500 || count[Unsatisfiable] < 500 {
		t.Errorf("not balanced: %v", count)
	}
}

// The formulas are hard enough for restarts, for forgotten clauses and for minimization.
func TestProverOnLargerFormulas(t *testing.T) {
	p := prover(t)
	r := rand.New(rand.NewPCG(1, 2))
	formulas := [][]int32{pigeons(4), pigeons(7)}
	for range 12 {
		var formula []int32
		for range 660 {
			for range 3 {
				formula = append(formula, int32(1+r.IntN(150))*int32(1-2*r.IntN(2)))
			}
			formula = append(formula, 0)
		}
		formulas = append(formulas, formula)
	}
	deletions := 0
	for i, formula := range formulas {
		result, err := p.Solve(formula, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("formula %d: %d after %d conflicts, %d bytes of proof", i, result.Status, result.Conflicts, len(result.Proof))
		switch result.Status {
		case Satisfiable:
			if why := fault(formula, result.Model); why != "" || i < 2 {
				t.Errorf("formula %d: %s", i, why)
			}
		case Unsatisfiable:
			if err := new(lrat.Checker).Check(formula, result.Proof); err != nil {
				t.Errorf("formula %d: %v", i, err)
			}
			deletions += strings.Count(string(result.Proof), " d ")
		default:
			t.Errorf("formula %d: gave up", i)
		}
	}
	if deletions == 0 {
		t.Error("no proof deletes anything: nothing of reduction was tested")
	}
}

func TestProverGivesUp(t *testing.T) {
	p := prover(t)
	formula := pigeons(7)
	for _, conflicts := range []uint64{0, 1, 100} {
		result, err := p.Solve(formula, conflicts)
		if err != nil || result.Status != gaveUp || result.Proof != nil || result.Model != nil ||
			result.Conflicts > conflicts+1 {
			t.Errorf("within %d conflicts: %+v, %v", conflicts, result, err)
		}
	}
	p.MaxProof = 1000
	if result, err := p.Solve(formula, 1<<40); err != nil || result.Status != gaveUp || result.Proof != nil {
		t.Errorf("within 1000 bytes: status %d, %v", result.Status, err)
	}
	p.MaxProof = 10
	if result, err := p.Solve([]int32{1, 0, -1, 0}, 1<<40); err != nil || result.Status != gaveUp {
		t.Errorf("within 10 bytes: status %d, %v", result.Status, err)
	}
	p.MaxProof = DefaultMaxProof
	if result, err := p.Solve([]int32{1, 0, -1, 0}, 0); err != nil || result.Status != Unsatisfiable {
		t.Errorf("without a conflict: status %d, %v", result.Status, err)
	}
}

func TestProverRefuses(t *testing.T) {
	p := prover(t)
	for _, formula := range [][]int32{{1}, {1, 0, 2}, {-2147483648, 0}, {1, 0, 0, -2147483648}} {
		if result, err := p.Solve(formula, 10); err == nil {
			t.Errorf("%v: answers %d", formula, result.Status)
		}
	}
	for _, formula := range [][]int32{nil, {}} {
		if result, err := p.Solve(formula, 10); err != nil || result.Status != Satisfiable || len(result.Model) != 0 {
			t.Errorf("no clauses: %+v, %v", result, err)
		}
	}
	p.Close()
	p.Close()
	if _, err := p.Solve(nil, 10); err == nil {
		t.Error("a closed prover answers")
	}
}

// TestInterrupt: an interrupted prover gives up at once, whichever goroutine interrupts it, and solves again
// afterwards.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	p := NewProver()
	defer p.Close()
	endless := pigeons(30)
	timer := time.AfterFunc(10*time.Millisecond, func() { p.Interrupt(true) })
	defer timer.Stop()
	for range 2 {
		if r, err := p.Solve(endless, math.MaxUint64); err != nil || r.Status != gaveUp {
			t.Fatalf("interrupted: %d, %v", r.Status, err)
		}
	}
	p.Interrupt(false)
	if r, err := p.Solve(pigeons(5), math.MaxUint64); err != nil || r.Status != Unsatisfiable {
		t.Errorf("afterwards: %d, %v", r.Status, err)
	}
}
