package proof_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/drat"
)

var mutants = flag.Int("mutants", 300, "how many altered proofs each checker gets")

// mutate alters, drops, repeats or swaps lines.
func mutate(rng *rand.Rand, steps []step, vars int32) []step {
	steps = slices.Clone(steps)
	for range 1 + rng.IntN(2) {
		if len(steps) == 0 {
			return steps
		}
		at, other := rng.IntN(len(steps)), rng.IntN(len(steps))
		switch rng.IntN(6) {
		case 0:
			steps = slices.Delete(steps, at, at+1)
		case 1:
			steps[at], steps[other] = steps[other], steps[at]
		case 2:
			steps = slices.Insert(steps, other, steps[at])
		default:
			steps[at] = alter(rng, steps[at], vars)
		}
	}
	return steps
}

func alter(rng *rand.Rand, s step, vars int32) step {
	s.lits, s.hints = slices.Clone(s.lits), slices.Clone(s.hints)
	if s.op == 's' {
		s.id = []int64{0, 10, 20}[rng.IntN(3)]
		return s
	}
	if rng.IntN(3) == 0 && len(s.hints) > 0 {
		at := rng.IntN(len(s.hints))
		switch rng.IntN(3) {
		case 0:
			s.hints = slices.Delete(s.hints, at, at+1)
		case 1:
			s.hints[at] = 1 + rng.Int64N(30)
		default:
			other := rng.IntN(len(s.hints))
			s.hints[at], s.hints[other] = s.hints[other], s.hints[at]
		}
		return s
	}
	switch {
	case len(s.lits) > 0 && rng.IntN(3) > 0:
		at := rng.IntN(len(s.lits))
		switch rng.IntN(4) {
		case 0:
			s.lits = slices.Delete(s.lits, at, at+1)
		case 1:
			s.lits[at] = -s.lits[at]
		case 2:
			s.lits[0], s.lits[at] = s.lits[at], s.lits[0]
		default:
			s.lits[at] = randomClause(rng, vars, 1)[0]
		}
	default:
		s.lits = append(s.lits, randomClause(rng, vars, 1)...)
	}
	return s
}

// TestMutants checks altered proofs. If a checker accepts one, a naive checker must prove the same; if every
// line of one is right, the checker must accept it.
func TestMutants(t *testing.T) {
	for _, name := range proof.Names() {
		for _, isBinary := range []bool{false, true} {
			f := proof.Format{Name: name, Binary: isBinary}
			t.Run(f.String(), func(t *testing.T) { testMutants(t, f) })
		}
	}
}

func testMutants(t *testing.T, f proof.Format) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	accepted, unneeded, partly := 0, 0, 0
	for i := 0; i < *mutants; {
		var formula [][]int32
		var steps []step
		check := func(steps []step, isForward bool) (proof.Result, error) {
			file := bytes.NewReader(write(steps, f))
			if f.IsIncremental() {
				return proof.CheckScript(nil, file, proof.Options{Format: f})
			}
			return proof.Check(flat(formula), file, proof.Options{Format: f, Forward: isForward})
		}
		judge := func(steps []step) verdict {
			switch f.Name {
			case "drat":
				return naiveDRAT(formula, steps, false)
			case "lrat":
				return naiveIDs(formula, steps, nil)
			case "frat":
				return naiveIDs(nil, steps, formula)
			}
			return naiveScript(steps, f.Name == "lidrup")
		}
		if f.IsIncremental() {
			steps = conversation(rng)
		} else if formula, steps = refutation(rng, true); f.Name == "frat" {
			steps = fratOf(rng, formula, steps)
		}
		for _, isForward := range []bool{false, f.Name == "drat"} {
			if _, err := check(steps, isForward); err != nil {
				t.Fatalf("a right proof is refused: %v\n%v\n%q", err, formula, write(steps, f))
			}
		}
		for range 20 {
			mutant := mutate(rng, steps, 11)
			i++
			r, err := check(mutant, false)
			v := judge(mutant)
			switch {
			case err == nil && !v.valid && r.DRAT != nil && r.DRAT.CoreRAT > 0 && isUnsatisfiable(formula):
				accepted++
				partly++
			case err == nil && !f.IsIncremental() && !isUnsatisfiable(formula):
				t.Fatalf("accepted, although there is a solution\nformula %v\nproof\n%s", formula, write(mutant, f))
			case err == nil && !v.valid:
				t.Fatalf("accepted, although %s\nformula %v\nproof\n%s", v.why, formula, write(mutant, f))
			case err == nil:
				accepted++
				if !v.complete {
					unneeded++
				}
			case v.complete && (f.Name == "drat" || f.Name == "idrup"):
				t.Fatalf("refused: %v, although %s\nformula %v\nproof\n%s", err, v.why, formula, write(mutant, f))
			}
			if f.Name == "drat" {
				inAllWays(t, formula, mutant, f.Binary)
			}
		}
	}
	t.Logf("%d mutants, %d accepted, all explained: %d have lines that nothing needs, %d lemmas that are RAT for the core",
		*mutants, accepted, unneeded, partly)
}

// inAllWays checks DRAT forwards, and in both directions if deletions of units count.
func inAllWays(t *testing.T, formula [][]int32, steps []step, isBinary bool) {
	file := write(steps, proof.Format{Name: "drat", Binary: isBinary})
	for _, o := range []drat.Options{{Forward: true}, {ObeyUnits: true}, {ObeyUnits: true, Forward: true}} {
		o.Binary = isBinary
		r, err := drat.Check(flat(formula), bytes.NewReader(file), o)
		v := naiveDRAT(formula, steps, o.ObeyUnits)
		if err == nil && !v.valid && (r.CoreRAT == 0 || !isUnsatisfiable(formula)) {
			t.Fatalf("%+v: accepted, although %s\nformula %v\nproof\n%s", o, v.why, formula, file)
		}
		if err != nil && v.complete {
			t.Fatalf("%+v: refused: %v, although %s\nformula %v\nproof\n%s", o, err, v.why, formula, file)
		}
	}
}
