package reference_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// A liar is a prover that falsifies the answers of another one.
type liar struct {
	honest reference.Prover
	lie    func(r *reference.Result, formula []int32)
}

func (l liar) Solve(formula []int32, conflicts uint64) (reference.Result, error) {
	result, err := l.honest.Solve(formula, conflicts)
	l.lie(&result, formula)
	return result, err
}

// TestLiars: whatever the prover answers, the answer of the reference is right or absent.
func TestLiars(t *testing.T) {
	var random *rand.Rand
	pick := func(n int) int { return random.IntN(max(1, n)) }
	var first []int32
	for name, lie := range map[string]func(r *reference.Result, formula []int32){
		"satisfiable for unsatisfiable": func(r *reference.Result, formula []int32) {
			if r.Status == 20 {
				r.Status = 10
				for _, literal := range formula {
					if v := max(literal, -literal); v != 0 && !slices.Contains(r.Model, v) && !slices.Contains(r.Model, -v) {
						r.Model = append(r.Model, v*int32(1-2*pick(2)))
					}
				}
			}
		},
		"unsatisfiable for satisfiable": func(r *reference.Result, formula []int32) {
			if r.Status == 10 {
				r.Status, r.Proof = 20, []byte("1000000 0 1 0\n")
			}
		},
		"unsatisfiable without a proof": func(r *reference.Result, formula []int32) { r.Status, r.Proof = 20, nil },
		"flipped literal": func(r *reference.Result, formula []int32) {
			if n := len(r.Model); n > 0 {
				r.Model[pick(n)] *= -1
			}
		},
		"missing literal": func(r *reference.Result, formula []int32) {
			if n := len(r.Model); n > 0 {
				i := pick(n)
				r.Model = slices.Delete(r.Model, i, i+1)
			}
		},
		// The model is a solution, but not as cheap as required.
		"the first model again": func(r *reference.Result, formula []int32) {
			if pick(3) == 0 || len(first) == 0 {
				first = slices.Clone(r.Model)
			}
			if r.Status == 10 {
				r.Model = first
			}
		},
		"no model":  func(r *reference.Result, formula []int32) { r.Model = nil },
		"both ways": func(r *reference.Result, formula []int32) { r.Model = append(r.Model, 1, -1) },
		"zero":      func(r *reference.Result, formula []int32) { r.Model = append(r.Model, 0) },
		"least number": func(r *reference.Result, formula []int32) {
			r.Model = append(r.Model, -2147483648)
		},
		"line of the proof missing": func(r *reference.Result, formula []int32) {
			if lines := bytes.SplitAfter(r.Proof, []byte("\n")); len(lines) > 1 {
				i := pick(len(lines) - 1)
				r.Proof = bytes.Join(slices.Delete(lines, i, i+1), nil)
			}
		},
		"changed byte of the proof": func(r *reference.Result, formula []int32) {
			if n := len(r.Proof); n > 0 {
				r.Proof[pick(n)] = "0123456789 -d\n"[pick(14)]
			}
		},
		"proof of another formula": func(r *reference.Result, formula []int32) {
			if r.Status == 20 {
				r.Proof = []byte("3 0 1 2 0\n")
			}
		},
		"gives up":     func(r *reference.Result, formula []int32) { *r = reference.Result{} },
		"other status": func(r *reference.Result, formula []int32) { r.Status = 30 },
		"gives up now and then": func(r *reference.Result, formula []int32) {
			if pick(3) == 0 {
				*r = reference.Result{}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			random = source(t)
			solver := reference.New(liar{prover(t), lie}, 1<<20)
			var p reference.Problem
			errors, unknown, answers := 0, 0, 0
			for range 400 {
				shape{5, 14, 1, 5, small, false}.draw(random, &p)
				a, err := solver.Solve(&p)
				switch {
				case err != nil:
					errors++
				case !a.Certified():
					unknown++
				default:
					answers++
				}
				if why := verify(&p, &a); err == nil && why != "" {
					t.Fatalf("%s: %+v\n%+v", why, p, a)
				}
			}
			t.Logf("%d errors, %d unknown, %d answers", errors, unknown, answers)
			if errors+unknown == 0 {
				t.Error("the lie was never noticed")
			}
		})
	}
}
