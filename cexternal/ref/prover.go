package ref

/*
#include "prover.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// What Solve says of a formula: the numbers of IPASIR.
const (
	GaveUp        = 0
	Satisfiable   = 10
	Unsatisfiable = 20
)

// DefaultMaxProof is how many bytes a proof has at most, unless told otherwise.
const DefaultMaxProof = 64 << 20

// A Result is an answer of a prover. It is a plain struct without a name, so
// that who declares the same one can use a prover without importing it.
type Result = struct {
	Status    int
	Model     []int32 // when satisfiable: the true literal of every variable
	Proof     []byte  // when unsatisfiable: LRAT, as text
	Conflicts uint64  // that the search took
}

// A Prover is the SAT solver of the built-in library, always healthy, asked
// for one answer to one formula at a time. It is not for concurrent use.
type Prover struct {
	MaxProof int // in bytes; more is given up

	prover *C.struct_ref_prover
}

// NewProver returns a prover, which must be closed.
func NewProver() *Prover {
	return &Prover{MaxProof: DefaultMaxProof, prover: C.ref_prover_open()}
}

// Close frees what the prover holds.
func (p *Prover) Close() {
	if p.prover != nil {
		C.ref_prover_close(p.prover)
		p.prover = nil
	}
}

// Solve answers whether the clauses, each of which ends with a 0, can all be
// true. It gives up after that many conflicts, when the proof or the learned
// clauses take too much memory. Its errors are about the formula.
//
// The proof is for clauses with the numbers 1, 2, 3, ... in their order.
func (p *Prover) Solve(formula []int32, conflicts uint64) (Result, error) {
	if p.prover == nil {
		return Result{}, errors.New("ref: the prover is closed")
	}
	var answer C.struct_ref_prover_answer
	switch C.ref_prover_solve(p.prover, (*C.int32_t)(unsafe.SliceData(formula)), C.size_t(len(formula)),
		C.uint64_t(conflicts), C.size_t(max(0, p.MaxProof)), &answer) {
	case C.REF_PROVER_BAD_LITERAL:
		return Result{}, errors.New("ref: -2147483648 in the formula is no literal")
	case C.REF_PROVER_OPEN_CLAUSE:
		return Result{}, errors.New("ref: the last clause of the formula does not end with a 0")
	}
	result := Result{Status: int(answer.status), Conflicts: uint64(answer.conflicts)}
	if answer.model_size > 0 {
		result.Model = append(result.Model, unsafe.Slice((*int32)(answer.model), int(answer.model_size))...)
	}
	if answer.proof_size > 0 {
		result.Proof = append(result.Proof, unsafe.Slice((*byte)(unsafe.Pointer(answer.proof)), int(answer.proof_size))...)
	}
	return result, nil
}
