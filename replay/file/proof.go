package file

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// mostProof is the size of the largest proof that is read.
const mostProof = 64 << 20

// readProof reads the proof that the program should have written.
func readProof(name string) (trace.Proof, error) {
	stat, err := os.Lstat(name)
	switch {
	case err != nil || !stat.Mode().IsRegular():
		return trace.Proof{IsMissing: true}, nil
	case stat.Size() > mostProof:
		return trace.Proof{IsCut: true}, nil
	}
	text, err := readUpTo(name, mostProof)
	return trace.Proof{Text: text}, err
}

// provesIn sets the format of the program's proofs. It checks that proofs in that format exist
// for the format that the program reads.
func (f *driver) provesIn(proof string) error {
	switch {
	case proof == "":
	case !slices.Contains(trace.ProofFormats, proof):
		return fmt.Errorf("proof is %q; there are %s", proof, strings.Join(trace.ProofFormats, ", "))
	case proof == trace.VeriPB && !slices.Contains([]format.Format{format.CNF, format.WCNF, format.OPB}, f.format):
		return fmt.Errorf("proof is %q, and VeriPB reads no %s: want cnf, wcnf or opb", proof, f.format)
	}
	f.proof = proof
	return nil
}

// proves reports whether the program should have written a proof of its answer.
func (f *driver) proves(r *result) bool {
	isBest := r.status == apimodel.Optimum && r.formula.HasSoft()
	return f.proof != "" && (r.status == apimodel.Unsatisfiable || f.proof == trace.VeriPB && isBest)
}

// statedCosts returns the costs that the program claims: that of its last o line, and that of its
// values.
func (s *result) statedCosts() []trace.StatedCost {
	if s.status != apimodel.Optimum {
		return nil
	}
	var stated []trace.StatedCost
	if s.objective != nil && s.objective.IsUint64() {
		stated = append(stated, trace.StatedCost{Line: "o", Cost: s.objective.Uint64()})
	}
	cost := uint64(0)
	for soft := range s.formula.SoftClauses {
		falsified, known := s.falsifies(soft.Lits)
		if !known {
			return stated
		}
		if falsified {
			cost += soft.Weight
		}
	}
	return append(stated, trace.StatedCost{Line: "v", Cost: cost})
}

// falsifies reports whether the values make all literals of the clause false, and whether they decide that.
func (s *result) falsifies(clause []int32) (falsified, known bool) {
	known = true
	for _, lit := range clause {
		value, told := s.value(trace.Var(lit))
		if told && value == (lit > 0) {
			return false, true
		}
		known = known && told
	}
	return true, known
}
