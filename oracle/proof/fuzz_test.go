package proof_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/proof"
)

// fuzzProof checks bytes as a proof of a small formula. No bytes may prove that a satisfiable formula is not,
// or make a checker panic.
func fuzzProof(f *testing.F, name string) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		formula, steps := refutation(rng, true)
		if name == "frat" {
			steps = fratOf(rng, formula, steps)
		}
		if i%2 == 0 { // satisfiable, so any accepted proof is a bug
			formula = formula[:len(formula)/2]
		}
		isBinary := i%4 < 2
		f.Add(formulaBytes(formula), isBinary, write(steps, proof.Format{Name: name, Binary: isBinary}))
	}
	f.Fuzz(func(t *testing.T, formula []byte, isBinary bool, file []byte) {
		clauses := clausesOf(formula)
		for _, isForward := range []bool{false, true} {
			o := proof.Options{Format: proof.Format{Name: name, Binary: isBinary}, Forward: isForward}
			_, err := proof.Check(flat(clauses), bytes.NewReader(file), o)
			if err == nil && !isUnsatisfiable(clauses) {
				t.Errorf("accepted %q for %v", file, clauses)
			}
		}
	})
}

func FuzzDRAT(f *testing.F) { fuzzProof(f, "drat") }
func FuzzLRAT(f *testing.F) { fuzzProof(f, "lrat") }
func FuzzFRAT(f *testing.F) { fuzzProof(f, "frat") }

// formulaBytes is the inverse of clausesOf.
func formulaBytes(formula [][]int32) []byte {
	var out []byte
	for _, l := range flat(formula) {
		out = append(out, byte(l+11))
	}
	return out
}

// clausesOf turns bytes into clauses of ten variables.
func clausesOf(formula []byte) [][]int32 {
	clauses := [][]int32{nil}
	for _, b := range formula {
		if l := int32(b%22) - 11; l != 0 && l != -11 {
			clauses[len(clauses)-1] = append(clauses[len(clauses)-1], l)
		} else if len(clauses) < 40 {
			clauses = append(clauses, nil)
		}
	}
	return clauses[:len(clauses)-1]
}

func fuzzScript(f *testing.F, name string) {
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range 20 {
		f.Add(i%2 == 0, write(conversation(rng), proof.Format{Name: name, Binary: i%2 == 0}))
	}
	f.Fuzz(func(_ *testing.T, isBinary bool, file []byte) {
		o := proof.Options{Format: proof.Format{Name: name, Binary: isBinary}}
		_, _ = proof.CheckScript(nil, bytes.NewReader(file), o)
	})
}

func FuzzIDRUP(f *testing.F)  { fuzzScript(f, "idrup") }
func FuzzLIDRUP(f *testing.F) { fuzzScript(f, "lidrup") }

func FuzzDetect(f *testing.F) {
	f.Add([]byte("p idrup\ni 1 0\n"))
	f.Add([]byte("a\x02\x00"))
	f.Fuzz(func(_ *testing.T, start []byte) { _, _ = proof.Detect(start) })
}
